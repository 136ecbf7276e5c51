#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fi_strerror: what it prints and the status it leaves, for numbers and for what is none.

usage: strerror_test.py FI_STRERROR
"""
import errno
import os
import subprocess
import sys

from tap import Report

PROGRAM = sys.argv[1]
USAGE = f"Usage: {PROGRAM} FI_ERROR_CODE\n\n"


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=30, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})


def differs(done, want, status):
    return "" if (done.stdout, done.stderr, done.returncode) == (want, "", status) else f"wanted {want!r}\n{done}"


def is_usage(done, status, first=""):
    good = done.stdout.startswith(first + USAGE) and done.stdout.count("\n") == first.count("\n") + 5
    return "" if good and done.returncode == status and not done.stderr else f"{done}"


def main():
    report = Report()
    for number, text in (("0", "Success"), ("61", os.strerror(errno.ENODATA)), ("-61", os.strerror(errno.ENODATA)),
                         ("0x3d", os.strerror(errno.ENODATA)), ("075", os.strerror(errno.ENODATA)),
                         ("+5", os.strerror(errno.EIO)), ("256", "Unspecified error"), ("99999", "Unspecified error")):
        report.case(f"prints the text of {number}", differs(run(number), text + "\n", 0))
    known = {run(str(code)).stdout for code in range(257, 272)}
    report.case("has a text of its own for each of the library's codes",
                "" if len(known) == 15 and "Unspecified error\n" not in known else f"{known}")
    report.case("-h prints usage and is no error", is_usage(run("-h"), 0))
    report.case("no argument is an error", is_usage(run(), 1))
    report.case("two arguments are an error", is_usage(run("1", "2"), 1))
    for text in ("", "five", "5x", "--help", "0x", "1.5"):
        report.case(f"'{text}' is no number", is_usage(run(text), 1, f"ERROR: unable to parse '{text}'\n\n"))
    for text in ("2147483648", "-2147483648", "99999999999999999999"):
        report.case(f"{text} is out of range", is_usage(run(text), 1, f"ERROR: '{text}' is out of range\n\n"))
    full = subprocess.run(f"{PROGRAM} 5 > /dev/full", shell=True, check=False, stderr=subprocess.DEVNULL)
    report.case("output that cannot be written is an error", "" if full.returncode else f"{full}")
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
