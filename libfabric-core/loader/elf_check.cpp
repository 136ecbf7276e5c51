// SPDX-License-Identifier: BSD-2-Clause
// dlopen() maps what the program headers say and touches it, so a file cut short (a full disk, an interrupted
// copy) ends the process with SIGBUS instead of returning an error. The headers are therefore read and
// checked against the file's size first. The linker's own messages for text files and foreign machines are
// terse; those cases are named here as well.
#include "loader/elf_check.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fi::core::loader {

namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

class File {
  public:
    // O_NONBLOCK: somebody's FIFO in the directory must not hold up the whole program.
    explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~File()
    {
        if (fd_ >= 0)
            close(fd_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    int fd() const { return fd_; }

    bool read_exactly(void* to, size_t bytes, uint64_t offset) const
    {
        auto* at = static_cast<char*>(to);
        while (bytes > 0) {
            const ssize_t n = pread(fd_, at, bytes, static_cast<off_t>(offset));
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return false;
            at += n;
            bytes -= static_cast<size_t>(n);
            offset += static_cast<uint64_t>(n);
        }
        return true;
    }

  private:
    int fd_;
};

std::string errno_text()
{
    char buffer[128];
    return strerror_r(errno, buffer, sizeof buffer);
}

// The ELF header of the code that is running: the one description of this machine that needs no table of
// architectures.
const Header& own_header()
{
    Dl_info info;
    dladdr(reinterpret_cast<void*>(&elf_problem), &info);
    return *static_cast<const Header*>(info.dli_fbase);
}

std::string header_problem(const Header& header)
{
    const Header& own = own_header();
    if (header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS])
        return header.e_ident[EI_CLASS] == ELFCLASS32 ? "built for a 32-bit process"
                                                      : "built for another word size";
    if (header.e_ident[EI_DATA] != own.e_ident[EI_DATA])
        return "built for the other byte order";
    if (header.e_machine != own.e_machine)
        return "built for another architecture (ELF machine " + std::to_string(header.e_machine) +
               ", this process is " + std::to_string(own.e_machine) + ")";
    if (header.e_type != ET_DYN)
        return "not a shared object (ELF type " + std::to_string(header.e_type) + ")";
    if (header.e_phentsize != sizeof(Segment) || header.e_phnum == 0)
        return "its ELF header is damaged";
    return {};
}

bool inside(uint64_t offset, uint64_t length, uint64_t file_size)
{
    return length <= file_size && offset <= file_size - length;
}

std::string segments_problem(const File& file, const Header& header, uint64_t file_size)
{
    std::vector<Segment> segments(header.e_phnum);
    const size_t bytes = segments.size() * sizeof(Segment);
    if (!inside(header.e_phoff, bytes, file_size) ||
        !file.read_exactly(segments.data(), bytes, header.e_phoff))
        return "truncated: its program headers lie beyond the end of the file";
    bool loads = false;
    bool dynamic = false;
    for (const Segment& segment : segments) {
        if (segment.p_type == PT_NULL)
            continue;
        if (!inside(segment.p_offset, segment.p_filesz, file_size))
            return "truncated: the file has " + std::to_string(file_size) + " bytes, a segment ends at " +
                   std::to_string(segment.p_offset + segment.p_filesz);
        loads = loads || segment.p_type == PT_LOAD;
        dynamic = dynamic || segment.p_type == PT_DYNAMIC;
    }
    return loads && dynamic ? std::string() : "its ELF headers are damaged: nothing to load";
}

} // namespace

std::string elf_problem(const std::string& path)
{
    const File file(path);
    if (file.fd() < 0)
        return "cannot open: " + errno_text();
    struct stat status;
    if (fstat(file.fd(), &status) != 0)
        return "cannot look at it: " + errno_text();
    if (!S_ISREG(status.st_mode))
        return S_ISDIR(status.st_mode) ? "a directory, not a plugin" : "not a regular file";

    const auto file_size = static_cast<uint64_t>(status.st_size);
    Header header{};
    const bool magic =
        file.read_exactly(&header, SELFMAG, 0) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    if (!magic)
        return file_size == 0 ? "an empty file" : "not an ELF file";
    if (!file.read_exactly(header.e_ident, EI_NIDENT, 0))
        return "truncated within its ELF header";
    // A 32-bit header is shorter than ours; its class is known by now and refuses it before the rest would be
    // missed.
    file.read_exactly(&header, sizeof header, 0);
    if (std::string problem = header_problem(header); !problem.empty())
        return file_size < sizeof header && header.e_ident[EI_CLASS] == own_header().e_ident[EI_CLASS]
                   ? "truncated within its ELF header"
                   : problem;
    return segments_problem(file, header, file_size);
}

} // namespace fi::core::loader
