#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The table of polling costs: what an empty read costs beside silent peers, and how soon one that speaks is heard.

usage: polling.py PROGRAM
"""
import subprocess
import sys

CROWDS = ((1, 0), (16, 0), (64, 0), (1, 16), (16, 16), (64, 16))

print(f"{'local':>6}{'TCP':>6}{'empty read, ns':>18}{'system calls per 1000':>24}{'first message, us: median':>28}{'99th':>8}")
for local, remote in CROWDS:
    run = subprocess.run([sys.argv[1], str(local), str(remote)], capture_output=True, text=True, timeout=300, check=False,
                         stdin=subprocess.DEVNULL)
    if run.returncode:
        sys.exit(f"{local} local, {remote} TCP peers: {run.stderr}")
    nanoseconds, calls, median, late = run.stdout.split()
    print(f"{local:6}{remote:6}{nanoseconds:>18}{calls:>24}{median:>28}{late:>8}", flush=True)
