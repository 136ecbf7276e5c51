#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A direct header can only answer a call that is written once, behind the dispatch macro: so no header outside
rdma/inline/ may call through a table, and inside only dispatch.h spells such a call out.

usage: call_sites_test.py INCLUDE_DIR
"""
import pathlib
import re
import sys

from tap import Report

CALL = re.compile(r"(?:->|\.)\s*[A-Za-z_]\w*\s*\)?\s*\(")


def without_comments(text):
    """Comments become blank lines, so that line numbers stay."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


def calls(header):
    lines = without_comments(header.read_text()).splitlines()
    return [f"{header}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if CALL.search(line)]


def main():
    rdma = pathlib.Path(sys.argv[1]) / "rdma"
    report = Report()
    for header in sorted(rdma.rglob("*.h")):
        name = header.relative_to(rdma)
        # dispatch.h is where the macro is; direct headers ARE the other answer, called back from it.
        if str(name) == "inline/dispatch.h" or "direct" in name.parts:
            continue
        report.case(f"{name} calls through no table by itself", "\n".join(calls(header)))
    inline = "".join(path.read_text() for path in (rdma / "inline").glob("*.h"))
    report.case("the inline headers use the dispatch macro", "" if inline.count("FI_CALL(") > 100 else "hardly any FI_CALL")
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
