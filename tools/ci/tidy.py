#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs clang-tidy over our own sources, each only when it or something that it includes has changed.

usage: tidy.py BUILD_DIR

BUILD_DIR was configured with clang and is built: its compile_commands.json says how, ninja's dependency log what each
source includes. Most of the time goes into headers, above all those of others, which clang-tidy reads and searches
anew for every translation unit. So up to BATCH sources that are compiled alike are written into one unit, one behind
the other (not included: in what is included, the analyzer follows no paths), and looked at together. Sources that
cannot be compiled together, say because both have a helper of the same name, are looked at one by one.

A batch that passed is remembered by a digest of all that it is made from, so that the second run is quick. The whole
run has a time limit: what is not looked at by then counts as a complaint, not as passed.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = ("libfabric-core/", "providers/", "tools/")
# The checks are tests, which run under sanitizers; where they are registered, what GoogleTest keeps is taken for a leak.
LEFT_OUT = ("tools/conform/checks/", "tools/conform/check.cpp")
BATCH = 10
LIMIT_SECONDS = 15 * 60


def dependencies(build):
    """Object file -> files that it was made from, as ninja recorded them."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    table, current = {}, None
    for line in text.splitlines():
        if line.startswith("    "):
            current.append(line.strip())
        elif ":" in line:
            current = table.setdefault(line.split(":")[0], [])
    return table


def flags_of(entry):
    """The command of a compilation without what is of one source only: its name and the files made from it."""
    words = iter(shlex.split(entry["command"]))
    kept = []
    for word in words:
        if word in ("-o", "-MF", "-MQ", "-c"):
            next(words)
        elif word not in ("-MD", "ccache"):
            kept.append(word)
    return tuple(kept)


def digest_of(build, flags, entries, included):
    digest = hashlib.sha256("\0".join(flags).encode() + (ROOT / ".clang-tidy").read_bytes())
    for entry in entries:
        for path in [entry["file"], *sorted(included.get(entry["output"], []))]:
            digest.update((build / path).read_bytes())
    return digest.hexdigest()


def join(sources):
    """Text of a unit that consists of these sources, line by line."""

    def found(match):
        path = source.parent / match[2]
        return f'{match[1]}"{path}"' if path.exists() else match[0]

    text = ""
    for source in sources:
        text += re.sub(r'^(\s*#\s*include\s+)"([^"]+)"', found, source.read_text().rstrip("\n"), flags=re.MULTILINE)
        text += "\n"
    return text


def named(complaint, unit, sources):
    """The complaint with the places where the sources have it."""

    def place(match):
        line = int(match[1])
        for source in sources:
            count = len(source.read_text().rstrip("\n").split("\n"))
            if line <= count:
                return f"{source}:{line}:"
            line -= count
        return match[0]

    return re.sub(re.escape(str(unit)) + r":(\d+):", place, complaint)


def batches(build):
    """Unit -> (sources, digest), for at most BATCH sources of ours each; writes the units."""
    groups, seen = {}, set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = (build / entry["file"]).resolve()
        name = str(source.relative_to(ROOT)) if source.is_relative_to(ROOT) else ""
        ours = name.startswith(TOPS) and not name.startswith(LEFT_OUT)
        if ours and source.suffix == ".cpp" and source not in seen:
            seen.add(source)
            groups.setdefault(flags_of(entry), []).append(entry)
    included = dependencies(build)
    place = build / "tidy"
    place.mkdir(exist_ok=True)
    found, commands = {}, []
    for flags, entries in groups.items():
        for first in range(0, len(entries), BATCH):
            part = entries[first : first + BATCH]
            sources = [(build / entry["file"]).resolve() for entry in part]
            unit = place / f"{len(found):02}.cpp"
            unit.write_text(join(sources))
            commands.append({"directory": str(build), "file": str(unit), "arguments": [*flags, "-c", str(unit)]})
            found[unit] = sources, digest_of(build, flags, part, included)
    (place / "compile_commands.json").write_text(json.dumps(commands))
    return found


def clang_tidy(commands, file, deadline):
    """What it has to complain about, or nothing."""
    left = deadline - time.monotonic()
    if left <= 0:
        return "not looked at: the time limit was reached"
    command = ["clang-tidy", "--quiet", f"--config-file={ROOT / '.clang-tidy'}", "-p", commands, file]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=left)
    except subprocess.TimeoutExpired:
        return "stopped: the time limit was reached"
    return "" if done.returncode == 0 else done.stdout + done.stderr


def look_at(build, unit, sources, deadline):
    complaint = clang_tidy(build / "tidy", unit, deadline)
    if "clang-diagnostic-error" in complaint:
        # Each in a process of its own: the va_list checker of version 14 takes what it knows of one into the next.
        return "".join(clang_tidy(build, source, deadline) for source in sources)
    return named(complaint, unit, sources)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    record = build / "tidy.json"
    clean = set(json.loads(record.read_text())) if record.exists() else set()
    wanted = batches(build)
    if not wanted:
        print("no source found")
        return 1
    stale = [unit for unit, (_, digest) in wanted.items() if digest not in clean]
    count = sum(len(sources) for sources, _ in wanted.values())
    print(f"{count} sources in {len(wanted)} batches, {len(stale)} to look at")
    deadline = time.monotonic() + LIMIT_SECONDS
    complaints = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for unit, complaint in zip(stale, pool.map(lambda u: look_at(build, u, wanted[u][0], deadline), stale)):
            sources, digest = wanted[unit]
            names = " ".join(os.path.relpath(source, ROOT) for source in sources)
            print(f"{names}: {'complaints, see below' if complaint else 'clean'}", flush=True)
            if complaint:
                complaints.append(f"{names}:\n{complaint}")
            else:
                clean.add(digest)
    record.write_text(json.dumps(sorted(clean & {digest for _, digest in wanted.values()})))
    print("\n".join(complaints))
    print(f"{len(complaints)} of {len(wanted)} batches with complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
