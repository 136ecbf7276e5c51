#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts the user instructions of the hot calls with callgrind, over each path and with and without locks.

usage: instructions.py TABLE_PROGRAM GUARDED_PROGRAM
"""
import os
import re
import subprocess
import sys
import tempfile

ROUNDS = 500
CALLS = (
    ("read", "empty fi_cq_read"),
    ("inject", "fi_tinject of 8 bytes"),
    ("send", "fi_tsend of 8 bytes and its completion"),
    ("receive", "fi_trecv, matched, and its completion"),
)
WAYS = (("shm", {}), ("tcp", {"FI_SOFT_SHM": "0"}))


def instructions(program, call, settings, empty_read=0.0):
    """User instructions of one call, without the empty reads that it had to wait for."""
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=measured_*",
             f"--callgrind-out-file={scratch}/out", program, call, str(ROUNDS)],
            capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL, env={**os.environ, **settings})
    if run.returncode:
        sys.exit(f"{program} {call}: {run.stderr}{run.stdout}")
    calls, empty = map(int, run.stdout.split())
    return (int(re.search(r"Collected : (\d+)", run.stderr).group(1)) - empty * empty_read) / calls


table, guarded = sys.argv[1:3]
print(f"{'user instructions per call':50}{'table':>10}{'guarded':>10}{'SAFE':>10}{'SAFE/table':>12}")
for path, settings in WAYS:
    empty = {}
    for call, title in CALLS:
        counts = []
        for program, more in ((table, {}), (guarded, {}), (table, {"FI_THREAD_SAFE": "1"})):
            key = (program, len(more))
            counts.append(instructions(program, call, {**settings, **more}, empty.get(key, 0.0)))
            if call == "read":
                empty[key] = counts[-1]
        print(f"{path + ': ' + title:50}" + "".join(f"{count:10.1f}" for count in counts) +
              f"{counts[2] / counts[0]:12.2f}", flush=True)
