#!/usr/bin/python3
"""Programs of real_program.py over other MPIs and in other systems: prints tables of docs/real_programs.md.

    elsewhere.py page build/release [trixie=build/systems/trixie/build/release …] [--programs NAME:MPI …]

In the first system each program runs natively over its own MPI, and under mana over each live MPI: to its end, and until a
checkpoint at a random moment, after which it is killed. Each checkpoint is restarted over each other live MPI of each system. The
lines and files that are the program's result must be the native ones. SYSTEM=BUILD is as in ../crossing/square.py. `lives`,
`save` and `restart` are the parts that run in a system.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "crossing"), str(HERE.parents[2] / "scripts" / "support")]
from comparison import Comparison, parts_that_count  # noqa: E402
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Failed, Job, mpirun  # noqa: E402
from real_program import PROGRAMS, input_files, scratch_of, words_of  # noqa: E402
import square  # noqa: E402

SILENCE_S = 600
TAKES = 5          # runs until one lives at its moment
FEW_LINES = 5      # with fewer of them, moments are chosen by time
# What shortens a run: words, or other last words, of the command; other words in the inputs.
MORE = {"lammps_melt": ["-var", "steps", "20"], "lammps_pppm": ["-var", "steps", "10"], "gromacs": ["-nsteps", "100"]}
STEPS = {"mpi4py": "100", "mpi4py_futures": "100", "mpi4py_pool": "100", "mpi4py_windows": "60", "global_arrays": "60"}
SMALLER = {"lj.in": [(r"thermo 10", "thermo 2")], "pppm.in": [("0 12 0 12 0 12", "0 8 0 8 0 8"), (r"thermo 5", "thermo 1")],
           "si.in": [(" 2 2 2 1 1 1", " 1 1 1 1 1 1"), ("ecutwfc=14.0", "ecutwfc=10.0"), ("1.0d-10", "1.0d-8")],
           "LU.dat": [(r"\d(\s+number of (NB's|NRHS's))", r"1\1"), (r"\d(\s+Number of NBRHS's)", r"1\1"),
                      (r"\d(\s+number of process grids)", r"2\1")],
           "bt.dat": [(r"\n5 ", r"\n1 ")]}
SHARE = 0.7        # of the run, in which moments lie


def program(name):
    """The program, made to end soon: there are many cells."""
    real = PROGRAMS[name]
    if name == "xCbtest":
        return dataclasses.replace(real, inputs=PROGRAMS["xFbtest"].inputs)
    if name in MORE:
        # One thread a rank: threads that wait for each other spin, and are slow where there are few cores.
        alone = ["1" if before == "-ntomp" else word for before, word in zip(["", *real.command], real.command)]
        return dataclasses.replace(real, command=[*alone, *MORE[name]])
    return dataclasses.replace(real, command=[*real.command[:-1], STEPS[name]]) if name in STEPS else real


def facts_of(real):
    """The options of restart_test.py that say what a program's result is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--buffered", action="store_true")
    parser.add_argument("--scratch")
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--file-lines", default="")
    parser.add_argument("--status", action="append", type=int)
    return parser.parse_args(real.options)


class Place:
    """The directory of a program that was built for an MPI, in --work. It has the same path wherever the program restarts."""

    def __init__(self, options, name):
        self.name, _, self.own = name.partition(":")
        self.mana, self.launcher = options.build / "bin" / "mana", options.launcher
        self.live = ["--mpi", options.live]
        self.real, self.facts = program(self.name), facts_of(PROGRAMS[self.name])
        self.output = Comparison(re.compile(self.real.lines), self.facts.buffered)
        self.work = options.work
        self.directory = self.work / f"{self.name}-{self.own}"
        self.ckpt, self.log = self.directory / "ckpt", self.directory / "log"
        self.inputs, self.command, self.jobs = [], [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for job in self.jobs:
            if job.process.poll() is None:
                job.kill()

    def make_inputs(self):
        made = scratch_of(self.work, self.name, self.own)
        self.inputs = input_files(self.real, made, self.own)
        self.command = words_of(self.real, made, self.own)

    def empty(self):
        """Nothing is left but the inputs."""
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        for file in self.inputs:
            shutil.copy(file, self.directory)
        for name, pairs in SMALLER.items():
            if (file := self.directory / name).exists():
                for old, new in pairs:
                    file.write_text(re.sub(old, new, file.read_text()))

    def start(self, launcher, *words, environment=None):
        self.jobs.append(Job([*mpirun(launcher, self.real.ranks), *map(str, words)], self.directory, self.log, environment))
        return self.jobs[-1]

    def run(self):
        """From the beginning, under mana. Open MPI needs its setting for windows natively alone."""
        self.empty()
        kept = [f"{name}={value}" for name, value in self.real.environment.items() if not name.startswith("OMPI_")]
        return self.start(self.launcher, *(["env", *kept] if kept else []), self.mana, "run", "--ckpt-dir", "ckpt",
                          *self.live, "--abi", self.own, "--", *self.command)

    def text(self, job):
        """All that the job says, to its good end."""
        while job.next_line(SILENCE_S) is not None:
            pass
        try:
            status = job.process.wait(SILENCE_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"the launcher does not end; see {job.examine()}") from None
        if status not in (self.facts.status or [0]):
            raise Failed("".join(job.said[-15:]) + f"status {status}")
        return "".join(job.said)

    def files(self):
        """{name: the parts that count of each result file}"""
        expression = re.compile(self.facts.file_lines)
        texts = {name: (self.directory / name).read_bytes().decode("latin-1") for name in self.facts.file}
        return {name: parts_that_count(expression, text.splitlines(keepends=True)) for name, text in texts.items()}

    def require(self, differs, files):
        if differs is not None:
            raise Failed(differs)
        for name, lines in self.files().items():
            if lines != files[name]:
                raise Failed(f"{name} differs")


# ---- in a system

def natively(place):
    """What the program says and writes over its own MPI."""
    if (known := place.work / "natively" / f"{place.name}-{place.own}.json").exists():
        return json.loads(known.read_text())
    place.empty()
    begin = time.monotonic()
    job = place.start(place.own, *place.command, environment=place.real.environment)
    said = {"expected": place.output.of(place.text(job)), "files": place.files(), "seconds": time.monotonic() - begin}
    if not said["expected"] and not said["files"]:
        raise Failed("no line counts")
    known.parent.mkdir(exist_ok=True)
    known.write_text(json.dumps(said))
    return said


def killed(place, chance, latest):
    """What the program said until it was killed, after a checkpoint at a random moment; None if it ended before.

    latest: seconds after the start of its ranks, for programs of few lines
    """
    job = place.run()
    if not job.wait_until_up(place.ckpt):
        return None
    count = len(place.output.expected)
    if count < FEW_LINES:
        time.sleep(chance.uniform(0, latest))
    else:
        wanted = chance.randint(1, int(SHARE * count))
        while wanted > 0 and (line := job.next_line(SILENCE_S)) is not None:
            wanted -= len(place.output.of(line))
    if not job.checkpoint(str(place.mana), place.ckpt, SILENCE_S):
        return None
    job.killed()
    return "".join(job.said)


def saved(place, said, target, chance):
    """Adds to said what the program said before it was killed. Its directory is copied to target."""
    for take in range(TAKES):
        # A short run spends most of its time in launchers, before its ranks are up.
        if (before := killed(place, chance, SHARE * said["seconds"] / 2 ** take)) is not None:
            said["before"] = before
            (place.ckpt / "job.json").unlink(missing_ok=True)       # of the job that was killed
            shutil.copytree(place.directory, target / "place", symlinks=True)
            return
    raise Failed(f"the program ended before its moment {TAKES} times")


def save(options):
    """Of each program: DIR/PROGRAM/place, its directory, and what it said and has to say in said.json."""
    for name in options.names:
        target = options.directory / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        said = {"plain": "not run"}
        with Place(options, name) as place:
            try:
                place.make_inputs()
                said |= natively(place)
                place.output.expected = said["expected"]
                said["plain"] = "no result"
                if place.launcher != place.own:
                    begin = time.monotonic()       # the same program may take a hundred times as long over its own MPI
                    place.require(place.output.differs(place.text(place.run())), said["files"])
                    said["seconds"] = time.monotonic() - begin
                said["plain"] = ""
                saved(place, said, target, random.Random(f"{options.seed} {name} {options.launcher}"))
            except (Failed, OSError, subprocess.SubprocessError) as failed:
                said["cause"] = str(failed)
        (target / "said.json").write_text(json.dumps(said))


def restart(options):
    """Of each program of DIR: DIR/PROGRAM/result.json, why its restart failed, or \"\"."""
    for name in options.names:
        source = options.directory / name
        said = json.loads((source / "said.json").read_text())
        cause = ""
        with Place(options, name) as place:
            shutil.rmtree(place.directory, ignore_errors=True)
            shutil.copytree(source / "place", place.directory, symlinks=True)
            place.output.expected = said["expected"]
            try:
                job = place.start(options.launcher, place.mana, "restart", *place.live, place.ckpt)
                place.require(place.output.pieces_differ([said["before"], place.text(job)]), said["files"])
            except (Failed, OSError, subprocess.SubprocessError) as failed:
                cause = str(failed)
                shutil.copy(place.log, source / "log")
        (source / "result.json").write_text(json.dumps(cause))


# ---- the page

class System(square.System):
    SCRIPT = str(pathlib.Path(__file__).resolve().relative_to(square.TREE))

    def part(self, part, live, directory, names, *words):
        over = live["program"] if live["program"] == "standard" else live["launcher"]
        self.do(part, "--launcher", live["launcher"], "--live", over, "--directory", self.seen_inside(directory),
                "--work", self.work, *words, *names)


def one_cell(row, column, source, names):
    """{program: cause}"""
    system, live = column
    target = system.build / "real-programs" / "to" / f"{row} to {live['title']}"
    shutil.rmtree(target, ignore_errors=True)
    for name in names:
        shutil.copytree(source / name, target / name, symlinks=True)
    try:
        system.part("restart", live, target, names)
        return {name: json.loads((target / name / "result.json").read_text()) for name in names}
    finally:
        for name in names:
            shutil.rmtree(target / name / "place", ignore_errors=True)


def said_of(source, name):
    file = source / name / "said.json"
    return json.loads(file.read_text()) if file.exists() else {}


def one_row(options, row, systems, results, seed):
    """All restarts of one checkpoint of each program. What is in results is not run again."""
    (here, _), title = row, row[1]["title"]
    source = here.build / "real-programs" / "saved" / f"{title} {seed}"
    if missing := [name for name in options.programs if "before" not in said_of(source, name)]:
        here.part("save", row[1], source, missing, "--seed", seed)
    cells = {name: results.setdefault(name, {}).setdefault(title, {}).setdefault(str(seed), {}) for name in options.programs}
    for name, cell in cells.items():
        said = said_of(source, name)
        cell["plain"] = said["plain"] and said["cause"]
        if "before" not in said:
            print(f"{title}, {name}: not saved: {said['cause']}", file=sys.stderr, flush=True)
    for system, to in systems:
        names = [name for name in options.programs if to["title"] not in cells[name] and "before" in said_of(source, name)]
        if not names or to["title"] == title or not options.over.search(to["title"]):
            continue
        for name, cause in one_cell(title, (system, to), source, names).items():
            cells[name][to["title"]] = cause
            print(f"{title}, {to['title']}, {name}: {cause or 'equal'}", file=sys.stderr, flush=True)
        options.results.write_text(json.dumps(results, indent=1))


def counted(cells):
    return f"{cells.count('')} of {len(cells)}" if cells else "not run"


def print_table(titles, rows, results):
    print("| program | over | run | " + " | ".join(f"restarted over {title}" for title in titles) + " |")
    print("|---|---|---|" + "---|" * len(titles))
    for name, found in results.items():
        for row in rows:
            rounds = found.get(row, {}).values()
            cells = [counted([cause[column] for cause in rounds if column in cause]) for column in ["plain", *titles]]
            print(f"| {name.replace(':', ', ')} | {row} | " + " | ".join(cells) + " |")
    print("\n| program | over | restarted over | cause |\n|---|---|---|---|")
    for name, found in results.items():
        for row, rounds in found.items():
            for cause in rounds.values():
                for column, text in cause.items():
                    if text:
                        print(f"| {name} | {row} | {column} | {square.cause_of(text).replace('|', '¦')} |")


def installed():
    """NAME:MPI of each program that is here."""
    there = []
    for name, real in PROGRAMS.items():
        for mpi in real.mpis:
            if pathlib.Path((real.needs or real.command[0]).format(mpi=mpi)).exists():
                there.append(f"{name}:{mpi}")
    return there


def page(options):
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    options.programs = options.programs or installed()
    with tempfile.TemporaryDirectory(prefix="mana-real-programs-") as work:
        systems = [(system, live) for system in (System(text, work) for text in options.systems)
                   for live in json.loads(system.do("lives"))]
        first = [(system, live) for system, live in systems if system is systems[0][0]]
        for seed in options.seeds:
            for row in (row for row in first if options.saved.search(row[1]["title"])):
                one_row(options, row, systems, results, seed)
    rows = [live["title"] for _, live in first]
    print_table([live["title"] for _, live in systems], rows, {name: results[name] for name in options.programs})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    whole = parts.add_parser("page")
    whole.set_defaults(part=page)
    whole.add_argument("systems", nargs="+", metavar="[SYSTEM=]BUILD")
    whole.add_argument("--seeds", type=square.seeds, default="1..1", metavar="A..B", help="a checkpoint for each")
    whole.add_argument("--programs", nargs="+", metavar="NAME:MPI", help="default: all that are installed")
    whole.add_argument("--saved", type=re.compile, default="", metavar="REGEX", help="only over MPIs of such titles")
    whole.add_argument("--over", type=re.compile, default="^(?!standard)", metavar="REGEX", help="restart only over such")
    whole.add_argument("--results", type=pathlib.Path, default=square.TREE / "build" / "real-programs.json",
                       help="of cells that were run: not again")
    for part in square.lives, save, restart:
        own = parts.add_parser(part.__name__)
        own.set_defaults(part=part)
        own.add_argument("--build", type=pathlib.Path, required=True)
        if part is not square.lives:
            own.add_argument("--launcher", choices=FAMILIES, required=True)
            own.add_argument("--live", required=True, help="for --mpi of mana")
            own.add_argument("--directory", type=pathlib.Path, required=True)
            own.add_argument("--work", type=pathlib.Path, required=True)
            own.add_argument("--seed", default=1)
            own.add_argument("names", nargs="+")
    options = parser.parse_args()
    os.environ["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    options.part(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
