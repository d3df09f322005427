#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""plots.py RUN DIR: what a run of the benchmark looks like, drawn by gnuplot as
*.svg in DIR."""

import json
import os
import subprocess
import sys

MODES = ("key", "lat", "tput")
# Rings of equal nodes, of which only the number of vnodes differs.
EQUAL = "64x"
STYLE = """
set terminal svg size 800,600 dynamic background rgb 'white'
set grid
set key outside right noenhanced
set logscale x
"""


def series(run, mode, rings, of):
    """{structure: [(of the ring, ns)]}, ascending."""
    lines = {}
    for row in run["rows"]:
        if row["mode"] == mode and row["ring"] in rings:
            lines.setdefault(row["structure"], []).append(
                (rings[row["ring"]][of], row["ns"]))
    return {name: sorted(points) for name, points in lines.items()}


def draw(file, settings, lines):
    if not any(lines.values()):
        return
    script = [STYLE, "set output '%s'" % file, settings]
    for i, points in enumerate(lines.values()):
        script.append("$data%d << EOD" % i)
        script += ["%g %g" % point for point in points]
        script.append("EOD")
    script.append("plot " + ", ".join(
        "$data%d with linespoints linewidth %d title '%s'" % (
            i, 3 if name == "chring" else 1, name)
        for i, name in enumerate(lines)))
    subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)


def main():
    with open(sys.argv[1]) as f:
        run = json.load(f)
    rings = {r["ring"]: r for r in run["rings"]}
    equal = {name: r for name, r in rings.items() if name.startswith(EQUAL)}
    for mode in MODES:
        labels = "set xlabel '%s'\nset ylabel 'ns a lookup, " + mode + "'\nset logscale y"
        draw(os.path.join(sys.argv[2], "tokens-%s.svg" % mode), labels % "tokens",
             series(run, mode, rings, "tokens"))
        draw(os.path.join(sys.argv[2], "vnodes-%s.svg" % mode),
             labels % "vnodes of each of 64 nodes",
             series(run, mode, equal, "vnodes"))
    draw(os.path.join(sys.argv[2], "spread.svg"),
         "set xlabel 'vnodes of each of 64 nodes'\n"
         "set ylabel 'spread of shares, %'\nset yrange [0:]",
         {"64 nodes": sorted((r["vnodes"], 100 * r["spread"])
                             for r in equal.values())})


if __name__ == "__main__":
    main()
