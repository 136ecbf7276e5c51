# SPDX-License-Identifier: BSD-2-Clause
"""Test results in the Test Anything Protocol, so that each compiled header and each shared object counts as a case."""
import sys


class Report:
    def __init__(self):
        self.count = self.bad = 0

    def case(self, name, complaint=""):
        """One result: an empty complaint passes; a complaint is shown below the failed case."""
        self.count += 1
        self.bad += bool(complaint)
        print(f"{'not ok' if complaint else 'ok'} {self.count} - {name}")
        for line in complaint.splitlines():
            print(f"# {line}")
        sys.stdout.flush()

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.bad or not self.count else 0
