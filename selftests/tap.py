#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads the TAP of one or more test files and sums them up.

Between TAP there are marks:

    #> begin FILE         what follows is of this file
    #> end FILE STATUS    it has ended, with this exit status
    #> fault TEXT         something is wrong that no test of the file tells

Tests are printed as they come, numbered through and named FILE.TEST. The last
line is "N passed, N failed, N skipped". A file that dies, plans nothing or
runs other than its plan is a failed test, and so is a run without any test.
"""

import argparse
import re
import signal
import sys

CLOSING = re.compile(r"\d+ passed, \d+ failed, \d+ skipped$")
PLAN = re.compile(r"1\.\.(\d+)\s*(?:#\s*SKIP\b\s*(.*))?$", re.I)
RESULT = re.compile(r"(not )?ok\b\s*\d*\s*(?:- )?\s*(.*)$")
SKIP = re.compile(r"#\s*SKIP\b\s*(.*)$", re.I)
# What kselftest_harness.h says about each test besides its result.
CHATTER = re.compile(r"#\s+(RUN|OK|FAIL|SKIP)\s+(\S+)|TAP version|# Totals:")


class Summary:
    def __init__(self):
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.files_ended = 0
        self.file = None

    def say(self, line):
        print(line, flush=True)

    def result(self, verdict, name, why=""):
        self.counts[verdict] += 1
        word = "not ok" if verdict == "failed" else "ok"
        skip = " # SKIP" if verdict == "skipped" else ""
        reason = (skip or why and " #") + (why and " " + why)
        self.say("%s %d - %s%s" % (word, sum(self.counts.values()), name, reason))

    def begin(self, name):
        self.file = name
        self.planned = None
        self.seen = 0
        self.seen_failed = 0
        self.running = None

    def end(self, status):
        where = ", in " + self.running if self.running else ""
        if status >= 128:
            trouble = "killed by signal %d%s" % (status - 128, where)
        elif self.planned is None:
            trouble = "printed no plan, exit status %d" % status
        elif self.seen != self.planned:
            trouble = "ran %d of %d tests, exit status %d%s" % (
                self.seen, self.planned, status, where)
        elif status and not self.seen_failed and self.seen:
            trouble = "exit status %d" % status
        else:
            trouble = None
        if trouble:
            self.result("failed", self.file, trouble)
        self.files_ended += 1
        self.file = None

    def mark(self, word, rest):
        if word == "begin":
            self.begin(rest)
        elif word == "end":
            self.end(int(rest.rsplit(" ", 1)[1]))
        elif word == "fault":
            self.result("failed", (self.file or "run") + ".fault", rest)

    def plan(self, match):
        self.planned = (self.planned or 0) + int(match[1])
        if match[1] == "0":
            self.result("skipped", self.file, match[2] or "no reason given")

    def test(self, match):
        name = match[2]
        skip = SKIP.search(name)
        if skip:
            name = name[:skip.start()].strip()
        # The harness of 6.1 leaves out the name of a skipped test.
        name = "%s.%s" % (self.file, name or self.running or "unnamed")
        self.seen += 1
        self.running = None
        if match[1]:
            self.seen_failed += 1
            self.result("failed", name)
        elif skip:
            self.result("skipped", name, skip[1] or "no reason given")
        else:
            self.result("passed", name)

    def line(self, line):
        if line.startswith("#> "):
            word, _, rest = line[3:].partition(" ")
            return self.mark(word, rest)
        if self.file is not None:
            match = PLAN.match(line)
            if match:
                return self.plan(match)
            match = RESULT.match(line)
            if match:
                return self.test(match)
        match = CHATTER.match(line)
        if match:
            if match[1] == "RUN":
                self.running = match[2]
        elif line and not CLOSING.match(line):
            self.say(line if line.startswith("#") else "# " + line)
        return None

    def close(self, files):
        if self.file is not None:
            where = ", in " + self.running if self.running else ""
            self.result("failed", self.file, "never ended" + where)
            self.files_ended += 1
        if self.files_ended < files:
            self.result("failed", "run", "%d of %d files did not run" % (
                files - self.files_ended, files))
        if not sum(self.counts.values()):
            self.result("failed", "run", "nothing ran")
        self.say("1..%d" % sum(self.counts.values()))
        self.say("%(passed)d passed, %(failed)d failed, %(skipped)d skipped"
                 % self.counts)
        return 1 if self.counts["failed"] else 0


def main():
    p = argparse.ArgumentParser(description="Sum up TAP from standard input.")
    p.add_argument("--files", type=int, default=1, help="how many there should be")
    opts = p.parse_args()
    # An interrupt stops those who write; what they wrote is still summed up.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    summary = Summary()
    for line in sys.stdin.buffer:
        summary.line(line.decode(errors="replace").rstrip())
    return summary.close(opts.files)


if __name__ == "__main__":
    sys.exit(main())
