#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Public headers belong to other people's builds: each must compile first and alone, in the oldest language it promises,
without a warning, and agree with the interface of 2.6 down to the last offset.

usage: headers_test.py INCLUDE_DIR ABI_CHECK_C
Every compiler of `gcc` and `clang` that is installed is used.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

from tap import Report

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]


LANGUAGES = {"c": "c99", "c++": "c++11"}

# A program whose calls are inlined: every direct header that there is, reached as -DFI_GUARDED reaches it.
GUARDED = """
#include <rdma/fi_tagged.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
ssize_t once(struct fid_domain* domain, struct fid_ep* ep, const void* bytes, size_t size);
ssize_t once(struct fid_domain* domain, struct fid_ep* ep, const void* bytes, size_t size)
{
    struct fi_cq_attr attr = {0, 0, FI_CQ_FORMAT_TAGGED, FI_WAIT_NONE, 0, FI_CQ_COND_NONE, NULL};
    struct fi_cq_tagged_entry entry;
    struct fid_cq* cq;
    if (fi_cq_open(domain, &attr, &cq, NULL) || fi_enable(ep))
        return -1;
    return fi_tinject(ep, bytes, size, 0, 1) ? -1 : fi_cq_read(cq, &entry, 1);
}
"""


def headers(include):
    # rdma/hot is a symbolic link, which rglob does not follow.
    return sorted([*include.rglob("*.h"), *(include / "rdma" / "hot").glob("*.h")])


def jobs(include, abi_check):
    """Yields (case name, command, source text)."""
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    for header in headers(include):
        name = header.relative_to(include)
        for language, standard in LANGUAGES.items():
            # Twice: an include guard that does not guard shows here.
            text = f"#include <{name}>\n#include <{name}>\nint a_translation_unit_is_not_empty;\n"
            for compiler in compilers:
                command = [compiler, "-x", language, f"-std={standard}", *STRICT, f"-I{include}", "-"]
                yield f"{name} compiles alone as {standard} with {compiler}", command, text
    for provider in sorted(path.stem for path in (include / "rdma" / "direct").glob("*.h")):
        # rdma/direct/NAME.h is one that programs name; NAME_*.h are its parts, and layout.h belongs to all.
        if "_" in provider or provider == "layout":
            continue
        for language, standard in LANGUAGES.items():
            for compiler in compilers:
                command = [compiler, "-x", language, f"-std={standard}", *STRICT, f"-DFI_GUARDED={provider}", f"-I{include}", "-"]
                yield f"a program with FI_GUARDED={provider} compiles as {standard} with {compiler}", command, GUARDED
    for compiler in compilers:
        base = [compiler, "-std=gnu11", "-w", "-fsyntax-only", f"-I{include}"]
        yield f"the headers agree with the tables of 2.6, {compiler}", [*base, str(abi_check)], None
        typed = [*base, "-DCHECK_CONST_TYPES", str(abi_check)]
        yield f"the constants have the types of 2.6, {compiler}", typed, None


def run(job):
    name, command, text = job
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return name, "" if done.returncode == 0 else f"{' '.join(command)}\n{done.stderr}"[:4000]


def main():
    include, abi_check = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    report = Report()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, complaint in pool.map(run, jobs(include, abi_check)):
            report.case(name, complaint)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
