#!/usr/bin/python3
"""Writes the results of the kill matrix, which matrix.py --results leaves, into docs/reliability.md; or only checks its rows.

Without results: status 1 unless the table has a row for each fault point, and all its cases passed.
"""
import argparse
import json
import pathlib
import re
import sys

from matrix import MPIS, POINTS, VICTIMS, victims_of
from workbench import ROOT

DOCUMENT = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- kill matrix: written by tests/fault/matrix_table.py -->\n", "<!-- end of the kill matrix -->\n"


def cell(results, point, victim):
    found = [results[mpi, point, victim] for mpi in MPIS if (mpi, point, victim) in results]
    return f"{found.count(True)} of {len(found)}" if found else "–"


def table(results):
    lines = ["| fault point | " + " | ".join(VICTIMS) + " |", "|---" * (len(VICTIMS) + 1) + "|"]
    lines += [f"| `{point}` | " + " | ".join(cell(results, point, victim) for victim in VICTIMS) + " |"
              for point, _, who in POINTS if victims_of(point, who)]
    passed = list(results.values()).count(True)
    return "\n".join([*lines, "", f"{passed} of {len(results)} cases passed."]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, nargs="*", help="later ones count more")
    options = parser.parse_args()
    before, _, rest = DOCUMENT.read_text().partition(BEGIN)
    old, _, after = rest.partition(END)
    if not options.results:
        lacking = [point for point, _, who in POINTS if victims_of(point, who) and f"| `{point}` |" not in old]
        failed = [found[0] for found in re.finditer(r"\| (\d) of (\d) ", old) if found[1] != found[2]]
        print(f"{DOCUMENT}: no row for {', '.join(lacking)}; cells that did not pass: {len(failed)}" if lacking or failed
              else "the table has all fault points, and all passed")
        return 1 if lacking or failed else 0
    results = {(mpi, point, victim): passed for file in options.results for mpi, point, victim, passed in json.loads(file.read_text())}
    DOCUMENT.write_text(before + BEGIN + table(results) + END + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
