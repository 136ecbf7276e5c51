#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What other people's programs and cores see of our shared objects: names, versions and needs, held against a golden list.

usage: shared_objects_test.py LIBFABRIC GOLDEN [PLUGIN...]
"""
import difflib
import pathlib
import re
import subprocess
import sys

from tap import Report

# Parts of glibc; libstdc++ and libgcc are linked statically and hidden.
GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"}

# All that a plugin may ask of the core, so that the same file loads in a core of 1.17.
PLUGIN_IMPORTS = {
    "fi_log", "fi_log_enabled", "fi_log_ready", "fi_param_define", "fi_param_get", "fi_strerror", "fi_tostr_r",
    "fi_version",
}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def needed(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", "-W", path)))


def exported(path):
    """Lines `T name@version` without addresses; `A node` for the version nodes."""
    rows = (line.split() for line in output("nm", "-D", "--defined-only", "--with-symbol-versions", path).splitlines())
    return sorted(f"{row[1]} {row[2]}" for row in rows)


def imported_from_core(path):
    rows = (line.split()[-1] for line in output("nm", "-D", "--undefined-only", path).splitlines())
    return {name.split("@")[0] for name in rows if name.startswith("fi_")}


def check_library(report, path, golden):
    want = sorted(golden.read_text().splitlines())
    difference = difflib.unified_diff(want, exported(path), "golden", "libfabric.so", lineterm="", n=0)
    report.case("libfabric.so exports the golden list of symbols and versions", "\n".join(difference))
    soname = re.findall(r"\(SONAME\).*\[(.*)\]", output("readelf", "-d", "-W", path))
    report.case("libfabric.so is named libfabric.so.1", "" if soname == ["libfabric.so.1"] else f"{soname}")
    report.case("libfabric.so needs parts of glibc only", "\n".join(sorted(needed(path) - GLIBC)))


def check_plugin(report, path):
    name = pathlib.Path(path).name
    symbols = [row.split()[1] for row in exported(path)]
    report.case(f"{name} exports fi_prov_ini only", "" if symbols == ["fi_prov_ini"] else "\n".join(symbols))
    report.case(f"{name} needs libfabric and parts of glibc only",
                "\n".join(sorted(needed(path) - GLIBC - {"libfabric.so.1"})))
    # Without it the dynamic linker binds unversioned references to the oldest versions of the core's functions.
    report.case(f"{name} is linked against libfabric",
                "" if "libfabric.so.1" in needed(path) else "libfabric.so.1 is not among NEEDED")
    report.case(f"{name} imports from the core what a 1.17 core has, and no more",
                "\n".join(sorted(imported_from_core(path) - PLUGIN_IMPORTS)))


def main():
    library, golden, plugins = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    report = Report()
    check_library(report, library, golden)
    for plugin in plugins:
        check_plugin(report, plugin)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
