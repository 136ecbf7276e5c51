#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts the single cases of a meson test run and holds the skipped ones against the list of allowed skips.

usage: count_tests.py BUILD_DIR TITLE

meson counts programs; a program of fifty cases that skips forty looks as good as one that runs them. The cases come
from the junit file that meson merges (GoogleTest and TAP programs), the truth about a program that died from meson's own
log. Prints failed and skipped cases and writes "passed failed skipped" to BUILD_DIR/meson-logs/totals.
"""
import fnmatch
import json
import pathlib
import re
import sys
import textwrap
import xml.etree.ElementTree as ET

PROJECT = "libfabric"
GOOD = {"OK", "EXPECTEDFAIL"}


class Case:
    def __init__(self, name, outcome, detail=""):
        self.name, self.outcome, self.detail = name, outcome, detail.strip()


def last_lines(run, count):
    text = (run.get("stdout") or "") + "\n" + (run.get("stderr") or "")
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join(lines[-count:]) or "no reason given"


def tap_complaint(run, case_name):
    """The comment lines below a failed TAP case, which the junit file leaves out."""
    complaint, inside = [], False
    for line in (run.get("stdout") or "").splitlines():
        if inside and line.startswith("#"):
            complaint.append(line[1:])
        else:
            inside = line.startswith("not ok") and line.endswith(case_name.split(" ", 1)[-1])
    return "\n".join(complaint)


def stuck_processes(run):
    """What the processes of a test that were out of time (tests/faults) were doing: only the log knows."""
    text = (run.get("stdout") or "") + "\n" + (run.get("stderr") or "")
    return "".join(f"\n{line}" for line in text.splitlines() if line.startswith("too long: "))


def everything_said(run, case):
    """What a GoogleTest case and the processes it made printed: the junit file has the case's own failures only."""
    name = re.escape(f"{case.get('classname', '').split('.')[-1]}.{case.get('name')}")
    said = re.search(rf"^\[ RUN      \] {name}\n(.*?)^\[  FAILED  \] {name}", run.get("stdout") or "", re.M | re.S)
    return said and said.group(1)


def junit_case(program, case, run):
    name = f"{program}: {case.get('name')}"
    if case.get("classname") and not case.get("classname").startswith(PROJECT + "."):
        name = f"{program}: {case.get('classname')}.{case.get('name')}"
    explanation = case.findtext("system-out") or ""
    bad = case.find("failure") if case.find("failure") is not None else case.find("error")
    skip = case.find("skipped")
    if bad is not None:
        detail = everything_said(run, case) or bad.get("message") or bad.text or explanation or tap_complaint(run, case.get("name"))
        return Case(name, "failed", detail + stuck_processes(run))
    if skip is not None:
        reason = skip.get("message") or skip.text or explanation or "no reason given"
        return Case(name, "skipped", re.sub(r"^\S+:\d+\n", "", reason))  # GoogleTest puts the place first
    if case.get("status") == "notrun":
        return Case(name, "skipped", "disabled")
    return Case(name, "passed")


def cases_of(run, suites, build):
    key, program = f"{PROJECT}.{run['name']}", run["name"].split(" / ")[-1]
    mine = [s for name, s in suites if name == key or name.startswith(key + ".")]
    cases = [junit_case(program, case, run) for suite in mine for case in suite.iter("testcase")]
    result = run["result"]
    if mine:
        if result not in GOOD | {"SKIP"} and not any(c.outcome == "failed" for c in cases):
            cases.append(Case(f"{program}: (the program)", "failed", f"{result}, status {run['returncode']}\n{last_lines(run, 30)}"))
        return cases
    if result in GOOD and (build / f"{program}.xml").exists():
        return [Case(program, "failed", "ran no case")]
    if result in GOOD:
        return [Case(program, "passed")]
    if result == "SKIP":
        return [Case(program, "skipped", last_lines(run, 1))]
    return [Case(program, "failed", f"{result}, status {run['returncode']}\n{last_lines(run, 30)}")]


def allowed_skips(path):
    """Lines `case pattern | reason pattern`, shell wildcards in both."""
    rows = []
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            case, _, reason = line.partition("|")
            rows.append((case.strip(), reason.strip()))
    return rows


def main():
    build, title = pathlib.Path(sys.argv[1]), sys.argv[2]
    logs = build / "meson-logs"
    runs_file, junit_file = logs / "testlog.json", logs / "testlog.junit.xml"
    if not runs_file.exists() or not junit_file.exists():
        print("    no test ran")
        return 1
    runs = [json.loads(line) for line in runs_file.read_text().splitlines()]
    suites = [(s.get("name"), s) for s in ET.parse(junit_file).getroot() if s.get("name") != PROJECT]
    allowed = allowed_skips(pathlib.Path(__file__).parents[2] / "tests" / "skips.txt")

    passed = failed = skipped = 0
    for case in (case for run in runs for case in cases_of(run, suites, build)):
        if case.outcome == "skipped":
            if any(fnmatch.fnmatch(case.name, n) and fnmatch.fnmatch(case.detail, r) for n, r in allowed):
                skipped += 1
                print(f"    skipped: {case.name}: {' '.join(case.detail.split())}")
                continue
            case.outcome, case.detail = "failed", f"skipped, and tests/skips.txt does not allow it: {case.detail}"
        if case.outcome == "failed":
            failed += 1
            print(f"    failed: {case.name}\n{textwrap.indent(case.detail[:4000], '        | ')}")
        else:
            passed += 1
    print(f"    {title}: {passed} passed, {failed} failed, {skipped} skipped")
    (logs / "totals").write_text(f"{passed} {failed} {skipped}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
