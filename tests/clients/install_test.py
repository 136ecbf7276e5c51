#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `meson install` puts where, and whether a stranger can build and run a program with it.

usage: install_test.py BUILD_DIR SOURCE_DIR PREFIX LIBDIR [PLUGIN...]
"""
import filecmp
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from tap import Report

TOOLS = ("fi_bench", "fi_conform", "fi_info", "fi_pingpong", "fi_strerror")


def run(*command, **environment):
    for name in ("LD_LIBRARY_PATH", "FI_PROVIDER_PATH", "DESTDIR"):
        environment.setdefault(name, None)
    merged = {k: v for k, v in {**os.environ, **environment}.items() if v is not None}
    return subprocess.run(command, env=merged, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def complaint(done):
    return "" if done.returncode == 0 else f"{shlex.join(map(str, done.args))}\n{done.stdout}{done.stderr}"


class Installed:
    """An installed tree: `root` is put before every path that the installation speaks of."""

    def __init__(self, root, prefix, libdir):
        self.root, self.prefix = pathlib.Path(root), pathlib.Path(str(root) + str(prefix))
        self.lib = self.prefix / libdir

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, "libfabric", PKG_CONFIG_SYSROOT_DIR=str(self.root),
                   PKG_CONFIG_LIBDIR=str(self.lib / "pkgconfig"))


def check_files(report, tree, source, plugins):
    link = tree.lib / "libfabric.so"
    report.case("libfabric.so.1 is installed", "" if (tree.lib / "libfabric.so.1").exists() else str(tree.lib))
    report.case("libfabric.so leads to it", "" if link.is_symlink() and link.resolve().name.startswith("libfabric.so.1")
                else f"{link} -> {link.resolve()}")
    for plugin in plugins:
        place = tree.lib / "libfabric" / plugin
        report.case(f"{plugin} is in the plugin directory", "" if place.exists() else f"no {place}")
    include = source / "include"
    names = [path.relative_to(include) for path in sorted(include.rglob("*.h"))]
    _, different, missing = filecmp.cmpfiles(include, tree.prefix / "include", names, shallow=False)
    report.case("every public header is installed", "\n".join(map(str, different + missing)))
    there = [path.relative_to(tree.prefix / "include") for path in (tree.prefix / "include" / "rdma").rglob("*.h")]
    report.case("no other header is among them", "\n".join(str(path) for path in there if path not in names))
    absent = [tool for tool in TOOLS if not os.access(tree.prefix / "bin" / tool, os.X_OK)]
    report.case("the tools are installed", "\n".join(absent))
    pages = {path.name for path in (tree.prefix / "share" / "man").rglob("*.[1-9]*")}
    report.case("each tool has its manual page", "\n".join(t for t in TOOLS if f"{t}.1" not in pages))


def providers_of(plugins):
    return [f"provider {name[len('lib'):-len('-fi.so')]}" for name in plugins]


def check_program(report, tree, source, work, plugins, language, environment):
    """Builds the program with what pkg-config says, and runs it."""
    flags = tree.pkg_config("--cflags", "--libs").stdout.split()
    program = pathlib.Path(work) / f"program-{language[0]}"
    text = source / "tests" / "clients" / "installed_program.c"
    # The flags come last: an order in which --as-needed linkers want them.
    built = run(language[0], "-x", language[1], f"-std={language[2]}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                str(text), "-x", "none", "-o", str(program), *flags)
    report.case(f"a program builds with {language[0]} and pkg-config libfabric", complaint(built))
    if built.returncode != 0:
        return
    done = run(str(program), **environment)
    want = ["libfabric 2.6", *providers_of(plugins)]
    report.case(f"the program built with {language[0]} runs and lists the providers",
                "" if done.returncode == 0 and set(want) <= set(done.stdout.splitlines())
                else f"wanted {want}\n{done.stdout}{done.stderr}")


def check_staged(report, build, source, prefix, libdir, plugins):
    with tempfile.TemporaryDirectory() as work:
        done = run("meson", "install", "-C", build, "--no-rebuild", "--destdir", f"{work}/root")
        report.case("meson install --destdir succeeds", complaint(done))
        tree = Installed(f"{work}/root", prefix, libdir)
        check_files(report, tree, source, plugins)
        version = tree.pkg_config("--modversion")
        report.case("pkg-config knows the version",
                    "" if version.stdout.startswith("2.6.") else f"{version.stdout}{version.stderr}")
        libraries = tree.pkg_config("--libs").stdout.split()
        report.case("pkg-config says to link -lfabric and nothing else",
                    "" if [flag for flag in libraries if flag.startswith("-l")] == ["-lfabric"] else f"{libraries}")
        # The tree is not where it was configured to be, so both directories have to be named.
        environment = {"LD_LIBRARY_PATH": str(tree.lib), "FI_PROVIDER_PATH": str(tree.lib / "libfabric")}
        for language in (("gcc", "c", "c99"), ("g++", "c++", "c++11")):
            check_program(report, tree, source, work, plugins, language, environment)
        listed = run("env", str(tree.prefix / "bin" / "fi_info"), "-l", **environment)
        report.case("the installed fi_info runs", complaint(listed))


def check_in_place(report, build, prefix, libdir, plugins):
    """Installs to the prefix itself: nothing but the configured directories leads to library and plugins.

    The tree goes away again: other tests would find its plugins in what is their default directory too.
    """
    done = run("meson", "install", "-C", build, "--no-rebuild")
    report.case("meson install to the prefix succeeds", complaint(done))
    tree = Installed("", prefix, libdir)
    listed = run("env", str(tree.prefix / "bin" / "fi_info"), "-l", LD_LIBRARY_PATH=str(tree.lib))
    wanted = [f"{line.split()[1]}:" for line in providers_of(plugins)]
    report.case("plugins are found in the default directory without any variable",
                "" if listed.returncode in (0, 61) and set(wanted) <= set(listed.stdout.splitlines())
                else f"wanted {wanted}\n{listed.stdout}{listed.stderr}")


def main():
    build, source, prefix = map(pathlib.Path, sys.argv[1:4])
    libdir = sys.argv[4]
    plugins = [pathlib.Path(path).name for path in sys.argv[5:]]
    report = Report()
    check_staged(report, build, source, prefix, libdir, plugins)
    if prefix.is_relative_to(build) and prefix != build:
        try:
            check_in_place(report, build, prefix, libdir, plugins)
        finally:
            shutil.rmtree(prefix, ignore_errors=True)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
