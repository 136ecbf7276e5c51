#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fi_conform finds what is wrong with providers that lie, and names the rule.

usage: liars_test.py FI_CONFORM LIAR_PLUGIN

The liar is soft with one thing wrong (tests/fakes/liar.hpp). Each lie is told to the group of checks that has to find
it out; the same groups hold when no lie is told.
"""
import concurrent.futures
import subprocess
import sys

from plugins import Plugins
from tap import Report

# lie: (rule, group of checks, what the check that failed says)
LIES = {
    "capability_not_asked_for": ("C38", "getinfo", "asked for FI_MSG alone"),
    "capability_without_calls": ("C13", "endpoints", "FI_RMA is claimed"),
    "less_than_asked_for": ("C15", "getinfo", "tx_attr->size"),
    "mode_not_offered": ("C62", "getinfo", "FI_CONTEXT"),
    "name_without_its_size": ("C270", "endpoints", "name.size()"),
    "close_in_use": ("D176", "objects", "fi_close"),
    "order_violated": ("D77", "matching", "received.entry.len"),
    "tag_mask_ignored": ("D76", "matching", "no completion"),
    "cancel_without_completion": ("D98", "matching", "no completion"),
    "cancel_hangs": ("D98", "matching", "no end after 4 s: killed"),
    "cancel_ends_the_process": ("D98", "matching", "ended with status 3"),
    "length_of_what_was_cut": ("D95", "messages", "cut.error.len"),
    "two_completions_for_one_send": ("D3", "queues", "a second completion of operation"),
    "source_not_reported": ("D194", "queues", "pair.to_a"),
    "error_without_context": ("D188", "queues", "op_context"),
    "inject_buffer_read_late": ("D26", "transmit", "got"),
    "unknown_flags_taken": ("D51", "transmit", "fi_sendmsg"),
    "try_again_for_ever": ("D225", "transmit", "-FI_EAGAIN for ever"),
    "timeout_too_early": ("D200", "waiting", "steady_clock"),
}
# Of those that make a check wait in vain; half of it, where the check itself gives up.
SHORT_DEADLINE = {"tag_mask_ignored", "cancel_without_completion", "cancel_hangs", "try_again_for_ever"}


def conform(program, liar, lie, patterns, deadline="60"):
    """Runs the checks over a liar that tells this lie, "" for none: status, output."""
    with Plugins(liar) as plugins:
        plugin = plugins.add("liar", *([f"lie={lie}"] if lie else []))
        run = subprocess.run(
            [program, "--filter", ":".join(patterns), "--deadline", deadline, plugin], env=plugins.environment(),
            capture_output=True, text=True, errors="replace", timeout=220, stdin=subprocess.DEVNULL)
    return run.returncode, run.stdout + run.stderr


def broken_rules(output):
    for line in output.splitlines():
        if line.startswith("broken rules:"):
            return line.split(":")[1].split()
    return []


def tell(program, liar, lie):
    """Tells one lie to the checks of its rule: a complaint if they do not find it out."""
    rule, group, says = LIES[lie]
    # Under one threading model: the same check twice would find the same.
    own = [f"{group}.*{rule}_*-*/domain"]
    status, output = conform(program, liar, lie, own, "4" if lie in SHORT_DEADLINE else "60")
    if status != 1 or rule not in broken_rules(output):
        return f"status {status}, and {rule} is not named:\n{output}"
    return "" if says in output else f"it does not say {says!r}:\n{output}"


def main():
    program, liar = sys.argv[1:]
    report = Report()
    patterns = [f"{group}.*{rule}_*" for rule, group, _ in LIES.values()]
    status, output = conform(program, liar, "", patterns)
    report.case("without a lie the checks hold", output if status or " 0 hold" in output else "")
    # Most of them wait.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for lie, complaint in zip(LIES, pool.map(lambda lie: tell(program, liar, lie), LIES)):
            report.case(f"{lie} breaks {LIES[lie][0]}", complaint)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
