# SPDX-License-Identifier: BSD-2-Clause
"""docs/performance.md: what is between the two marks is written anew, the rest is kept."""
import os
import platform
import statistics

import goals
from contenders import MEASURES

BEGIN, END = "<!-- measured: written by tests/bench/compare -->", "<!-- end of what was measured -->"
UNITS = {"latency": ("us", 1, "{:.3g}"), "rate": ("M/s", 1e6, "{:.2f}"), "bandwidth": ("GB/s", 1e3, "{:.2f}")}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "--|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def size_text(size):
    for unit, bytes_ in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size % bytes_ == 0:
            return f"{size // bytes_} {unit}"
    return f"{size} B"


def figure_table(measure, sizes, transport, everybody, samples):
    """One row for each contender, and the machine's limits as their medians."""
    unit, scale, form = UNITS[measure.split()[0]]
    found = {}
    for size in sizes:
        for contender in everybody:
            for sample in filter(None, samples.get((contender.name, measure, size), [])):
                for name, (raw, _) in sample["limits"].items():
                    found.setdefault(name, {}).setdefault(size, []).append(raw)
    rows = []
    for contender in everybody:
        cells = []
        for size in sizes:
            values = [sample["value"] for sample in samples.get((contender.name, measure, size), []) if sample]
            cells.append(form.format(statistics.median(values) / scale) if values else "missing")
        rows.append((contender.name, *cells))
    for name, by_size in found.items():
        in_time = measure == "rate" and name.endswith("one way")
        rows.append((f"*{name}{', us' if in_time else ''}*", *(
            (("{:.3g}" if in_time else form).format(statistics.median(by_size[size]) / (1 if in_time else scale)))
            if size in by_size else "" for size in sizes)))
    head = (f"{measure}, {unit}, {'shared memory' if transport == 'shm' else 'TCP'}", *map(size_text, sizes))
    return table(head, rows)


def measured(run):
    parts = [f"Made by `tests/bench/compare`: {run.passes} passes over all contenders in turn, each figure of a pass the median "
             f"of {run.pace.rounds} rounds of {run.pace.milliseconds} ms, both processes pinned. {processor()}, "
             f"{os.cpu_count()} cores, Linux {platform.release()}."]
    head = ("what", "goal", "known", "measured (lowest-highest pass)", "reached")
    rows = [*goals.goal_rows(run.samples), *goals.instruction_rows(run.instructions), *goals.memory_rows(run.resident)]
    parts += ["## Goals", table(head, rows), "## Figures",
              "Medians over the passes. Rows in italics are the machine itself, measured in the same rounds."]
    for measure, _, sizes, transports in MEASURES:
        for transport in transports:
            everybody = [one for one in run.contenders if one.transport == transport]
            parts.append(figure_table(measure, sizes, transport, everybody, run.samples))
    if run.polling:
        head = ("peers on this machine", "peers over TCP", "empty read, ns", "system calls per 1000 reads",
                "first message of a silent peer, us: median", "99th percentile")
        parts += ["## Polling", "One endpoint reads its empty queue; its peers are connected and silent (tests/bench/polling.c).",
                  table(head, run.polling)]
    if run.sleeping:
        head = ("wait object", "path", "end of a timeout of 10 ms, us late: least", "median", "most",
                "message heard in sleep, us: median", "99th percentile")
        parts += ["## Sleeping", "One endpoint sleeps in fi_cq_sread() (tests/bench/sleeping.c).", table(head, run.sleeping)]
    if run.missing:
        parts += ["## Missing", "\n".join(f"- {what}: {why}" for what, why in run.missing.items())]
    return "\n\n".join(parts)


def write(path, run):
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    path.write_text(f"{before}{BEGIN}\n\n{measured(run)}\n\n{END}{after}", encoding="utf-8")
