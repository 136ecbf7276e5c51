#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fi_pingpong against a peer that dies, lies or falls silent: it ends by itself, says what happened, and its status is
not 0. The peer is played here over the control connection, or is a second fi_pingpong that gets killed or stopped.

usage: dying_peer_test.py FI_PINGPONG PROVIDER:EP_TYPE...
"""
import os
import signal
import socket
import struct
import subprocess
import sys
import time

from tap import Report

PROGRAM = sys.argv[1]
LIMIT = 60  # seconds until a program that should have ended counts as hanging


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(*arguments):
    return subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def connect(port):
    """Connects to a server as soon as it listens."""
    deadline = time.monotonic() + LIMIT
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise


def ending(process, status, words):
    """A complaint unless the process ends with that status and these words on stderr."""
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        return f"still running after {LIMIT} s: {process.communicate()}"
    return "" if process.returncode == status and words in err else f"status {process.returncode}\n{out}{err}"


def server_against(arguments, play, status, words):
    port = free_port()
    server = start(*arguments, "-B", str(port))
    with connect(port) as peer:
        play(peer)
        return ending(server, status, words)


def client_against(arguments, play, status, words):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = start(*arguments, "-P", str(listener.getsockname()[1]), "127.0.0.1")
        peer, _ = listener.accept()
        with peer:
            play(peer)
            return ending(client, status, words)


def close(peer):
    peer.close()


def silent(_):
    pass


def huge_name(peer):
    peer.sendall(struct.pack(">I", 100000))


def half_a_name(peer):
    peer.sendall(struct.pack(">I", 16) + b"\2\0\0\0abc")
    peer.close()


def name_and_end(peer):
    """Takes part as far as a name that leads nowhere, then dies."""
    address = struct.pack("<H", 2) + struct.pack(">H", 9) + socket.inet_aton("127.0.0.1") + bytes(8)
    peer.sendall(struct.pack(">I", 16) + b"\2\0\0\0" + address)
    peer.settimeout(LIMIT)
    try:
        peer.recv(1)
    except ConnectionError:
        pass  # the server ended before: its own message tells why
    peer.close()


def played(report, options, label):
    both = [("closes at once", close, 103, "closed its control connection"),
            ("stays silent", silent, 110, "although the peer is still connected"),
            ("announces a name of 100000 bytes", huge_name, 71, "announced a name of 100000 bytes"),
            ("dies inside its name", half_a_name, 103, "closed its control connection")]
    for what, play, status, words in both:
        report.case(f"{label}: client whose server {what}", client_against([*options, "-T", "2"], play, status, words))
        if "msg" not in options:
            report.case(f"{label}: server whose client {what}", server_against([*options, "-T", "2"], play, status, words))
    if "msg" in options:
        report.case(f"{label}: server whose client never connects",
                    server_against([*options, "-T", "2"], silent, 110, "no connection request in 2 s"))
        report.case(f"{label}: server whose client dies before it connects",
                    server_against([*options, "-T", "20"], close, 103, "control connection"))
    else:
        report.case(f"{label}: server whose client dies after the names",
                    server_against([*options, "-T", "20"], name_and_end, 103, "control connection"))


def killed_pair(options, victim, how, patience, words):
    """Two programs with endless work; one is killed or stopped, and the other one must end."""
    port = str(free_port())
    arguments = [*options, "-T", str(patience), "-S", "64", "-I", "1000000000"]
    server = start(*arguments, "-v", "-B", port)
    processes = {"server": server}
    try:
        for line in server.stderr:
            if "Waiting for a client" in line:
                break
        client = processes["client"] = start(*arguments, "-v", "-P", port, "127.0.0.1")
        for process in (client, server):
            for line in process.stderr:
                if "Both sides are ready" in line:
                    break
        survivor = processes["client" if victim == "server" else "server"]
        os.kill(processes[victim].pid, how)
        try:
            _, err = survivor.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return f"the survivor still runs after {LIMIT} s"
        good = survivor.returncode > 0 and any(word in err for word in words)
        return "" if good else f"status {survivor.returncode}\n{err[-2000:]}"
    finally:
        for process in processes.values():
            process.kill()
            process.communicate()


def main():
    report = Report()
    for device in sys.argv[2:]:
        provider, kind = device.rsplit(":", 1)
        options = ["-p", provider, "-e", kind]
        played(report, options, device)
        for victim in ("server", "client"):
            report.case(f"{device}: the {victim} is killed while messages flow", killed_pair(
                options, victim, signal.SIGKILL, 30, ("control connection", " failed: ")))
            report.case(f"{device}: the {victim} is stopped while messages flow", killed_pair(
                options, victim, signal.SIGSTOP, 5, ("although the peer is still connected",)))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
