#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What must not compile: each file of must_not_compile/ breaks one rule of the table generator, and the compiler has to
refuse it with the words of its `// EXPECT:` line (alternatives separated by |). control.cpp, which breaks none, compiles.

usage: must_not_compile_test.py FOLDER INCLUDE_DIR...
Every compiler of `g++` and `clang++` that is installed is used.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

from tap import Report

EXPECT = re.compile(r"^// EXPECT: (.+)$", re.M)


def check(job):
    compiler, path, includes = job
    command = [compiler, "-std=gnu++20", "-fsyntax-only", "-DFI_NO_DEPRECATED_WARNINGS", *[f"-I{i}" for i in includes], str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"})
    expected = EXPECT.search(path.read_text())
    if not expected:
        return f"{path.stem} compiles with {compiler}", done.stderr[:4000]
    name = f"{path.stem} does not compile with {compiler}"
    if done.returncode == 0:
        return name, "it does"
    if not any(words in done.stderr for words in expected.group(1).split("|")):
        return name, f"not for the reason '{expected.group(1)}':\n{done.stderr[:4000]}"
    return name, ""


def main():
    folder, includes = pathlib.Path(sys.argv[1]), sys.argv[2:]
    compilers = [c for c in ("g++", "clang++") if shutil.which(c)]
    files = sorted(folder.glob("*.cpp"))
    report = Report()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, complaint in pool.map(check, [(c, f, includes) for c in compilers for f in files]):
            report.case(name, complaint)
    report.case("there is a control", "" if any(f.stem == "control" for f in files) else "no control.cpp")
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
