#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""B04: every option of fi_info together with every other one, in both orders, against a model of what the two mean.
The options used to clash in the tool that this one replaces: a filter without effect, a name freed twice.

usage: info_pairs_test.py FI_INFO FAKE_PLUGIN
"""
import concurrent.futures
import itertools
import json
import re
import subprocess
import sys

from plugins import Plugins
from tap import Report

PROGRAM, FAKE = sys.argv[1:3]

# (provider, endpoint type, domain, fabric) in the library's order.
ENTRIES = [("beta", "FI_EP_RDM", "d0", "f0"), ("alpha", "FI_EP_RDM", "d0", "f0"), ("alpha", "FI_EP_MSG", "d1", "f1")]
PROVIDERS = ["beta", "alpha"]

OPTIONS = {
    "-s": ["127.0.0.1"], "-n": ["localhost"], "-P": ["7471"], "-c": ["FI_MSG"], "-m": ["FI_CONTEXT"], "-t": ["FI_EP_RDM"],
    "-d": ["d1"], "-f": ["f0"], "-a": ["FI_SOCKADDR"], "-p": ["alpha"], "-e": [], "-g": ["log_prov"], "-i": ["ep_msg"],
    "-l": [], "-v": [], "--json": [], "--why": [],
}


def filtered(given):
    """The entries that the query yields."""
    for name, kind, domain, fabric in ENTRIES:
        if "-t" in given and kind != "FI_EP_RDM" or "-d" in given and domain != "d1":
            continue
        if "-f" in given and fabric != "f0" or "-p" in given and name != "alpha":
            continue
        yield name, kind, domain, fabric


def view(given):
    if "--why" in given:
        return "reasons"
    if "-e" in given or "-g" in given:
        return "parameters"
    if "-l" in given and "-v" in given and "-i" not in given:
        return "plugins"
    if "-v" in given or "-i" in given:
        return "full"
    return "providers" if "-l" in given else "short"


def read_text(kind, text):
    """The answer's essence: a list of tuples or names, from the text forms."""
    if kind == "short":
        assert len(text.splitlines()) % 6 == 0, "not six lines an entry"
        return [tuple(row) for row in re.findall(
            r"provider: (.+)\n    fabric: (.+)\n    domain: (.+)\n    version: \d+\.\d+\n    type: (.+)\n    protocol: .+\n", text)]
    if kind == "full":
        return re.findall(r"---\nfi_info:\n(?:.*\n)*?    fi_fabric_attr:\n.*\n        prov_name: (.+)\n", text)
    if kind == "parameters":
        return re.findall(r"^# (FI_\w+): ", text, re.M)
    if kind in ("plugins", "providers"):
        return re.findall(r"^(\w+):$", text, re.M)
    return re.findall(r"^(\w+):$", text, re.M)


def read_json(kind, text):
    document = json.loads(text)
    if kind == "short":
        return [(i["fabric_attr"]["prov_name"], i["fabric_attr"]["name"], i["domain_attr"]["name"], i["ep_attr"]["type"])
                for i in document["infos"]]
    if kind == "full":
        return [i["fabric_attr"]["prov_name"] for i in document["infos"]]
    if kind == "parameters":
        return [p["name"] for p in document["parameters"]]
    if kind == "plugins":
        return [p["provider"] for p in document["plugins"]]
    if kind == "providers":
        return [p["name"] for p in document["providers"]]
    return [r["provider"] for r in document["reasons"]]


def expected(kind, given):
    attributes_only = "-l" in given and "-s" not in given
    entries = list(filtered(given))
    if kind == "plugins":
        return sorted(PROVIDERS)
    if kind == "providers":
        return PROVIDERS if attributes_only else [name for name, *_ in entries]
    if kind == "full":
        if attributes_only:
            return [] if "-i" in given else PROVIDERS
        return [name for name, ep, *_ in entries if "-i" not in given or ep == "FI_EP_MSG"]
    return [(name, fabric, domain, ep) for name, ep, domain, fabric in entries]


def complaint(plugins, pair):
    arguments = list(itertools.chain.from_iterable([option, *OPTIONS[option]] for option in pair))
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL, env=plugins.environment())
    given, kind = set(pair), view(pair)
    attributes_only = "-l" in given and "-s" not in given
    found = attributes_only or list(filtered(given))
    if done.returncode != (0 if found else 61):
        return f"{arguments}: {done}"
    if (done.stderr != "") == bool(found):
        return f"{arguments}: stderr {done.stderr!r}"
    if re.search(r": *$", re.sub(r"^[\w-]+:$|^ +fi_\w+:$", "", done.stdout, flags=re.M), re.M) and "--json" not in given:
        return f"{arguments}: an empty field\n{done.stdout}"
    if not found and "--json" not in given:
        return ""
    got = (read_json if "--json" in given else read_text)(kind, done.stdout)
    if kind == "parameters":
        good = (got == [] if "-p" in given else got == ["FI_LOG_PROV"] if "-g" in given else len(got) > 10)
    elif kind == "reasons":
        good = set(got) <= set(PROVIDERS)
    else:
        good = (sorted(got) if kind == "plugins" else got) == expected(kind, given)
    return "" if good else f"{arguments}: got {got}\n{done.stdout}"


def main():
    report = Report()
    with Plugins(FAKE) as plugins, concurrent.futures.ThreadPoolExecutor(2) as pool:
        plugins.add("alpha", "version=3.1", "fi_version=2.6", "info=ep:rdm,domain:d0,fabric:f0,caps:0xa",
                    "info=ep:msg,domain:d1,fabric:f1,caps:0xa")
        plugins.add("beta", "version=1.0", "fi_version=2.6", "info=ep:rdm,domain:d0,fabric:f0,caps:0xa")
        for first in OPTIONS:
            complaints = pool.map(lambda second, one=first: complaint(plugins, (one, second)), OPTIONS)
            report.case(f"fi_info {first} with every option", "\n".join(filter(None, complaints)))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
