#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""instructions.py COUNT CALLS OUT: how many instructions lookups take, by
callgrind, and those through /dev/chring that file CALLS tells of (see calls.c),
as JSON in OUT. The same code gives the same numbers in every run."""

import json
import os
import re
import subprocess
import sys

RINGS = ((32, 160), (1000, 160))
QUICK_RINGS = 1
LOOKUPS = 8192
# What is counted, and the function of chring.c, or libchring, that it happens in.
KINDS = (
    ("lookup of a key", "find_key"),
    ("lookup of a key, by libchring", "chring_find"),
    ("lookup of a position", "find_position"),
    ("batch, a key", "find_many_keys"),
    ("batch, a position", "find_many"),
)


def collected(count, ring, function):
    """Instructions inside of the function, and of what it calls."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               "--toggle-collect=" + function, count, str(ring[0]), str(ring[1]),
               function, str(LOOKUPS)]
    # Names are looked up at the beginning, not in the first lookup.
    done = subprocess.run(command, env=dict(os.environ, LD_BIND_NOW="1"),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace")
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found or not int(found[1]):
        sys.exit("bench: callgrind counted nothing in %s:\n%s" % (
            function, done.stderr))
    return int(found[1])


def main():
    rows = []
    quick = os.environ.get("QUICK", "0") not in ("", "0")
    for ring in RINGS[:QUICK_RINGS if quick else None]:
        for name, function in KINDS:
            print("bench: counting instructions: %dx%d, %s" % (*ring, name),
                  file=sys.stderr)
            rows.append({
                "ring": "%dx%d" % ring, "of": name,
                "instructions": collected(sys.argv[1], ring, function) / LOOKUPS,
            })
    with open(sys.argv[2]) as f:
        for line in f:
            ring, of, instructions = line.rstrip("\n").split("\t")
            rows.append({"ring": ring, "of": of, "instructions": float(instructions)})
    with open(sys.argv[3], "w") as f:
        json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
