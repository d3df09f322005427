#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report.py RUN INSTRUCTIONS OUT: joins what was measured with what was counted
in OUT, and prints all of it as tables, ratios first."""

import json
import os
import sys

MODES = ("key", "lat", "tput")


def columns(rows, key, names):
    """{row name: {column name: row}} of the rows that have one of the names."""
    table = {}
    for row in rows:
        if row[key] in names:
            table.setdefault(row["structure"], {})[row[key]] = row
    return table


def print_table(title, head, lines):
    if not lines:
        return
    widths = [max(len(line[i]) for line in [head] + lines)
              for i in range(len(head))]
    print("\n" + title)
    for line in [head] + lines:
        cells = [line[0].ljust(widths[0])]
        cells += [c.rjust(w) for c, w in zip(line[1:], widths[1:])]
        print("  " + "  ".join(cells).rstrip())


def number(x, unit=""):
    if x is None:
        return "-"
    digits = 0 if x >= 1000 else 1 if x >= 100 else 2
    return "%.*f%s" % (digits, x, unit)


def print_lookups(run, ring):
    rows = [r for r in run["rows"] if r["ring"] == ring]
    table = columns(rows, "mode", MODES)
    if not table:
        return
    tokens = next((r["tokens"] for r in run["rings"] if r["ring"] == ring), None)
    title = "%s%s: times chring's, then ns a lookup" % (
        ring, "" if tokens is None else " (%s tokens)" % format(tokens, ","))
    lines = []
    for name, cells in table.items():
        found = [cells.get(mode, {}) for mode in MODES]
        lines.append([name] + [number(c.get("ratio"), "x") for c in found] +
                     [number(c.get("ns")) for c in found])
    print_table(title, ["", *MODES, *MODES], lines)


def print_changes(run):
    for mode in ("add", "delete", "flip", "build"):
        rows = [r for r in run["rows"] if r["mode"] == mode]
        if rows:
            print_table("%s on %s: times chring's, then ms" % (
                mode, rows[0]["ring"]), ["", mode, "ms"], [
                    [r["structure"], number(r.get("ratio"), "x"),
                     "%.3f" % (r["ns"] / 1e6)] for r in rows])


def print_rings(run):
    print_table("rings: bytes a token, of tables and of nodes; spread of shares", [
        "", "tokens", "table", "nodes", "spread"], [
            [r["ring"], format(r["tokens"], ","), "%.1f" % r["table_per_token"],
             "%.1f" % r["nodes_per_token"], "%.1f %%" % (100 * r["spread"])]
            for r in run["rings"]])


def print_memory(run, ring):
    rows = [r for r in run["memory"] if r["ring"] == ring and r["bytes"] and
            r["structure"] not in ("chring_answer", "chring_batch", "floor_lat",
                                   "floor_tput")]
    print_table("%s: bytes a token" % ring, ["", ""], [
        [r["structure"], "%.1f" % r["per_token"]] for r in rows])


def print_threads(run):
    rows = run["threads"]
    if not rows:
        return
    print_table("%s, two processors: times one reader alone, then lookups a second" %
                rows[0]["ring"], ["", "", "", "M/s"], [
                    [r["structure"], "%d reader%s%s" % (
                        r["readers"], "s"[:r["readers"] - 1],
                        ", a writer" if r["writer"] else ""),
                     number(r["of_one"], "x"), "%.1f" % (r["per_second"] / 1e6)]
                    for r in rows])


def print_batches(run):
    rows = [r for r in run["rows"] if r["structure"] == "chring_batch"]
    print_table("batches: M keys a second", ["", "keys", "positions"], [
        [ring] + ["%.1f" % (1e3 / r["ns"]) for mode in ("key", "tput")
                  for r in rows if r["ring"] == ring and r["mode"] == mode]
        for ring in dict.fromkeys(r["ring"] for r in rows)])


def print_instructions(run):
    print_table("instructions", ["", "", ""], [
        [r["ring"], r["of"], "%.2f" % r["instructions"]]
        for r in run["instructions"]])


def main():
    with open(sys.argv[1]) as f:
        run = json.load(f)
    with open(sys.argv[2]) as f:
        run["instructions"] = json.load(f)
    part = sys.argv[3] + ".part"
    with open(part, "w") as f:
        json.dump(run, f, indent=1)
        f.write("\n")
    os.rename(part, sys.argv[3])
    # Those that are no rings come last.
    tokens = {r["ring"]: r["tokens"] for r in run["rings"]}
    run["rings"].sort(key=lambda r: r["tokens"])
    run["rows"].sort(key=lambda r: tokens.get(r["ring"], sys.maxsize))
    for ring in dict.fromkeys(r["ring"] for r in run["rows"]):
        print_lookups(run, ring)
    print_batches(run)
    print_changes(run)
    print_threads(run)
    print_rings(run)
    print_memory(run, "1000x1000")
    print_instructions(run)


if __name__ == "__main__":
    main()
