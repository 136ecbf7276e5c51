#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes docs/behaviour.md, or checks it: which test holds which public bug report (B...), over which path, and how it ended.

usage: behaviour.py BUILD_DIR [--write]

Reads what `meson test` left in BUILD_DIR: any case whose name holds Bnn is a test of that entry. The titles are those of
docs/rules.md; an entry without a test needs its sentence in tests/behaviour.tsv. The check fails when a row is missing, is too many
or names another path, when an entry has neither test nor sentence, and when a test of the table did not pass.
"""
import collections
import difflib
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

from count_tests import cases_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/behaviour.md"
REPORTS = re.compile(r"^(?:(?:lf )?(?:PR )?#\d+(?: \([^)]*\))?(?:, | / |/| ))+")
ENTRY = re.compile(r"B(\d\d)(?!\d)")

HEAD = """# Behaviours

Public bug reports of other implementations, as behaviours to get right: which tests of this project hold each, over which path, and
how they ended in the last full run. Made by `tools/ci/behaviour.py BUILD_DIR --write` from the results of `meson test`; `./check` sees
to it that it is true. Numbers are those of [rules.md](rules.md).

| entry | test | path | result |
|--|--|--|--|
"""


def titles():
    found = re.findall(r"- \*\*B(\d\d)\*\* (.*)", (ROOT / "docs/rules.md").read_text())
    return {number: REPORTS.sub("", title).rstrip(".") for number, title in found}


def absent():
    rows = (line.split("\t") for line in (ROOT / "tests/behaviour.tsv").read_text().splitlines() if line and line[0] == "B")
    return {number[1:]: (title, sentence) for number, title, sentence in rows}


def paths_of(build):
    """How each test program reaches its peers, from the environment that meson gives it."""
    paths = {}
    for test in json.loads((build / "meson-info/intro-tests.json").read_text()):
        shared_memory = test["env"].get("FI_SOFT_SHM")
        between_hosts = "FI_SOFT_PEER_TIMEOUT" in test["env"]
        paths[test["name"]] = {"0": "TCP", "1": "shared memory"}.get(shared_memory, "TCP between hosts" if between_hosts else "")
    return paths


def rows_of(build):
    """(entry, test) -> {path: outcome}"""
    logs = build / "meson-logs"
    runs = [json.loads(line) for line in (logs / "testlog.json").read_text().splitlines()]
    suites = [(s.get("name"), s) for s in ET.parse(logs / "testlog.junit.xml").getroot()]
    paths, rows = paths_of(build), collections.defaultdict(dict)
    for run in runs:
        program = run["name"].split(" / ")[-1]
        for case in cases_of(run, suites, build):
            name = re.sub(r"/[^/ ]*$", "", case.name.split(": ", 1)[1])  # without a test's parameter
            name = re.sub(r"^\d+ - ", "", re.sub(r"^[^ ./]*/", "", name))
            for entry in ENTRY.findall(name):
                outcomes = rows[entry, f"{re.sub('-(shm|tcp)(?=-|$)', '', program)}: {name}"]
                path = paths.get(program, "")
                outcomes[path] = max(outcomes.get(path, ""), {"passed": "passed"}.get(case.outcome, case.outcome.upper()))
    return rows


def lines(rows):
    names, without = titles(), absent()
    for entry in sorted({entry for entry, _ in rows} | set(without) | set(names)):
        title = names.get(entry) or without.get(entry, ("",))[0]
        tests = sorted(test for number, test in rows if number == entry)
        if not tests and entry in without:
            yield f"| B{entry} {title} | {without[entry][1]} | | |"
        elif not tests or not title:
            yield f"| B{entry} {title} | MISSING: no test, and no sentence in tests/behaviour.tsv | | |"
        for first, test in zip([f"B{entry} {title}"] + [""] * len(tests), tests):
            outcomes = rows[entry, test]
            results = " / ".join(sorted(set(outcomes.values())))
            yield f"| {first} | {test.replace('|', '/')} | {', '.join(sorted(filter(None, outcomes)))} | {results} |"


def main():
    build = pathlib.Path(sys.argv[1])
    text = HEAD + "\n".join(lines(rows_of(build))) + "\n"
    if "--write" in sys.argv:
        TABLE.write_text(text)
        return 0
    # What a machine cannot run is skipped there, and allowed or not by tests/skips.txt.
    now = text.replace("SKIPPED / passed", "passed").replace("| SKIPPED |", "| passed |")
    if "MISSING" not in now and "FAILED" not in now and now == TABLE.read_text():
        return 0
    print("docs/behaviour.md is not what the tests say (tools/ci/behaviour.py BUILD_DIR --write):")
    print("\n".join(difflib.unified_diff(TABLE.read_text().splitlines(), now.splitlines(), "docs/behaviour.md", "the tests", n=0,
                                         lineterm="")))
    return 1


if __name__ == "__main__":
    sys.exit(main())
