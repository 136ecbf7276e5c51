#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Our fi_pingpong, linked to Debian's libfabric 1.17, against Debian's own in both roles, over real providers of each
endpoint type: the control protocol, the messages and the table are the same.

usage: interop_test.py FI_PINGPONG_ON_DEBIAN
"""
import re
import socket
import subprocess
import sys
import time

from tap import Report

OURS, DEBIANS = sys.argv[1], "/usr/bin/fi_pingpong"
LIMIT = 60
ROW = re.compile(r"^(\S+) +(\d+) +=(\d+) +(\S+) +\d+\.\d\ds +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d$", re.M)

# (options, rows printed)
RUNS = [
    (["-p", "udp", "-e", "dgram"], 3),
    (["-p", "udp", "-e", "dgram", "-S", "1000"], 1),
    (["-p", "tcp", "-e", "msg"], 6),
    (["-p", "tcp", "-e", "msg", "-S", "all"], 46),
    (["-p", "tcp;ofi_rxm", "-e", "rdm"], 6),
    (["-p", "tcp;ofi_rxm", "-e", "rdm", "-m", "tagged", "-S", "all"], 46),
    (["-p", "shm", "-e", "rdm", "-m", "tagged"], 6),
]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def start(program, *arguments):
    return subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def play(server_program, client_program, options, rows):
    """One run; a complaint unless both sides print the same whole table."""
    port, deadline = free_port(), time.monotonic() + LIMIT
    server = start(server_program, *options, "-c", "-I", "7", "-B", port)
    try:
        while True:
            client = start(client_program, *options, "-c", "-I", "7", "-P", port, "127.0.0.1")
            out, _ = client.communicate(timeout=LIMIT)
            # Refused: the server does not listen yet.
            if "refused" not in out or server.poll() is not None or time.monotonic() > deadline:
                break
        served, _ = server.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"did not end within {LIMIT} s"
    finally:
        for process in (server, client):
            process.kill()
            process.communicate()
    tables = [ROW.findall(text) for text in (out, served)]
    heads = {text.splitlines()[0] for text in (out, served) if text}
    good = tables[0] == tables[1] and len(tables[0]) == rows and len(heads) == 1
    good = good and all(row[1:3] == ("7", "7") for row in tables[0])
    if good and (client.returncode, server.returncode) == (0, 0):
        return ""
    return f"client, status {client.returncode}\n{out}\nserver, status {server.returncode}\n{served}"


def main():
    report = Report()
    for options, rows in RUNS:
        for server, client, who in ((OURS, DEBIANS, "our server"), (DEBIANS, OURS, "our client"), (OURS, OURS, "ours only")):
            report.case(f"{who}, {' '.join(options)}", play(server, client, options, rows))
    local = play(OURS, OURS, ["-p", "tcp", "-e", "msg", "-s", "127.0.0.1"], 6)
    report.case("a local address is taken by -s", local)
    refused = subprocess.run([OURS, "-P", free_port(), "127.0.0.1"], capture_output=True, text=True, check=False, timeout=LIMIT)
    report.case("a refused connection leaves status 111", (
        "" if refused.returncode == 111 and "failed to connect: Connection refused" in refused.stderr else f"{refused}"))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
