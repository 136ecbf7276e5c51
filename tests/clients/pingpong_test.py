#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checked bytes between two processes over the `soft` plugin, in every pairing that somebody may meet: Debian's
fi_pingpong on our library, ours against Debian's in both roles, and our plugin in Debian's own 1.17 library.

usage: pingpong_test.py OUR_LIBRARY_DIR OUR_FI_PINGPONG SOFT_PLUGIN_DIR series|all
`series` plays the six sizes that the program has by default, `all` every power of two and what lies between, up to 6 MiB.
"""
import os
import re
import socket
import subprocess
import sys
import time

from tap import Report

DEBIAN = "/usr/bin/fi_pingpong"
DEBIAN_INFO = "/usr/bin/fi_info"
SECONDS = 150
# Of each choice of sizes: the program's options, messages of each size, and the fewest rows of a complete table.
SIZES = {"series": ([], 20, 6), "all": (["-S", "all"], 50, 40)}
ROW = re.compile(r"^\d\S*\s+(\d+)\s+([=+-]\d+)\s", re.M)


class Side:
    """A fi_pingpong program and the library that it runs on."""

    def __init__(self, name, program, library_dir):
        self.name, self.program, self.library_dir = name, program, library_dir


def environment(library_dir, plugin_dir):
    merged = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "FI_PROVIDER_PATH")}
    if library_dir:
        merged["LD_LIBRARY_PATH"] = library_dir
    merged["FI_PROVIDER_PATH"] = plugin_dir
    return merged


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def start(side, plugin_dir, *arguments):
    return subprocess.Popen([side.program, *arguments], env=environment(side.library_dir, plugin_dir), text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def complete(text, sizes):
    _, messages, fewest = SIZES[sizes]
    rows = ROW.findall(text)
    return len(rows) >= fewest and all(row == (str(messages), f"={messages}") for row in rows)


def play(server_side, client_side, plugin_dir, mode, sizes):
    """Plays one whole table; returns a complaint, empty when both sides printed it complete."""
    chosen, messages, _ = SIZES[sizes]
    options, port = ["-p", "soft", "-e", "rdm", "-c", "-I", str(messages), "-m", mode, *chosen], free_port()
    server = start(server_side, plugin_dir, *options, "-B", port)
    deadline = time.monotonic() + SECONDS
    try:
        while True:
            client = start(client_side, plugin_dir, *options, "-P", port, "127.0.0.1")
            out, _ = client.communicate(timeout=max(1.0, deadline - time.monotonic()))
            # Refused: the server does not listen yet.
            if "refused" not in out.lower() or server.poll() is not None or time.monotonic() > deadline:
                break
        served, _ = server.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        return f"did not end within {SECONDS} s"
    finally:
        for process in (server, client):
            if process.poll() is None:
                process.kill()
                process.wait()
    if complete(out, sizes) and complete(served, sizes) and client.returncode == 0 and server.returncode == 0:
        return ""
    return f"client, status {client.returncode}\n{out}\nserver, status {server.returncode}\n{served}"


def main():
    library_dir, our_pingpong, plugin_dir, sizes = sys.argv[1:5]
    ours = Side("our fi_pingpong", our_pingpong, library_dir)
    debians = Side("Debian's fi_pingpong on our library", DEBIAN, library_dir)
    foreign = Side("Debian's fi_pingpong on Debian's library", DEBIAN, None)
    report = Report()
    for server, client in ((ours, ours), (debians, debians), (debians, ours), (ours, debians), (foreign, foreign)):
        for mode in ("msg", "tagged"):
            report.case(f"{client.name}, {mode}, talks to {server.name}", play(server, client, plugin_dir, mode, sizes))
    listed = subprocess.run([DEBIAN_INFO, "-p", "soft"], env=environment(None, plugin_dir), text=True, check=False,
                            capture_output=True)
    report.case("Debian's fi_info on Debian's library lists the plugin's device",
                "" if listed.returncode == 0 and "provider: soft\n" in listed.stdout else f"{listed}")
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
