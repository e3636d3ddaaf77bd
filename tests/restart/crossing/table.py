#!/usr/bin/python3
"""Prints docs/any_mpi.md: table.py --build BUILD [--seeds A..B] > docs/any_mpi.md

Each program is built with an MPI, runs over it, is saved and killed. Its checkpoint restarts over each live MPI. All lines that
count must be those of the native run. The programs: heat2d, the many objects of tests/mpi, random programs.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "scripts" / "support")]
from crossing_test import over  # noqa: E402
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Failed  # noqa: E402
from workplace import Workplace  # noqa: E402

HEAD = """# Any MPI

A checkpoint restarts over another MPI than the one that it was written over. This table is from runs: its rows are the MPIs that
a program was built with and saved over, its columns the MPIs that it was restarted over. A cell counts the programs whose output
was that of their native run. The programs are heat2d, a program with many live objects, and random programs, which call {what}.

Print the page again: `tests/restart/crossing/table.py --build BUILD --seeds A..B > docs/any_mpi.md`. The number of cores should be
that of the ranks: MPICH's ranks spin while they wait.
"""
WHAT = "messages,\ncollectives, communicators, groups, datatypes, operations and persistent requests"
COUNTED = re.compile("^(checksum|rank|result)")
KEPT = 240      # characters of a cause
STEPS, PAUSE_MS = 60, 5


def version_of(build, mpi):
    return subprocess.run([build / "libexec" / "mana" / f"mana-lower-{mpi}", "mpi-version"], capture_output=True, text=True,
                          check=True).stdout.strip()


def programs(build, mpi, seeds):
    """{name: words}"""
    found = {"heat2d": [build / "examples" / "heat2d" / f"heat2d_{mpi}", "heat2d.par"],
             "many objects": [build / "tests" / "mpi" / "programs" / f"many_objects_{mpi}", 60, 20, 100, 500]}
    for seed in seeds:
        file = build / "tests" / "random" / "programs" / f"random_program_{mpi}"
        found[f"random program {seed}"] = [file, seed, STEPS, PAUSE_MS]
    return found


def counted(lines):
    return sorted(line.rstrip() for line in lines if COUNTED.match(line))


def saved(place, words, chance):
    """out: the lines that came before the kill. The checkpoint is taken after a random step."""
    job = place.run(*words)
    said = []
    for _ in range(chance.randint(1, 10)):
        said += job.until("step ")
    place.checkpoint()
    return said + job.killed()


def cause_of(text):
    """The line of mana's that says why, or the last one."""
    lines = [line for line in str(text).splitlines() if line.strip()]
    said = [line for line in lines if "mana: error" in line or "does not hold" in line or "_ERR_" in line]
    return (said or lines or ["no output"])[0][:KEPT]


def row(place, named, number_of):
    """{live MPI: [(program, cause of its failure)]}"""
    failures = {live: [] for live in FAMILIES}
    for name, words in named.items():
        chance = random.Random(number_of + name)
        expected = counted(place.start(*words).end())
        try:
            before = saved(place, words, chance)
        except Failed as failed:
            for live in FAMILIES:
                failures[live].append((name, "not saved: " + cause_of(failed)))
            continue
        for live in FAMILIES:
            to = over(place, live)
            shutil.rmtree(to.ckpt, ignore_errors=True)
            shutil.copytree(place.ckpt, to.ckpt)
            (to.ckpt / "job.json").unlink(missing_ok=True)
            try:
                found = counted(before + to.restart().end())
                if found != expected:
                    failures[live].append((name, f"prints {found[-1] if found else 'nothing'}, and not {expected[-1]}"))
            except (Failed, subprocess.TimeoutExpired) as failed:
                failures[live].append((name, cause_of(failed)))
        print(f"{place.mpi}: {name}", file=sys.stderr, flush=True)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", default="1..20", metavar="A..B")
    options = parser.parse_args()
    build = options.build.resolve()
    first, last = (int(word) for word in options.seeds.split(".."))
    seeds = range(first, last + 1)
    lives = {mpi: version_of(build, mpi) for mpi in FAMILIES}
    count = len(seeds) + 2
    print(HEAD.format(what=WHAT))
    print("| written over | " + " | ".join(f"restarted over {lives[live]}" for live in FAMILIES) + " |")
    print("|---|" + "---|" * len(FAMILIES), flush=True)
    causes = []
    for mpi in FAMILIES:
        options.mpi = mpi
        with Workplace(options, "any-mpi") as place:
            for live in FAMILIES:
                shutil.copy(HERE / "heat2d.par", place.directory)
                shutil.copy(HERE / "heat2d.par", over(place, live).directory)
            failures = row(place, programs(build, mpi, seeds), mpi)
        cells = [f"{count - len(failures[live])} of {count}" for live in FAMILIES]
        print(f"| {lives[mpi]} | " + " | ".join(cells) + " |", flush=True)
        causes += [(lives[mpi], lives[live], name, why) for live in FAMILIES for name, why in failures[live]]
    if causes:
        print("\n## What failed\n\n| written over | restarted over | program | cause |\n|---|---|---|---|")
        for cells in causes:
            print("| " + " | ".join(cell.replace("|", "¦") for cell in cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
