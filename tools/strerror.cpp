// SPDX-License-Identifier: BSD-2-Clause
// fi_strerror: turns an error number of the library, as logs and return values show it, into its text.
// There is no option parser on purpose: "-61" is a number here, and numbers are what people paste.

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <rdma/fi_errno.h>

namespace {

void usage(const char* program)
{
    std::printf("Usage: %s FI_ERROR_CODE\n"
                "\n"
                "Prints what an error code of libfabric means. The code is decimal, octal with a\n"
                "leading 0 or hexadecimal with a leading 0x; its sign does not matter, because\n"
                "calls return error codes negative and completions carry them positive.\n",
                program);
}

enum class Parsed { Number, NotANumber, OutOfRange };

Parsed parse(const char* text, int& number)
{
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(text, &end, 0);
    if (end == text || *end != '\0')
        return Parsed::NotANumber;
    // INT_MIN has no positive counterpart to look up.
    if (errno == ERANGE || value > INT_MAX || value <= INT_MIN)
        return Parsed::OutOfRange;
    number = static_cast<int>(value);
    return Parsed::Number;
}

} // namespace

int main(int argc, char** argv)
{
    const char* program = argc > 0 ? argv[0] : "fi_strerror";
    if (argc != 2) {
        usage(program);
        return EXIT_FAILURE;
    }
    if (std::string_view(argv[1]) == "-h") {
        usage(program);
        return EXIT_SUCCESS;
    }
    int number = 0;
    switch (parse(argv[1], number)) {
    case Parsed::NotANumber:
        std::printf("ERROR: unable to parse '%s'\n\n", argv[1]);
        usage(program);
        return EXIT_FAILURE;
    case Parsed::OutOfRange:
        std::printf("ERROR: '%s' is out of range\n\n", argv[1]);
        usage(program);
        return EXIT_FAILURE;
    case Parsed::Number:
        break;
    }
    std::printf("%s\n", fi_strerror(number < 0 ? -number : number));
    return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
