#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turns the list of rules in docs/rules.md into initialisers for rules.cpp.

usage: rules.py RULES.md OUTPUT
"""
import json
import re
import sys

RULE = re.compile(r"- \*\*([BCD]\d+)\*\* (.*)")


def main():
    with open(sys.argv[1], encoding="utf-8") as source:
        rules = [found.groups() for found in map(RULE.match, source) if found]
    if not rules:
        sys.exit(f"{sys.argv[1]} lists no rule")
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        for number, text in rules:
            output.write(f"{{{json.dumps(number)}, {json.dumps(text, ensure_ascii=False)}}},\n")


if __name__ == "__main__":
    main()
