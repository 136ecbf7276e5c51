# SPDX-License-Identifier: BSD-2-Clause
"""Who is measured, and how one measurement of each is made. A measure is a workload, a message size and conditions; a
sample is what one run gave: {"value": v, "limits": {name: (value, ratio)}}, in microseconds, messages/s or MB/s."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

LIMIT = 180  # seconds for one run; every program of these has shorter bounds of its own

# (measure, fi_bench's arguments, sizes, transports)
MEASURES = (
    ("latency", ("latency", "--limits", "line,tcp"), (8, 64, 65536), ("shm", "tcp")),
    ("latency with 63 idle peers", ("latency", "--peers", "63", "--limits", "line"), (8,), ("shm",)),
    ("rate", ("rate", "--limits", "tcp"), (8, 64), ("shm", "tcp")),
    ("bandwidth", ("bandwidth",), (65536, 1048576), ("shm", "tcp")),
    ("bandwidth without process_vm_readv", ("bandwidth", "--no-process-vm", "--limits", "memcpy"), (1048576,), ("shm",)),
)


class Failed(Exception):
    """A run that gave nothing, with the reason."""


def clean_environment(**more):
    """A developer's own settings must not decide what is measured."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("FI_", "UCX_", "LD_"))}
    return {**kept, **more}


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"


def wait_for_listener(port):
    """Returns when a TCP socket of this machine listens on port; connecting would be taken for the client."""
    deadline = time.monotonic() + LIMIT
    listening = re.compile(rf":{port:04X} \S+ 0A ")
    while not any(listening.search(pathlib.Path("/proc/net", table).read_text(encoding="ascii")) for table in ("tcp", "tcp6")):
        if time.monotonic() > deadline:
            raise Failed(f"nobody listens on port {port}")
        time.sleep(0.01)


class Fabric:
    """A provider of a libfabric, measured by fi_bench."""

    def __init__(self, name, transport, fi_bench, library, provider, **settings):
        self.name, self.transport = name, transport
        self.command = [fi_bench, "--library", str(library), "-p", provider]
        self.library = pathlib.Path(library)
        self.environment = clean_environment(**settings)

    def fi_bench(self, *arguments):
        program, *place = self.command
        if not self.library.exists():
            raise Failed(f"there is no {self.library.name}")
        try:
            done = subprocess.run([program, *arguments, *place, "--json"], capture_output=True, text=True, timeout=LIMIT,
                                  env=self.environment, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"no end in {LIMIT} s") from late
        if done.returncode:
            raise Failed(last_line(done.stderr).removeprefix("fi_bench: ").replace(str(self.library), self.library.name))
        return json.loads(done.stdout)

    def missing(self):
        """Why it cannot be measured at all; empty if it can."""
        try:
            self.fi_bench("latency", "-s", "8", "--rounds", "1", "--time", "1", "--limits", "none")
        except Failed as failed:
            return str(failed)
        return ""

    def run(self, measure, arguments, sizes, pace, _):
        answer = self.fi_bench(*arguments, "-s", ",".join(map(str, sizes)), *pace.arguments())
        return {figure["size"]: {"value": figure["median"], "limits": {
            limit["name"]: (limit["median"], limit["ratio"]) for limit in figure["limits"] if "median" in limit}}
            for figure in answer["figures"]}

    def resident(self):
        return self.fi_bench("memory")["resident"]


class Ucx:
    """UCX, measured by its own ucx_perftest. Ratios are taken to the limits that fi_bench saw in the same pass."""

    def __init__(self, name, transport, **settings):
        self.name, self.transport = name, transport
        self.environment = clean_environment(**settings)

    def missing(self):
        return "" if shutil.which("ucx_perftest") else "ucx_perftest is not installed (package ucx-utils)"

    def perftest(self, port, *arguments):
        return subprocess.Popen(["ucx_perftest", *arguments, "-p", str(port)], env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def once(self, test, size, seconds, cpus):
        """Two processes; the last line of numbers that the client prints."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        # Long enough for the time, by what such machines do; UCX takes a number of messages only.
        count = max(100, int(seconds / (1e-6 + size / 5e9)))
        server = self.perftest(port, "-c", str(cpus[1]))
        client = None
        try:
            wait_for_listener(port)
            client = self.perftest(port, "127.0.0.1", "-c", str(cpus[0]), "-t", test, "-s", str(size), "-n", str(count),
                                   "-w", str(max(10, count // 10)), "-O", "64", "-v", "-f")
            out, _ = client.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"no end in {LIMIT} s") from late
        finally:
            for process in filter(None, (client, server)):
                process.kill()
                process.communicate()
        numbers = last_line(out).split(",")
        if client.returncode or len(numbers) != 8:
            raise Failed(last_line(out))
        return [float(number) for number in numbers]

    def run(self, measure, arguments, sizes, pace, limits):
        if measure not in ("latency", "rate", "bandwidth"):
            raise Failed("ucx_perftest does not measure that")
        samples = {}
        for size in sizes:
            _, _, _, latency, _, megabytes, _, rate = self.once(
                "tag_lat" if measure == "latency" else "tag_bw", size, pace.rounds * pace.milliseconds / 1000, pace.cpus)
            # Its megabytes are of 2^20 bytes.
            value = {"latency": latency, "rate": rate, "bandwidth": megabytes * 1.048576}[measure]
            samples[size] = {"value": value, "limits": {
                name: (raw, value * raw / 1e6 if measure == "rate" and name == "tcp one way" else value / raw)
                for name, raw in limits.get((measure, size), {}).items()}}
        return samples


def contenders(build, old_library):
    """Ours first, then what a user could take instead."""
    fi_bench, ours = str(build / "tools/bench/fi_bench"), build / "libfabric-core/libfabric.so.1"
    plugins = {"FI_PROVIDER_PATH": str(build / "providers/soft")}
    return [
        Fabric("soft, shared memory", "shm", fi_bench, ours, "soft", **plugins),
        Fabric("soft, TCP", "tcp", fi_bench, ours, "soft", FI_SOFT_SHM="0", **plugins),
        Fabric("libfabric 1.17 shm", "shm", fi_bench, old_library, "shm"),
        Fabric("libfabric 1.17 tcp;ofi_rxm", "tcp", fi_bench, old_library, "tcp;ofi_rxm"),
        Fabric("libfabric 1.17 net", "tcp", fi_bench, old_library, "net"),
        Ucx("UCX, shared memory", "shm", UCX_TLS="sm,self"),
        Ucx("UCX, TCP", "tcp", UCX_TLS="tcp,self", UCX_NET_DEVICES="lo"),
    ]
