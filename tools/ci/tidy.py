#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs clang-tidy over our own translation units, each only when it or something that it includes has changed.

usage: tidy.py BUILD_DIR

BUILD_DIR was configured with clang and is built: its compile_commands.json says how, ninja's dependency log what each
unit includes. A unit that passed is remembered by a digest of all that, so that the second run is quick. The whole run
has a time limit: what is not looked at by then counts as a complaint, not as passed.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = ("libfabric-core/", "providers/", "tools/")
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


def units(build):
    """(source, digest) of each translation unit of ours, once."""
    included = dependencies(build)
    seen = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = (build / entry["file"]).resolve()
        name = str(source.relative_to(ROOT)) if source.is_relative_to(ROOT) else ""
        if not name.startswith(TOPS) or source.suffix != ".cpp" or source in seen:
            continue
        seen.add(source)
        digest = hashlib.sha256(entry["command"].encode() + (ROOT / ".clang-tidy").read_bytes())
        for path in [str(source), *sorted(included.get(entry["output"], []))]:
            digest.update((build / path).read_bytes())
        yield name, digest.hexdigest()


def tidy(build, name, deadline):
    left = deadline - time.monotonic()
    if left <= 0:
        return name, "not looked at: the time limit was reached"
    command = ["clang-tidy", "--quiet", "-p", str(build), str(ROOT / name)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=left)
    except subprocess.TimeoutExpired:
        return name, "stopped: the time limit was reached"
    return name, "" if done.returncode == 0 else done.stdout + done.stderr


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    record = build / "tidy.json"
    clean = json.loads(record.read_text()) if record.exists() else {}
    wanted = dict(units(build))
    if not wanted:
        print("no translation unit found")
        return 1
    stale = [name for name, digest in wanted.items() if clean.get(name) != digest]
    print(f"{len(wanted)} units, {len(stale)} to look at")
    deadline = time.monotonic() + LIMIT_SECONDS
    complaints = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, complaint in pool.map(lambda n: tidy(build, n, deadline), stale):
            clean[name] = "" if complaint else wanted[name]
            print(f"{name}: {'complaints, see below' if complaint else 'clean'}", flush=True)
            if complaint:
                complaints.append(f"{name}:\n{complaint}")
    record.write_text(json.dumps({name: clean[name] for name in wanted}))
    print("\n".join(complaints))
    print(f"{len(complaints)} of {len(wanted)} units with complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
