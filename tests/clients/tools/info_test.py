#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fi_info over fake plugins: layouts, exit statuses, filters, JSON, reasons.

usage: info_test.py FI_INFO FAKE_PLUGIN
"""
import json
import subprocess
import sys

from plugins import Plugins
from tap import Report

PROGRAM, FAKE = sys.argv[1:3]
NO_DATA = "fi_getinfo: -61 (No data available)\n"

ALPHA = """provider: alpha
    fabric: f0
    domain: d0
    version: 3.1
    type: FI_EP_RDM
    protocol: FI_PROTO_UNSPEC
provider: alpha
    fabric: f1
    domain: d1
    version: 3.1
    type: FI_EP_MSG
    protocol: FI_PROTO_UNSPEC
"""


def run(plugins, *arguments, **variables):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL, env=plugins.environment(**variables))


def differs(done, out, err="", status=0):
    got = (done.stdout, done.stderr, done.returncode)
    return "" if got == (out, err, status) else f"wanted {(out, err, status)}\ngot    {got}"


def lacks(done, *parts, status=0):
    missing = [part for part in parts if part not in done.stdout]
    return f"lacks {missing}\n{done}" if missing or done.returncode != status else ""


def is_usage(done, err=""):
    lines = done.stdout.splitlines()
    good = lines and lines[0] == f"Usage: {PROGRAM}" and all(line.startswith("  -") for line in lines[1:])
    return "" if good and len(lines) == 20 and done.stderr == err and done.returncode == 1 else f"{done}"


def command_line(report, plugins):
    report.case("-h prints usage on stdout and leaves status 1", is_usage(run(plugins, "-h")))
    report.case("an unknown option is told on stderr, with usage",
                is_usage(run(plugins, "-Z"), f"{PROGRAM}: invalid option -- 'Z'\n"))
    report.case("a missing argument is told on stderr, with usage",
                is_usage(run(plugins, "-p"), f"{PROGRAM}: option requires an argument -- 'p'\n"))
    version = run(plugins, "--version", "-Z")
    report.case("--version acts when it is met", differs(
        version, f"{PROGRAM}: 2.6.0\nlibfabric: 2.6.0\nlibfabric api: 2.6\n"))
    for option, what in (("-c", "capability"), ("-m", "mode"), ("-t", "endpoint type"), ("-a", "address format")):
        report.case(f"{option} refuses a name that it does not know", differs(
            run(plugins, option, "FI_ZORK"), "", f"error: Unrecognized {what}: FI_ZORK\n", 22))
    report.case("-c names the bad one of several", differs(
        run(plugins, "-c", "fi_msg|zork|FI_RMA"), "", "error: Unrecognized capability: zork\n", 22))
    report.case("operands are ignored", differs(run(plugins, "left", "-p", "alpha", "over"), ALPHA))
    report.case("a name is found in any case", differs(
        run(plugins, "-p", "alpha", "-c", "fi_MSG|Fi_tagged", "-t", "fi_ep_rdm"), ALPHA[:ALPHA.index("provider", 9)]))


def layouts(report, plugins):
    report.case("short: six lines for each entry", differs(run(plugins, "-p", "alpha"), ALPHA))
    report.case("-l: every provider with its version, hints ignored", differs(
        run(plugins, "-l", "-p", "alpha"),
        "gamma:\n    version: 1.0\nbeta:\n    version: 1.0\nalpha:\n    version: 3.1\n"))
    full = run(plugins, "-v", "-p", "alpha")
    report.case("-v: a line of dashes and the whole text of each entry", lacks(
        full, "---\nfi_info:\n    caps: [ FI_MSG, FI_TAGGED ]\n", "        prov_version: 3.1\n        api_version: 2.6\n    nic: (nil)\n"))
    report.case("-i: entries whose text contains the words, in any case", differs(
        run(plugins, "-p", "alpha", "-i", "NAME: D1"), full.stdout[full.stdout.index("---", 3):]))
    report.case("-i: no match is no error", differs(run(plugins, "-i", "nothing like it"), ""))
    one = run(plugins, "-g", "log_prov", FI_LOG_PROV="alpha")
    report.case("-g: type, help and value of each variable of that name", (
        "" if one.returncode == 0 and one.stdout.startswith("# FI_LOG_PROV: String\n# ")
        and one.stdout.endswith("\nFI_LOG_PROV=alpha\n\n") and one.stdout.count("\n") == 4 else f"{one}"))
    report.case("-g: a value with a blank is quoted", lacks(
        run(plugins, "-g", "fi_hook", FI_HOOK="a b"), 'FI_HOOK="a b"\n'))
    report.case("-g: no match is no error", differs(run(plugins, "-g", "zork"), ""))
    report.case("-e: all variables", lacks(
        run(plugins, "-e"), "# FI_PROVIDER: String\n", "# FI_UNIVERSE_SIZE: size_t\n",
        "Boolean (0/1, on/off, true/false, yes/no)\n", "# FI_LOG_INTERVAL: Integer\n"))
    report.case("B04: -e -p shows the variables of that provider only", differs(run(plugins, "-e", "-p", "alpha"), ""))


def full_disk(report, plugins):
    """Output that cannot be written, long enough to fail before the end or short enough to fail only there."""
    for arguments in (["--json"], ["-v"], ["-l"]):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                  check=False, stdin=subprocess.DEVNULL, env=plugins.environment())
        good = done.returncode and "stdout" in done.stderr
        report.case(f"a full disk is an error: {' '.join(arguments)}", "" if good else f"{done}")


def failures(report, plugins):
    for extra in ([], ["-v"], ["-e"], ["-l", "-s", "127.0.0.1"]):
        report.case(f"a query without an answer leaves its code and prints nothing {extra}", differs(
            run(plugins, "-p", "nobody", *extra), "", NO_DATA, 61))
    refused = run(plugins, "-p", "gamma", "--why")
    report.case("--why names each provider and what it said", lacks(
        refused, "gamma:\n    no device: cable unplugged\n",
        "alpha:\n    fabric_attr->prov_name: asked gamma, offered alpha\n", status=61))
    report.case("--why leaves the error on stderr", "" if refused.stderr == NO_DATA else refused.stderr)
    report.case("--why: a refused attribute stands before its text", lacks(
        run(plugins, "-p", "delta", "--why", FI_PROVIDER="delta"), "delta:\n    domain_attr->mr_mode: ", status=61))
    silent = run(plugins, "-p", "gamma")
    report.case("without --why a refusal says nothing more", differs(silent, "", NO_DATA, 61))
    failed = run(plugins, "-p", "gamma", "--json", "--why")
    document = json.loads(failed.stdout)
    report.case("--json --why holds the error and the reasons", (
        "" if document["error"] == {"call": "fi_getinfo", "code": 61, "text": "No data available"}
        and {"provider": "gamma", "attribute": None, "text": "no device: cable unplugged"} in document["reasons"]
        and {"provider": "alpha", "attribute": "fabric_attr->prov_name", "text": "asked gamma, offered alpha"}
        in document["reasons"] and failed.returncode == 61 else failed.stdout))


def plugin_files(report, plugins, bad):
    done = run(plugins, "-l", "-v")
    report.case("-l -v tells path, version and state of each file", lacks(
        done, f"alpha:\n    version: 3.1\n    api: 2.6\n    path: {plugins.path}/libalpha-fi.so\n    state: active\n",
        f"libbad-fi.so:\n    path: {bad}\n    state: refused\n    reason: "))
    hidden = run(plugins, "-l", "-v", FI_PROVIDER="beta")
    report.case("-l -v tells what FI_PROVIDER hides", lacks(
        hidden, f"    path: {plugins.path}/libalpha-fi.so\n    state: hidden\n    reason: "))
    document = json.loads(run(plugins, "-l", "-v", "--json").stdout)
    by_path = {plugin["path"]: plugin for plugin in document["plugins"]}
    alpha = by_path[f"{plugins.path}/libalpha-fi.so"]
    report.case("--json -l -v holds the same", (
        "" if {key: alpha[key] for key in ("provider", "version", "api_version", "state")} == {
            "provider": "alpha", "version": "3.1", "api_version": "2.6", "state": "active"}
        and by_path[bad]["state"] == "refused" and by_path[bad]["reason"] and by_path[bad]["provider"] is None
        else json.dumps(document)))
    with Plugins(FAKE) as nothing:
        only_bad = nothing.add_text("libbad-fi.so", "no plugin")
        report.case("-l -v shows the files also when none of them could be used", lacks(
            run(nothing, "-l", "-v"), f"    path: {only_bad}\n    state: refused\n", status=61))


def json_output(report, plugins):
    first, second = run(plugins, "--json"), run(plugins, "--json")
    document = json.loads(first.stdout)
    report.case("--json is the same in every run", "" if first.stdout == second.stdout else "differs")
    names = [(info["fabric_attr"]["prov_name"], info["domain_attr"]["name"]) for info in document["infos"]]
    text = run(plugins)
    shown = list(zip((line[10:] for line in text.stdout.splitlines() if line.startswith("provider: ")),
                     (line[12:] for line in text.stdout.splitlines() if line.startswith("    domain: "))))
    report.case("--json has the entries of the text, in its order", "" if names == shown and names else f"{names} {shown}")
    listed = json.loads(run(plugins, "-l", "--json").stdout)["providers"]
    report.case("--json -l lists providers", "" if {"name": "alpha", "version": "3.1"} in listed else f"{listed}")
    values = json.loads(run(plugins, "-g", "FI_LOG_PROV", "--json", FI_LOG_PROV="a,b").stdout)["parameters"]
    report.case("--json -g lists variables", (
        "" if len(values) == 1 and values[0]["value"] == "a,b" and values[0]["type"] == "String" else f"{values}"))


def main():
    report = Report()
    with Plugins(FAKE) as plugins:
        plugins.add("alpha", "version=3.1", "fi_version=2.6", "info=ep:rdm,domain:d0,fabric:f0,caps:0xa",
                    "info=ep:msg,domain:d1,fabric:f1,caps:0xa")
        plugins.add("beta", "version=1.0", "fi_version=2.6", "info=ep:rdm,domain:d0,fabric:f0")
        plugins.add("gamma", "version=1.0", "fi_version=2.6", "getinfo=error:-61", "log=info|no device: cable unplugged")
        command_line(report, plugins)
        layouts(report, plugins)
        full_disk(report, plugins)
        bad = plugins.add_text("libbad-fi.so", "no plugin")
        plugin_files(report, plugins, bad)
        json_output(report, plugins)
        plugins.add("delta", "version=1.0", "fi_version=2.6", "getinfo=error:-61",
                    "log=info|refused domain_attr->mr_mode: asked [  ], offered [ FI_MR_LOCAL ]")
        failures(report, plugins)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
