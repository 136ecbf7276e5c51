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


def languages(header):
    # The direct headers are inline data paths and need the C11 atomics.
    c_standard = "c11" if "direct" in header.parts else "c99"
    return {"c": c_standard, "c++": "c++11"}


def jobs(include, abi_check):
    """Yields (case name, command, source text)."""
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    for header in sorted(include.rglob("*.h")):
        name = header.relative_to(include)
        for language, standard in languages(name).items():
            # Twice: an include guard that does not guard shows here.
            text = f"#include <{name}>\n#include <{name}>\nint a_translation_unit_is_not_empty;\n"
            for compiler in compilers:
                command = [compiler, "-x", language, f"-std={standard}", *STRICT, f"-I{include}", "-"]
                yield f"{name} compiles alone as {standard} with {compiler}", command, text
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
