#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The table of sleeping: how late timeouts end, and how soon a sleeper hears a message.

usage: sleeping.py PROGRAM
"""
import os
import subprocess
import sys

print(f"{'wait object':>12}{'path':>6}{'timeout late, us: least':>26}{'median':>8}{'most':>8}{'message heard, us: median':>28}{'99th':>8}")
for wait in ("unspec", "fd", "yield"):
    for path, shm in (("shm", "1"), ("TCP", "0")):
        run = subprocess.run([sys.argv[1], wait], capture_output=True, text=True, timeout=300, check=False,
                             stdin=subprocess.DEVNULL, env=os.environ | {"FI_SOFT_SHM": shm})
        if run.returncode:
            sys.exit(f"{wait}, {path}: {run.stderr}")
        least, median, most, heard, heard_late = run.stdout.split()
        print(f"{wait:>12}{path:>6}{least:>26}{median:>8}{most:>8}{heard:>28}{heard_late:>8}", flush=True)
