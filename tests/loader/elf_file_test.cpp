// SPDX-License-Identifier: BSD-2-Clause
// Files that the dynamic linker must not see, or refuses itself: rules L21 to L25 of docs/loader.md.
#include <cstring>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bad_plugin.hpp"

using namespace fi::fakes;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(BadPlugin, L21_ADirectoryWithAPluginsName)
{
    plugins.add_directory(kBad);
    expect_refused(testing::Eq("a directory, not a plugin"));
}

TEST_F(BadPlugin, L21_AFifoDoesNotBlock)
{
    ASSERT_EQ(mkfifo((plugins / kBad).c_str(), 0600), 0);
    expect_refused(testing::Eq("not a regular file"));
}

TEST_F(BadPlugin, L21_ADanglingLink)
{
    ASSERT_EQ(symlink("nowhere", (plugins / kBad).c_str()), 0);
    expect_refused(testing::Eq("cannot open: No such file or directory"));
}

TEST_F(BadPlugin, L22_B12_ATextFile)
{
    plugins.add_file(kBad, "/* GNU ld script */ INPUT(libfabric.so)\n");
    expect_refused(testing::Eq("not an ELF file"));
}

TEST_F(BadPlugin, L22_AnEmptyFile)
{
    plugins.add_file(kBad, "");
    expect_refused(testing::Eq("an empty file"));
}

TEST_F(BadPlugin, L23_AnotherArchitecture)
{
    const Elf64_Half s390 = EM_S390;
    plugins.add_file(
        kBad, patched(offsetof(Elf64_Ehdr, e_machine), {reinterpret_cast<const char*>(&s390), sizeof s390}));
    expect_refused(HasSubstr("another architecture (ELF machine 22"));
}

TEST_F(BadPlugin, L23_B12_A32BitObject)
{
    plugins.add_file(kBad, patched(EI_CLASS, std::string_view("\1", 1)));
    expect_refused(testing::Eq("built for a 32-bit process"));
}

TEST_F(BadPlugin, L23_TheOtherByteOrder)
{
    plugins.add_file(
        kBad, patched(EI_DATA, std::string_view(fake_bytes()[EI_DATA] == ELFDATA2LSB ? "\2" : "\1", 1)));
    expect_refused(testing::Eq("built for the other byte order"));
}

TEST_F(BadPlugin, L24_TruncatedWithinItsCode)
{
    plugins.add_file(kBad, fake_bytes(8192));
    expect_refused(StartsWith("truncated: the file has 8192 bytes"));
}

TEST_F(BadPlugin, L24_TruncatedWithinItsHeaders)
{
    plugins.add_file(kBad, fake_bytes(40));
    expect_refused(testing::Eq("truncated within its ELF header"));
}

TEST_F(BadPlugin, L24_TruncatedWithinItsProgramHeaders)
{
    plugins.add_file(kBad, fake_bytes(sizeof(Elf64_Ehdr) + 10));
    expect_refused(testing::Eq("truncated: its program headers lie beyond the end of the file"));
}

// Every length up to the whole file: whatever passes the look at the headers must be loadable without a
// signal.
TEST_F(BadPlugin, L24_NoLengthOfACutFileEndsTheProcess)
{
    const size_t whole = fake_bytes().size();
    for (size_t length = 0; length < whole; length += whole / 40 + 1) {
        const PluginDirectory cut;
        cut.add_file(kBad, fake_bytes(length));
        const Outcome outcome = probe_path(cut.path());
        EXPECT_EQ(outcome.exit_code, 0) << length << " bytes: signal " << outcome.signal;
    }
}

TEST_F(BadPlugin, L24_SegmentOffsetsThatOverflowAreCaught)
{
    Elf64_Ehdr header;
    std::string bytes = fake_bytes();
    std::memcpy(&header, bytes.data(), sizeof header);
    const Elf64_Off huge = ~Elf64_Off{0} - 16;
    std::memcpy(bytes.data() + header.e_phoff + offsetof(Elf64_Phdr, p_offset), &huge, sizeof huge);
    plugins.add_file(kBad, bytes);
    expect_refused(StartsWith("truncated: "));
}

TEST_F(BadPlugin, L25_AnObjectFileIsNotASharedObject)
{
    const Elf64_Half relocatable = ET_REL;
    plugins.add_file(kBad,
                     patched(offsetof(Elf64_Ehdr, e_type), {reinterpret_cast<const char*>(&relocatable), 2}));
    expect_refused(testing::Eq("not a shared object (ELF type 1)"));
}

TEST_F(BadPlugin, L25_AnExecutableIsRefusedByTheLinker)
{
    plugins.add_copy(kBad, FI_REGISTRY_PROBE);
    expect_refused(StartsWith("dlopen: "));
}
