#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fi_bench: what it answers, in both forms; every kind of message, checked; and that it ends with words and a status
whatever becomes of the library or of the other processes. No figure is judged: only that there is one.

usage: bench_test.py FI_BENCH PROVIDER [LIBRARY]
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from tap import Report

PROGRAM, PROVIDER = sys.argv[1:3]
LIBRARY = ["--library", sys.argv[3]] if len(sys.argv) > 3 else []
LIMIT = 120  # seconds until a program that should have ended counts as hanging
# Nothing is pinned: tests run beside each other.
SHORT = ["--rounds", "2", "--time", "2", "--cpus", "none", "--timeout", "60"]
ENDLESS = ["--rounds", "10000", "--time", "20", "--cpus", "none", "--limits", "none", "-s", "8"]
UNITS = {"latency": "us", "rate": "messages/s", "bandwidth": "MB/s"}
LIMITS = {"latency": {"cache line", "tcp one way", "memcpy", "process_vm_readv"},
          "rate": {"cache line", "tcp one way", "tcp stream"},
          "bandwidth": {"tcp stream", "memcpy", "process_vm_readv"}}


def start(*arguments, provider=True):
    more = [*LIBRARY, *(["-p", PROVIDER] if provider else [])]
    return subprocess.Popen([PROGRAM, *arguments, *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def end_of(process):
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += f"still running after {LIMIT} s"
    return process.returncode, out, err


def run(*arguments):
    return end_of(start(*arguments))


def refused(status, words, *arguments):
    """A complaint unless the plain command line ends with that status and these words on stderr."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=LIMIT)
    return "" if done.returncode == status and words in done.stderr else f"{done}"


def figure_complaint(figure, peers_here):
    name = figure["workload"]
    if figure["unit"] != UNITS[name] or len(figure["rounds"]) != 2 or min(figure["rounds"]) <= 0:
        return f"{figure}"
    if not figure["min"] <= figure["median"] <= figure["max"]:
        return f"the median is not between the others: {figure}"
    found = {limit["name"]: limit for limit in figure["limits"]}
    want = LIMITS[name] if figure["size"] >= 4096 or name != "latency" else {"cache line", "tcp one way"}
    if set(found) != want:
        return f"limits {set(found)}, wanted {want}"
    for limit in found.values():
        away = limit["name"] in ("cache line", "process_vm_readv") and not peers_here
        if away and "another machine" not in limit.get("missing", ""):
            return f"a limit that cannot be measured: {limit}"
        if away or limit.get("missing") == "Operation not permitted":
            continue
        for value, raw, ratio in zip(figure["rounds"], limit["rounds"], limit["ratios"]):
            # Of a rate beside a time in microseconds: the messages in that time.
            wanted = value * raw / 1e6 if name == "rate" and limit["unit"] == "us" else value / raw
            if abs(ratio - wanted) > 1e-6 * wanted:
                return f"ratio {ratio}, wanted {wanted}"
    return ""


def json_complaint(done, workloads, sizes, peers_here=True):
    status, out, err = done
    if status:
        return f"status {status}\n{err}"
    answer = json.loads(out)
    if [(f["workload"], f["size"]) for f in answer["figures"]] != [(w, s) for w in workloads for s in sizes]:
        return f"other figures than asked for: {out}"
    if answer["provider"] != PROVIDER or not answer["library"].startswith("/"):
        return f"{answer['provider']} of {answer['library']}"
    return "\n".join(filter(None, (figure_complaint(figure, peers_here) for figure in answer["figures"])))


def check_answers(report):
    everything = [*UNITS]
    done = run("all", "--json", "-s", "8,5000", *SHORT)
    report.case("all figures and limits come as JSON", json_complaint(done, everything, [8, 5000]))
    report.case("nothing is told on stderr when it is no terminal", done[2])
    status, out, err = run("all", "-s", "8,8k", *SHORT)
    rows = re.findall(r"^ *(8|8192)(?:  +[\d.]+){3}", out, re.M)
    report.case("the table has a row for each figure", "" if status == 0 and len(rows) == 6 else out + err)
    status, out, err = run("latency", "-s", "8", "--limits", "none", *SHORT)
    good = status == 0 and re.search(r"^bytes  latency us +min +max$", out, re.M)
    report.case("without limits the table has none", "" if good else out + err)


def check_conditions(report):
    status, out, err = run("bandwidth", "--json", "--check", "--no-process-vm", "-s", "300000", *SHORT)
    found = {} if status else {limit["name"]: limit for limit in json.loads(out)["figures"][0]["limits"]}
    good = found.get("process_vm_readv", {}).get("missing") == "Operation not permitted"
    report.case("without process_vm_readv it is named as missing, and messages arrive", "" if good else f"{found}{err}")
    status, out, err = run("memory", "--json", "--peers", "4", "--cpus", "none")
    found = {} if status else json.loads(out)["resident"]
    good = found.get("endpoint_bytes", 0) > 0 and found.get("peer_bytes", -1) >= 0
    report.case("resident memory of endpoint and peer is told", "" if good else f"{found}{err}")
    status, out, err = run("memory", "--peers", "4", "--cpus", "none")
    rows = re.findall(r"^resident, (?:an idle endpoint|a peer): [\d.]+ KiB$", out, re.M)
    report.case("and as text", "" if len(rows) == 2 else out + err)


def check_messages(report):
    for label, options in (
            ("tagged", []), ("untagged", ["--untagged"]), ("without inject", ["--no-inject"]),
            ("untagged without inject", ["--untagged", "--no-inject"]), ("one at a time", ["-w", "1"]),
            ("an odd window", ["-w", "7"])):
        done = run("all", "--json", "--check", "--limits", "none", "-s", "0,1,8,300,70000", *options, *SHORT)
        complaint = f"status {done[0]}\n{done[2]}" if done[0] else ""
        report.case(f"every byte arrives: {label}", complaint or (
            "" if json.loads(done[1])["check"] and len(json.loads(done[1])["figures"]) == 15 else done[1]))
    done = run("latency", "--json", "-s", "8", "--peers", "3", *SHORT)
    report.case("idle peers are connected meanwhile", json_complaint(done, ["latency"], [8]))


def check_refusals(report):
    report.case("help is status 0", "" if subprocess.run(
        [PROGRAM, "--help"], stdout=subprocess.DEVNULL, check=False).returncode == 0 else "it is not")
    for words, *arguments in (
            ("subcommand is required",), ("window", "rate", "-w", "0"), ("sizes", "latency", "-s", "8q"),
            ("no core's number", "latency", "--cpus", "0,x"), ("longer than", "latency", "-s", "2g"),
            ("limits", "latency", "--limits", "light"), ("shorter than four times", "rate", "--time", "9000"), ("two or more", "memory", "--peers", "1")):
        report.case(f"a usage error is status 2: {' '.join(arguments) or 'nothing'}", refused(2, words, *arguments))
    report.case("a library that is not there is named",
                refused(1, "/nonexistent.so", "latency", "--library", "/nonexistent.so"))
    report.case("a library that is no libfabric is named",
                refused(1, "is no libfabric", "latency", "--library", "libm.so.6"))
    report.case("a provider that is not there is named",
                refused(1, "provider nosuch", "latency", *LIBRARY, "-p", "nosuch"))
    report.case("a core that is not there is named", refused(1, "core 1000", "latency", "--cpus", "1000"))
    report.case("a server that is not there is named",
                refused(1, "Connection refused", "latency", *LIBRARY, "--port", str(free_port()), "127.0.0.1"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serve(port):
    server = start("server", "--once", "--bind", "127.0.0.1", "--port", str(port), "--cpus", "none", provider=False)
    server.stderr.readline()  # it listens
    return server


def check_server(report):
    port = free_port()
    server = serve(port)
    done = run("all", "--json", "-s", "8,5000", "--port", str(port), *SHORT, "127.0.0.1")
    report.case("a server is the other side", json_complaint(done, [*UNITS], [8, 5000], peers_here=False))
    status, _, err = end_of(server)
    report.case("the server ends after its client", "" if status == 0 else err)
    for what, text in (("noise", b"GET / HTTP/1.1\r\n\r\n"), ("a message without end", b"\xff\xff\xff\x7f"),
                       ("no object", b"\2\0\0\0[]"), ("an unknown request", b"\x0c\0\0\0{\"do\":\"rm\"} "),
                       ("a request of the wrong kind", b"\x0a\0\0\0{\"do\": 17}")):
        port = free_port()
        server = serve(port)
        with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as client:
            client.sendall(text)
            status, _, err = end_of(server)
        report.case(f"a server ends a client that sends {what}", "" if status == 1 else f"status {status} {err}")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_for(condition):
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def running(*arguments, processes):
    """An endless run whose partner has used some time of the processor: it measures, or is just about to."""
    driver = start("rate", *ENDLESS, *arguments)
    wait_for(lambda: driver.poll() is not None or len(children(driver.pid)) == processes)

    def busy():
        if driver.poll() is not None:
            return True
        with open(f"/proc/{children(driver.pid)[0]}/stat", encoding="ascii") as file:
            return int(file.read().rsplit(")", 1)[1].split()[11]) >= 30
    wait_for(busy)
    return driver


def check_deaths(report):
    for who, which, how, words in (
            ("partner", 0, signal.SIGKILL, "the partner was killed by signal 9"),
            ("idle peer", 1, signal.SIGKILL, "idle peer 1 was killed by signal 9"),
            ("partner", 0, signal.SIGSTOP, "although the partner still runs")):
        driver = running("--peers", "1", "--timeout", "2", processes=2)
        found = children(driver.pid)
        os.kill(found[which], how)
        status, _, err = end_of(driver)
        good = status == 1 and words in err
        report.case(f"a {who} that gets {how.name} ends the run", "" if good else f"status {status} {err}")
        left = [pid for pid in found if not wait_for(lambda pid=pid: is_gone(pid))]
        report.case(f"and leaves no process behind: {who}, {how.name}", f"{left}" if left else "")
    with tempfile.TemporaryDirectory() as place:
        library = os.path.join(place, "libfabric.so.1")
        os.mkfifo(library)  # to be opened when somebody writes to it
        status, _, err = run("latency", "--cpus", "none", "--timeout", "1", "--library", library)
        good = status == 1 and "a call into the library did not return in time" in err
        report.case("a library that cannot even be opened in time ends the run", "" if good else f"status {status} {err}")
    driver = running("--peers", "1", processes=2)
    found = children(driver.pid)
    driver.kill()
    driver.communicate()
    left = [pid for pid in found if not wait_for(lambda pid=pid: is_gone(pid))]
    report.case("a driver that is killed leaves no process behind", f"{left}" if left else "")


def main():
    report = Report()
    check_answers(report)
    check_messages(report)
    check_conditions(report)
    if not LIBRARY:
        check_refusals(report)
        check_server(report)
        check_deaths(report)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
