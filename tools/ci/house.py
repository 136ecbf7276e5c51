#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The rules that keep the house one, as far as a program can see them:

- includes point down: the core never includes the kit, the kit never the core, no provider another, and public headers
  only public headers;
- every C-family source starts with the licence line;
- nothing is marked unfinished;
- a rule whose number a test or a check carries in its name is in docs/rules.md.

Exits 1 and names file and line of every breach.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {".c", ".cpp", ".h", ".hpp"}
CORE_PARTS = "api|discovery|loader|log|param|text"
LICENCE = "SPDX-License-Identifier: BSD-2-Clause"
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|not implemented yet")

TEST_NAME = re.compile(r"^(?:TEST\w*\(\w+, |CHECK\w*\()((?:[BCD]\d+_)+)")
LISTED_RULE = re.compile(r"^- \*\*([BCD]\d+)\*\*", re.M)

# (files, forbidden include, why)
ARROWS = [
    (rf"libfabric-core/({CORE_PARTS})/", r'"(\.\./)*kit/', "the core does not know the kit"),
    (r"libfabric-core/kit/", rf'"(\.\./)*({CORE_PARTS})/', "the kit does not know the core"),
    (r"providers/", rf'"(\.\./)*(libfabric-core/)?({CORE_PARTS})/', "a provider does not know the core"),
    (r"include/", r'"|<(?!rdma/)(.*/)?(fi_|ofi)|<(api|kit|loader|text)/', "a public header includes only public headers"),
]


def sources():
    for top in ("include", "libfabric-core", "providers", "tools", "tests"):
        yield from (p for p in sorted((ROOT / top).rglob("*")) if p.suffix in SOURCES and p.is_file())


def breaches(path, rules):
    name = str(path.relative_to(ROOT))
    lines = path.read_text().splitlines()
    if not lines or LICENCE not in lines[0]:
        yield f"{name}:1: the first line is not the licence line"
    arrows = [(re.compile(target), why) for files, target, why in ARROWS if re.match(files, name)]
    provider = re.match(r"providers/(\w+)/", name)
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield f"{name}:{number}: marked unfinished: {line.strip()}"
        test = TEST_NAME.match(line)
        for rule in test.group(1).strip("_").split("_") if test else ():
            if rule not in rules:
                yield f"{name}:{number}: docs/rules.md does not list {rule}"
        include = re.match(r"\s*#\s*include\s*(.*)", line)
        if not include:
            continue
        for target, why in arrows:
            if target.match(include.group(1)):
                yield f"{name}:{number}: {why}: {line.strip()}"
        other = re.search(r"providers/(\w+)/", include.group(1))
        if provider and other and "rdma/" not in include.group(1) and other.group(1) != provider.group(1):
            yield f"{name}:{number}: a provider does not know another: {line.strip()}"


def main():
    rules = set(LISTED_RULE.findall((ROOT / "docs" / "rules.md").read_text()))
    found = [breach for path in sources() for breach in breaches(path, rules)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
