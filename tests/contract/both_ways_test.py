#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The same program through the tables and with the hot functions inlined prints the same.

usage: both_ways_test.py TABLE_PROGRAM GUARDED_PROGRAM
"""
import subprocess
import sys

from tap import Report

report = Report()
outputs = []
for way, program in zip(("through the tables", "inlined"), sys.argv[1:]):
    run = subprocess.run([program], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    report.case(f"the program runs {way}", run.stderr if run.returncode else "")
    outputs.append(run.stdout.splitlines())
report.case("it prints enough to be worth comparing", "" if len(outputs[0]) > 20 else f"only {len(outputs[0])} lines")
differing = [f"{a!r} / {b!r}" for a, b in zip(*outputs) if a != b]
same = outputs[0] == outputs[1]
report.case("both print the same", "" if same else "\n".join(differing) or "one of them prints less")
sys.exit(report.end())
