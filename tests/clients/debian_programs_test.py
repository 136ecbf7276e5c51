#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's own fi_info and fi_strerror, unmodified, on our library: the environment's LD_LIBRARY_PATH leads to it and
FI_PROVIDER_PATH to the plugin `elder`. Their text is for eyes and scripts alike, so it is compared as text.
"""
import os
import subprocess
import sys

from tap import Report

# What 2.6 added: the old library has no text of its own for these.
NEW_CODES = {270, 271}

SHORT = """provider: elder
    fabric: elder-fabric
    domain: elder0
    version: 7.3
    type: FI_EP_RDM
    protocol: FI_PROTO_UNSPEC
"""


def run(*command, ours=True):
    environment = dict(os.environ)
    if not ours:
        del environment["LD_LIBRARY_PATH"]
    return subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False,
                          stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace")


def differs(want, done, status=0):
    got = f"status {done.returncode}\n{done.stdout}"
    return "" if got == f"status {status}\n{want}" else f"wanted status {status}\n{want}got {got}{done.stderr}"


def lacks(done, *parts):
    missing = [part for part in parts if part not in done.stdout]
    return f"status {done.returncode}, lacks {missing}\n{done.stdout}{done.stderr}" if missing or done.returncode else ""


def fi_info(report):
    report.case("fi_info --version reports our version", lacks(run("fi_info", "--version"), "libfabric: 2.", "libfabric api: 1.17"))
    report.case("fi_info -p prints the device in short", differs(SHORT, run("fi_info", "-p", "elder")))
    report.case("fi_info -l lists the provider", lacks(run("fi_info", "-l"), "elder:\n    version: 7.3\n"))
    report.case("fi_info -v describes the device", lacks(
        run("fi_info", "-v", "-p", "elder"), "---\nfi_info:\n    caps: [ FI_MSG, FI_TAGGED, FI_RECV, FI_SEND ]\n",
        "        name: elder0\n", "        prov_version: 7.3\n        api_version: 1.17\n"))
    report.case("fi_info -i finds text in the description", lacks(run("fi_info", "-i", "ELDER-FABRIC"), "fi_info:\n"))
    report.case("fi_info -e prints parameters", lacks(run("fi_info", "-e"), "# FI_PROVIDER: String\n"))
    report.case("fi_info -g prints the parameters asked for", lacks(run("fi_info", "-g", "log_level"), "# FI_LOG_LEVEL: String\n"))
    for option, value in (("-p", "nobody"), ("-t", "FI_EP_DGRAM -p elder"), ("-d", "lo -p elder")):
        done = run("fi_info", option, *value.split())
        report.case(f"fi_info {option} {value} says that there is no data",
                    "" if (done.returncode, done.stdout, done.stderr) == (61, "", "fi_getinfo: -61\n") else f"{done}")


def fi_strerror(report):
    wrong = []
    for code in [0, *range(1, 12), *range(90, 100), *range(250, 275), -1, 4096]:
        if code not in NEW_CODES:
            ours, theirs = run("fi_strerror", str(code)), run("fi_strerror", str(code), ours=False)
            if (ours.returncode, ours.stdout) != (theirs.returncode, theirs.stdout):
                wrong.append(f"{code}: ours {ours.stdout!r}, theirs {theirs.stdout!r}")
    report.case("fi_strerror says on our library what it says on its own", "\n".join(wrong))
    plain = run("fi_strerror", "256").stdout
    report.case("fi_strerror knows the codes that 2.6 added",
                "" if all(run("fi_strerror", str(code)).stdout != plain for code in NEW_CODES) else plain)


def main():
    report = Report()
    fi_info(report)
    fi_strerror(report)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
