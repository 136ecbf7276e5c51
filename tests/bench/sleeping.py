#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The table of sleeping: how late timeouts end, and how soon a sleeper hears a message.

usage: sleeping.py PROGRAM
"""
import os
import subprocess
import sys

print(f"{'wait object':>12}{'path':>9}{'timeout late, us: least':>26}{'median':>8}{'most':>8}{'message heard, us: median':>28}{'99th':>8}")
ROWS = [(wait, path) for wait in ("unspec", "fd", "yield") for path in ("shm", "TCP")] + [("machine", "poll(2)")]
for wait, path in ROWS:
    run = subprocess.run([sys.argv[1], wait], capture_output=True, text=True, timeout=300, check=False,
                         stdin=subprocess.DEVNULL, env=os.environ | {"FI_SOFT_SHM": "0" if path == "TCP" else "1"})
    if run.returncode:
        sys.exit(f"{wait}, {path}: {run.stderr}")
    least, median, most, heard, heard_late = run.stdout.split()
    print(f"{wait:>12}{path:>9}{least:>26}{median:>8}{most:>8}{heard:>28}{heard_late:>8}", flush=True)
