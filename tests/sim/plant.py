# SPDX-License-Identifier: BSD-2-Clause
"""Plants a fault: copies a header with one piece of its text replaced.

The simulator has to be able to tell a right engine from a wrong one. A fault that is written into a copy needs no hook
in the engine itself, and when the engine no longer has the line that it changes, the build says so.

usage: plant.py HEADER COPY STAMP TEXT REPLACEMENT
"""
import pathlib
import sys

header, copy, stamp, text, replacement = sys.argv[1:]
source = pathlib.Path(header).read_text(encoding="utf-8")
if source.count(text) != 1:
    sys.exit(f"{header}: instead of once, this is there {source.count(text)} times: {text}")
target = pathlib.Path(copy)
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text(source.replace(text, replacement), encoding="utf-8")
pathlib.Path(stamp).write_text("", encoding="utf-8")
