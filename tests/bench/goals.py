# SPDX-License-Identifier: BSD-2-Clause
"""What is wanted of soft, each as a ratio within one pass, and what was reached: the median over the passes."""
import statistics

SHM, TCP, UCX = "soft, shared memory", "soft, TCP", "UCX, shared memory"


def to_limit(contender, measure, size, limit):
    """The figure beside a limit of the machine, pass by pass."""
    def ratios(samples):
        return [sample["limits"][limit][1] for sample in samples.get((contender, measure, size), []) if sample and
                limit in sample["limits"]]
    return ratios


def to_other(contender, measure, size, other, other_measure):
    """The figure beside another one of the same pass."""
    def ratios(samples):
        pairs = zip(samples.get((contender, measure, size), []), samples.get((other, other_measure, size), []))
        return [one["value"] / two["value"] for one, two in pairs if one and two]
    return ratios


def at_most(bound):
    return f"<= {bound:g}", lambda value: value <= bound


def at_least(bound):
    return f">= {bound:g}", lambda value: value >= bound


# (what, goal, known of others, ratios)
GOALS = (
    ("shared memory, 8 B one way / a cache line one way", at_most(1.5), "libfabric 2.6 shm 2.3-2.7, UCX 1.9",
     to_limit(SHM, "latency", 8, "cache line")),
    ("the same with 63 other connected peers / with none", at_most(1.3), "",
     to_other(SHM, "latency with 63 idle peers", 8, SHM, "latency")),
    ("shared memory, 8 B rate, window 64 / that of UCX", at_least(1.4), "libfabric 2.6 shm 0.37",
     to_other(SHM, "rate", 8, UCX, "rate")),
    ("shared memory, 64 KiB bandwidth / process_vm_readv", at_least(0.85), "0.67",
     to_limit(SHM, "bandwidth", 65536, "process_vm_readv")),
    ("shared memory, 1 MiB bandwidth / process_vm_readv", at_least(0.95), "0.94",
     to_limit(SHM, "bandwidth", 1048576, "process_vm_readv")),
    ("shared memory, 1 MiB bandwidth with process_vm_readv refused / memcpy", at_least(0.4), "",
     to_limit(SHM, "bandwidth without process_vm_readv", 1048576, "memcpy")),
    ("TCP, 64 B one way / raw TCP", at_most(1.08), "libfabric 2.6 1.21", to_limit(TCP, "latency", 64, "tcp one way")),
    ("TCP, 64 KiB one way / raw TCP", at_most(1.1), "libfabric 2.6 1.0", to_limit(TCP, "latency", 65536, "tcp one way")),
    ("TCP, 64 B messages, window 64, in one raw one-way time", at_least(9), "libfabric 2.6 1.2",
     to_limit(TCP, "rate", 64, "tcp one way")),
    ("TCP, 1 MiB bandwidth / raw TCP stream", at_least(0.95), "libfabric 2.6 0.8",
     to_limit(TCP, "bandwidth", 1048576, "tcp stream")),
)

# (what, unit, bound, contender, member of the answer)
MEMORY = (
    ("an idle endpoint", 1024, SHM, "endpoint_bytes"),
    ("a peer on this machine", 64, SHM, "peer_bytes"),
    ("a peer over TCP", 16, TCP, "peer_bytes"),
)

# (row of instructions.py without its path, column, bound)
INSTRUCTIONS = (
    ("empty fi_cq_read", "table", 40), ("fi_tinject of 8 bytes", "table", 100),
    ("fi_tsend of 8 bytes and its completion", "table", 200), ("fi_trecv, matched, and its completion", "table", 250),
    ("empty fi_cq_read", "guarded", 14), ("fi_tinject of 8 bytes", "guarded", 75),
)


def verdict(holds):
    return "yes" if holds else "**no**"


def goal_rows(samples):
    for what, (bound, holds), known, ratios in GOALS:
        found = ratios(samples)
        if not found:
            yield what, bound, known, "not measured", ""
            continue
        value = statistics.median(found)
        yield what, bound, known, f"{value:.2f} ({min(found):.2f}-{max(found):.2f})", verdict(holds(value))


def memory_rows(resident):
    for what, bound, contender, member in MEMORY:
        found = resident.get(contender)
        kilobytes = found[member] / 1024 if found else None
        yield (f"resident, {what}", f"< {bound} KiB", "", f"{kilobytes:.1f} KiB" if found else "not measured",
               verdict(kilobytes < bound) if found else "")


def instruction_rows(table):
    """table: {row: {column: instructions}} of shared memory."""
    for call, column, bound in INSTRUCTIONS:
        value = table.get(call, {}).get(column)
        yield (f"instructions, {column}: {call}", f"<= {bound}", "", f"{value:.1f}" if value is not None else "not measured",
               verdict(value <= bound) if value is not None else "")
