#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts the user instructions of the hot calls with callgrind: two runs of different length, subtracted.

usage: instructions.py TABLE_PROGRAM GUARDED_PROGRAM
"""
import re
import subprocess
import sys
import tempfile


def instructions(program, call, count):
    """User instructions of the whole run, of the parent process only."""
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/out.%p", program, call, str(count)],
            capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    if run.returncode:
        sys.exit(f"{program} {call} {count}: {run.stderr}")
    # The parent ends last, so its total is the last one printed.
    return int(re.findall(r"Collected : (\d+)", run.stderr)[-1])


short, long = 6400, 64000
print(f"{'user instructions per call':40}{'table':>10}{'guarded':>10}")
for call, title in (("read", "empty fi_cq_read"), ("inject", "8-byte fi_tinject, bursts of 64")):
    counts = [(instructions(p, call, long) - instructions(p, call, short)) / (long - short) for p in sys.argv[1:3]]
    print(f"{title:40}{counts[0]:10.1f}{counts[1]:10.1f}")
