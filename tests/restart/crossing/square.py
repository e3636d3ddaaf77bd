#!/usr/bin/python3
"""Prints docs/any_mpi.md, from runs: programs are saved over each live MPI, and restarted over each, here and in other systems.

    square.py page build/test [trixie=build/systems/trixie/build/test …] [--seeds A..B] > docs/any_mpi.md

SYSTEM=BUILD is a build below the build directory of a root directory of scripts/support/system_root.py. The programs: heat2d, the
many objects of tests/mpi, random programs. All lines that count must be those of the native run. With --check, the exit status is
1 if a program failed. `save` and `restart` are the parts that run in a system. An installation can stand for a build: then the
programs are built in its system.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[2]
sys.path.insert(0, str(TREE / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from live_mpis import STANDARD, abi_library, found_natively, live_title, lower_half, said_by  # noqa: E402
from mana_job import Failed  # noqa: E402
from workplace import Workplace  # noqa: E402

HEAD = """# Any MPI

A checkpoint restarts over another MPI than the one that it was written over, also in another distribution. This table is from
runs: its rows are the MPIs that a program was built with and saved over, its columns the MPIs that it was restarted over. A cell
counts the programs whose output was that of their native run. The programs are heat2d, a program with many live objects, and
random programs. The random programs use messages, collectives, communicators, groups, datatypes, operations and persistent
requests. They leave out what one of the libraries gets wrong.

Print the page again: `tests/restart/crossing/square.py page BUILD… > docs/any_mpi.md`.
"""
COUNTED = re.compile("^(checksum|rank|result)")
KEPT = 240      # characters of a cause
STEPS, PAUSE_MS = 40, 5
LONGEST_STEP_S = 40     # of a native run: some libraries wait forever
HEAT2D = "rows = 120\ncols = 120\nsteps = 6000\nreport = 200\noutput = heat2d.out\n"
SOURCES = {"heat2d": ["examples/heat2d/heat2d.c", "examples/heat2d/heat2d_files.c"],
           "many_objects": ["tests/mpi/programs/many_objects.c"], "random_program": ["tests/random/random_program.c"]}
FOLDERS = {"heat2d": "examples/heat2d", "many_objects": "tests/mpi/programs", "random_program": "tests/random/programs"}


# ---- in a system

def lives(options):
    """Prints the live MPIs of this system: what the program is built with, and whose launcher starts it."""
    found = []
    for mpi in FAMILIES:
        lower = lower_half(options.build, mpi)
        if lower.exists():
            header = json.loads(lower.with_name(f"{lower.name}.json").read_text())["version"]
            found.append({"program": mpi, "launcher": mpi, "title": live_title(options.build, mpi), "header": header})
            if abi_library(mpi):
                found.append({"program": STANDARD, "launcher": mpi, "title": live_title(options.build, mpi, STANDARD),
                              "header": "generated"})
    print(json.dumps(found))


def program_file(options, name):
    """The program, built with the MPI that the options say. Those of the standard ABI are built here: few systems have its library."""
    built = options.build / FOLDERS[name] / f"{name}_{options.program}"
    if built.exists() and options.program != STANDARD:
        return built
    file = options.build / "any-mpi" / built.name
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        compiler, libraries = [f"mpicc.{options.program}"], []
        if options.program == STANDARD:
            compiler, libraries = ["cc", "-I", options.build / "mpi_standard" / "include"], [abi_library(options.launcher)]
        sources = [TREE / source for source in SOURCES[name]]
        said_by(*compiler, "-w", "-g1", *sources, "-o", file, *libraries, "-lm", "-lpthread")
    return file


def words_of(options, name):
    if name == "heat2d":
        return [program_file(options, name), "heat2d.par"]
    if name == "many objects":
        return [program_file(options, "many_objects"), 40, 10, 100, 500]
    return [program_file(options, "random_program"), name.split()[-1], STEPS, PAUSE_MS, "anywhere"]


class Place(Workplace):
    """Directory NAME below options.work, empty at first. Its jobs run over the live MPI that the options say. A restarted program
    continues in the directory of the name that it was saved in."""

    def __init__(self, options, name):     # pylint: disable=super-init-not-called  # its directory lies in the build tree
        self.build, self.mpi, self.ranks = options.build, options.launcher, 2
        self.command = str(options.build / "bin" / "mana")
        self.directory = options.work / name.replace(" ", "-")
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.log, self.ckpt = self.directory / "log", self.directory / "ckpt"
        self.jobs, self.failures = [], 0
        self.live = ["--mpi", options.program if options.program == STANDARD else options.launcher]
        (self.directory / "heat2d.par").write_text(HEAT2D)


def counted(lines):
    return sorted(line.rstrip() for line in lines if COUNTED.match(line))


def cause_of(text):
    """The line of mana's that says why, or the first one."""
    lines = [line for line in str(text).splitlines() if line.strip()]
    said = [line for line in lines if "mana: error" in line or "does not hold" in line or "_ERR_" in line]
    first = (said or lines or ["no output"])[0].partition("; see /")[0][:KEPT].rstrip(":")
    return re.sub(r"status (129|1[3-5]\d)", lambda found: signal.Signals(int(found.group(1)) - 128).name, first)


def native(place, options, words):
    environment = found_natively(options.launcher, place.directory / "abi") if options.program == STANDARD else {}
    job = place.start(*words, **environment)
    while job.next_line(LONGEST_STEP_S) is not None:
        pass
    job.wait()
    found = counted(job.said)
    if not found:
        raise Failed(f"no line counts; see {place.log}")
    return found


def saved(place, words, chance):
    """out: the lines that came before the kill. The checkpoint is taken after a random step; if the program ended before mana was
    heard, as it can on a busy machine, it is run again and saved a step earlier."""
    for step in range(chance.randint(1, 10), -1, -1):
        job = place.run(*words, options=place.live)
        said = [line for _ in range(step) for line in job.until("step ")]
        if job.checkpoint(place.command, place.ckpt):
            return said + job.killed()
    raise Failed("the program ended before each of its checkpoints")


def save(options):
    """Of each program: DIR/PROGRAM/ckpt, and what it said and has to say in said.json."""
    for name in options.names:
        target = options.directory / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        said, step = {}, "natively"
        with Place(options, name) as place:
            try:
                words = words_of(options, name)
                said["expected"] = native(place, options, words)
                step = "not saved"
                said["before"] = counted(saved(place, words, random.Random(options.program + name)))
                shutil.copytree(place.ckpt, target / "ckpt")
            except (Failed, subprocess.SubprocessError) as failed:
                said["cause"] = f"{step}: {cause_of(failed)}"
        (target / "said.json").write_text(json.dumps(said))


def restart(options):
    """Of each program of DIR: DIR/PROGRAM/result.json, why its restart failed, or \"\"."""
    for name in options.names:
        source = options.directory / name
        said = json.loads((source / "said.json").read_text())
        cause = said.get("cause", "")
        if not cause:
            with Place(options, name) as place:
                shutil.copytree(source / "ckpt", place.ckpt)
                try:
                    # A job that was killed late has printed lines that its restart prints again.
                    found = {*said["before"], *counted(place.restart(*place.live).end())}
                    if differing := sorted(found ^ {*said["expected"]}):
                        cause = f"{differing[0]} is {'printed' if differing[0] in found else 'missing'}"
                except (Failed, subprocess.SubprocessError) as failed:
                    cause = cause_of(failed)
                    shutil.copy(place.log, source / "log")
        (source / "result.json").write_text(json.dumps(cause))


# ---- the page

class System:
    """A build, here or in a root directory."""

    SCRIPT = "tests/restart/crossing/square.py"     # whose parts run there

    def __init__(self, text, work):
        name, _, build = text.rpartition("=")
        self.work = work
        self.name, self.build = name, pathlib.Path(build).resolve()
        self.alone = threading.Lock() if not name else None      # work is shared here; a root directory has a /tmp for each command

    def seen_inside(self, path):
        """A path below the build directory of the root directory, as its programs see it."""
        return path if not self.name else pathlib.Path("/mana/build") / path.relative_to(self.outside())

    def outside(self):
        return next(parent for parent in (self.build, *self.build.parents) if (parent.parent / "root").is_dir() and parent.name == "build")

    def do(self, part, *words):
        command = [self.SCRIPT, part, "--build", str(self.seen_inside(self.build)), *map(str, words)]
        if self.name:
            systems = self.outside().parents[1]
            command = ["scripts/support/system_root.py", self.name, "--systems", str(systems), "--", *command]
        if self.alone is None:
            return said_by("env", "-C", TREE, *command)
        with self.alone:
            return said_by("env", "-C", TREE, *command)

    def part(self, part, live, directory, names):
        self.do(part, "--program", live["program"], "--launcher", live["launcher"], "--directory", self.seen_inside(directory),
                "--work", self.work, *names)


def one_cell(row, column, source, names):
    """{program: cause}"""
    system, live = column
    target = system.build / "any-mpi" / "to" / f"{row['title']} to {live['title']}"
    for name in names:
        shutil.rmtree(target / name, ignore_errors=True)
        shutil.copytree(source / name, target / name)
        (target / name / "ckpt" / "job.json").unlink(missing_ok=True)       # of the job that was killed
    try:
        system.part("restart", live, target, names)
        return {name: json.loads((target / name / "result.json").read_text()) for name in names}
    except subprocess.CalledProcessError as failed:
        return dict.fromkeys(names, cause_of(failed.stderr))
    finally:
        for name in names:
            shutil.rmtree(target / name / "ckpt", ignore_errors=True)


def run_rows(options, systems, results):
    """results: {row: {column: {program: cause}}}; what is there is not run again."""
    names = ["heat2d", "many objects", *(f"random program {seed}" for seed in options.seeds)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for system, live in systems:
            row = results.setdefault(live["title"], {})
            missing = [name for name in names if any(name not in row.get(to["title"], {}) for _, to in systems)]
            if not missing:
                continue
            source = system.build / "any-mpi" / "saved" / live["title"]
            system.part("save", live, source, missing)
            print(f"{live['title']}: saved", file=sys.stderr, flush=True)
            cells = {to["title"]: pool.submit(one_cell, live, (of, to), source, missing) for of, to in systems}
            for title, cell in cells.items():
                row.setdefault(title, {}).update(cell.result())
                print(f"{live['title']}, {title}: {cell.result()}", file=sys.stderr, flush=True)
            options.results.write_text(json.dumps(results, indent=1))


def print_page(lives_of_all, results, note):
    """Returns whether each cell was run and no program failed."""
    titles = [live["title"] for live in lives_of_all]
    print(HEAD)
    print("| written over | " + " | ".join(f"restarted over {title}" for title in titles) + " |")
    print("|---|" + "---|" * len(titles))
    for row in titles:
        cells = [results.get(row, {}).get(column, {}) for column in titles]
        print(f"| {row} | " + " | ".join(f"{list(cell.values()).count('')} of {len(cell)}" if cell else "not run" for cell in cells) + " |")
    print("\n## What mana was built with\n\n| live MPI | version of `mpi.h` |\n|---|---|")
    for live in lives_of_all:
        print(f"| {live['title']} | {live['header']} |")
    if note:
        print("\n" + note)
    causes = [(row, "any" if cause.startswith("natively") else column, name, cause) for row in titles for column in titles
              for name, cause in results.get(row, {}).get(column, {}).items() if cause]
    if causes:
        print("\n## What failed\n\n| written over | restarted over | program | cause |\n|---|---|---|---|")
        for cells in dict.fromkeys(causes):
            print("| " + " | ".join(cell.replace("|", "¦") for cell in cells) + " |")
    return bool(titles) and not causes and all(results.get(row, {}).get(column) for row in titles for column in titles)


def page(options):
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    with tempfile.TemporaryDirectory(prefix="mana-any-mpi-") as work:
        systems = [(system, live) for system in (System(text, work) for text in options.systems)
                   for live in json.loads(system.do("lives"))]
        run_rows(options, systems, results)
    all_well = print_page([live for _, live in systems], results, options.note)
    return 0 if all_well or not options.check else 1


def seeds(text):
    first, last = (int(word) for word in text.split(".."))
    return range(first, last + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    whole = parts.add_parser("page")
    whole.add_argument("systems", nargs="+", metavar="[SYSTEM=]BUILD")
    whole.add_argument("--seeds", type=seeds, default="1..20", metavar="A..B")
    whole.add_argument("--jobs", type=int, default=1, help="restarts at a time")
    whole.add_argument("--results", type=pathlib.Path, default=TREE / "build" / "any-mpi.json", help="of cells that were run: not again")
    whole.add_argument("--note", default="", help="what a reader has to know of these runs")
    whole.add_argument("--check", action="store_true", help="exit status 1 if a program failed")
    whole.set_defaults(part=page)
    for part in lives, save, restart:
        own = parts.add_parser(part.__name__)
        own.set_defaults(part=part)
        own.add_argument("--build", type=pathlib.Path, required=True)
        if part is not lives:
            own.add_argument("--program", required=True)
            own.add_argument("--launcher", choices=FAMILIES, required=True)
            own.add_argument("--directory", type=pathlib.Path, required=True)
            own.add_argument("--work", type=pathlib.Path, required=True)
            own.add_argument("names", nargs="+")
    options = parser.parse_args()
    os.environ["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    return options.part(options) or 0


if __name__ == "__main__":
    sys.exit(main())
