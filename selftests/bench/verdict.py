#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""verdict.py RUN: which of its targets chring met in a run of the benchmark, a
line each, moonshots in brackets. Exit status 1 if one does not hold."""

import json
import sys


class Run:
    def __init__(self, run):
        self.run = run
        self.row = {(r["ring"], r["structure"], r["mode"]): r for r in run["rows"]}

    def times(self, ring, mode, rival, structure="chring"):
        """How many times the rival's time chring's is: in the median round."""
        mine = self.row[ring, structure, mode]["ratio"]
        return mine / self.row[ring, rival, mode]["ratio"]

    def ns(self, ring, structure, mode):
        return self.row[ring, structure, mode]["ns"]

    def ring(self, name):
        return next(r for r in self.run["rings"] if r["ring"] == name)

    def threads(self, readers, writer):
        return next(r["of_one"] for r in self.run["threads"]
                    if r["structure"] == "chring" and
                    (r["readers"], r["writer"]) == (readers, writer))


def slower(text, bound, moonshot, figure):
    """A target that is at most so many times something."""
    return (text, "at most", bound, moonshot, figure)


def faster(text, bound, figure):
    return (text, "at least", bound, None, figure)


def against(ring, mode, rival, bound, moonshot=None):
    return slower("%s, %s: of %s" % (ring, mode, rival), bound, moonshot,
                  lambda run: run.times(ring, mode, rival))


def ahead(ring, rival, bound):
    return faster("%s, key: faster than %s" % (ring, rival), bound,
                  lambda run: 1 / run.times(ring, "key", rival))


def clustered(ring, mode):
    """Against the faster one of the two plain searches."""
    return slower("%s (one bucket has all tokens), %s: of binary search" % (
        ring, mode), 1.5, None, lambda run: max(
            run.times(ring, mode, "bsearch_branchy"),
            run.times(ring, mode, "bsearch_branchless")))


def vnodes(many, bound):
    name = "64x%d" % many
    return slower("64 nodes, vnodes 160 -> %d, key" % many, bound, None,
                  lambda run: run.ns(name, "chring", "key") /
                  run.ns("64x160", "chring", "key"))


LARGE = "16000x1000"
MILLION = "1000x1000"

TARGETS = (
    against("32x160", "lat", "maglev65537_mod", 1.15, 0.8),
    against("32x160", "key", "maglev65537_mod", 1.5, 1.2),
    against("1000x160", "lat", "maglev655373_mod", 1.6),
    against("1000x160", "key", "maglev655373_mod", 1.5),
    ahead("32x160", "bsearch_branchless", 2.5),
    ahead(MILLION, "bsearch_branchless", 4),
    ahead(MILLION, "eytzinger", 2.5),
    ahead("32x160", "stdmap", 9),
    ahead(MILLION, "stdmap", 25),
    ahead("32x160", "libmemcached", 12),
    slower("32x160, key, by libchring: of chring", 1.15, None,
           lambda run: run.times("32x160", "key", "chring", "libchring")),
    slower("1000x160, key, by libchring: of chring", 1.15, None,
           lambda run: run.times("1000x160", "key", "chring", "libchring")),
    slower("32x160, key, by libchring: of chring that gives back as much", 1.15, None,
           lambda run: run.times("32x160", "key", "chring_answer", "libchring")),
    slower("1000x160, key, by libchring: of chring that gives back as much", 1.15, None,
           lambda run: run.times("1000x160", "key", "chring_answer", "libchring")),
    against(LARGE, "lat", "floor_lat", 2.2, 1.3),
    slower(LARGE + ", a key of a batch: of floor_tput", 4, 2,
           lambda run: run.times(LARGE, "tput", "floor_tput", "chring_batch")),
    vnodes(1024, 1.6),
    vnodes(4096, 2.5),
    slower(MILLION + ", a node more: of memcpy of the table", 3, None,
           lambda run: run.times(MILLION, "add", "memcpy")),
    faster(MILLION + ", a node more: faster than heapsort of all", 60,
           lambda run: 1 / run.times(MILLION, "add", "heapsort")),
    clustered("clustered-40", "lat"),
    clustered("clustered-40", "tput"),
    clustered("clustered-24", "lat"),
    clustered("clustered-24", "tput"),
    faster("64x256, a writer beside a reader: of its throughput alone", 0.95,
           lambda run: run.threads(1, True)),
    faster("64x256, two readers: of one", 1.9, lambda run: run.threads(2, False)),
    ("%s: bytes a token" % MILLION, "at most", 24, None,
     lambda run: run.ring(MILLION)["table_per_token"]),
)


def judge(run, target):
    """Return: does it hold?"""
    text, side, bound, moonshot, figure = target
    unit = "" if text.endswith("a token") else "x"
    try:
        x = figure(run)
    except (KeyError, StopIteration):
        print("MISSED  %s: not measured" % text)
        return False
    holds = x <= bound if side == "at most" else x >= bound
    print("%s  %s: %.2f%s (%s %g%s%s)" % (
        "holds " if holds else "MISSED", text, x, unit, side, bound, unit,
        "" if moonshot is None else " [%g%s]" % (moonshot, unit)))
    return holds


def main():
    try:
        with open(sys.argv[1]) as f:
            run = Run(json.load(f))
    except FileNotFoundError:
        sys.exit("bench-verdict: there is no run yet (%s): make bench" % sys.argv[1])
    except (ValueError, KeyError, TypeError) as e:
        sys.exit("bench-verdict: %s is not a whole run (%s): make bench" % (
            sys.argv[1], e))
    held = [judge(run, target) for target in TARGETS]
    print("%d of %d targets hold%s" % (
        sum(held), len(held), ", in a QUICK run: of few repeats"
        if run.run.get("run") == "quick" else ""))
    sys.exit(not all(held))


if __name__ == "__main__":
    main()
