#!/usr/bin/env python3
"""Programs about what a process has besides MPI, each through all ways that a job can go, and the page about them.

A program (programs/SUBJECT/NAME.c or .cpp) is compiled with the MPI's own compiler, and run

  native     without mana
  plain      under mana, without a checkpoint
  resumed    with a checkpoint at each of its two lines, after which it continues
  restarted  with a checkpoint that ends the job at its first line, and a restart
  twice      so at both lines
  moved      restarted from a copy of the checkpoint at another place, from another directory, on one processor, with
             another environment, a smaller stack limit, and the old copy gone

Its output must be the native run's, and each exit status 0. Comments of the source say more: its first one is what the
page says of it; "// ranks: N" (1), "// flags: WORDS" (of the compiler), "// needs: COMMAND" (not run unless the command
succeeds), "// environment: NAME=VALUE" of mana run, "// first run by: WORDS" before its words. limits.txt names what is known
not to be kept: there the program is run, and must differ.

  fidelity.py run --build DIR --mpi MPI NAME…     status 0: as expected
  fidelity.py page --build DIR FILE               writes the page from the results of such runs
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "support"))
import diagnosis  # noqa: E402
from mana_job import ENDS_AT_ONCE, descendants, mpi_environment, mpirun  # noqa: E402

MPIS = ("mpich", "openmpi")
WAYS = ("plain", "resumed", "restarted", "twice", "moved")
LINES = {"native": "--", "plain": "--", "resumed": "gg", "restarted": "s-", "twice": "ss", "moved": "s-"}
TIMEOUT_S = 240
SKIPPED = 77


class Source:
    """A program's text, and what its comments say."""

    def __init__(self, name):
        found = sorted((HERE / "programs").rglob(name + ".c*"))
        if len(found) != 1:
            sys.exit(f"fidelity: tests/fidelity/programs has {len(found)} programs of the name {name}; one was expected")
        self.name, self.path = name, found[0]
        text = self.path.read_text()
        self.ranks = int(self.said(text, "ranks") or 1)
        self.flags = self.said(text, "flags").split()
        self.needs = self.said(text, "needs")
        self.environment = dict(word.split("=", 1) for word in self.said(text, "environment").split())
        self.first_run_by = self.said(text, "first run by").split()
        about = []
        for line in text.splitlines():
            if not line.startswith("// ") or re.match(r"// (ranks|flags|needs|environment|first run by):", line):
                break
            about.append(line[3:])
        self.about = " ".join(about)

    @staticmethod
    def said(text, word):
        found = re.search(rf"^// {word}: (.*)$", text, re.MULTILINE)
        return found[1].strip() if found else ""


def all_names():
    return sorted(path.stem for path in (HERE / "programs").rglob("*.c*"))


HOWS = ("refused", "named", "silent")
SILENT_BEFORE = 5           # rows of the table, when they were counted for the first time


def limits(hows=None):
    """{(program, MPI, way): why} of what is known not to be kept. Lines: program, MPIs, ways (* for all), how, why.

    hows: a dictionary that gets {program: how}
    """
    found = {}
    for line in (HERE / "limits.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, mpis, ways, how, why = line.split(None, 4)
        if how not in HOWS:
            sys.exit(f"fidelity: limits.txt: {name}: {how} is none of {', '.join(HOWS)}")
        if hows is not None:
            hows[name] = how
        for mpi in MPIS if mpis == "*" else mpis.split(","):
            for way in WAYS if ways == "*" else ways.split(","):
                found[name, mpi, way] = why
    return found


SAVED_IS_WELL = ("--stopped-status", "0")       # a job that a checkpoint has ended is as good as one that is done


class Unfit(Exception):
    """The program says nothing of mana: it does not compile, or is not right natively."""


class Runner:
    def __init__(self, build, mpi, source):
        self.mpi, self.source = mpi, source
        self.mana = build.resolve() / "bin" / "mana"
        self.directory = build.resolve() / "fidelity" / mpi / source.name
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def compile(self):
        compiler = "mpicxx" if self.source.path.suffix == ".cpp" else "mpicc"
        words = [f"{compiler}.{self.mpi}", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", ROOT / "include",
                 "-I", HERE, "-o", self.directory / "program", self.source.path, "-ldl", "-lrt", *self.source.flags]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            raise Unfit(f"it does not compile\n{done.stderr}")

    def start(self, way, log, *words, directory=None, environment=None):
        """Runs a job to its end. Returns its standard output, and a line for a status that is not 0."""
        given = {**mpi_environment(), **ENDS_AT_ONCE, "FIDELITY": LINES[way], **(environment or {})}
        job = subprocess.Popen([*mpirun(self.mpi, self.source.ranks), *map(str, words)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=log, env=given, cwd=directory or self.directory)
        try:
            output = job.communicate(timeout=TIMEOUT_S)[0]
        except subprocess.TimeoutExpired:
            diagnosis.gather(descendants(job.pid), self.directory / f"{way}.hang")
            for pid in descendants(job.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            return job.communicate()[0] + f"still running after {TIMEOUT_S} s\n".encode()
        return output + (b"" if job.returncode == 0 else f"status {job.returncode}\n".encode())

    def run(self, way, log):
        program = self.directory / "program"
        if way == "native":
            return self.start(way, log, program)
        place = self.directory / way
        place.mkdir()
        output = self.start(way, log, *self.source.first_run_by, self.mana, "run", *SAVED_IS_WELL, "--ckpt-dir", place / "ckpt", "--",
                            program,
                            environment=self.source.environment)
        if way in ("restarted", "twice"):
            for _ in range(len(LINES[way].rstrip("-"))):
                output += self.start(way, log, self.mana, "restart", *SAVED_IS_WELL, place / "ckpt")
        if way == "moved":
            other = place / "another"
            shutil.copytree(place / "ckpt", other / "copy")
            shutil.rmtree(place / "ckpt")
            cpu = min(os.sched_getaffinity(0))
            output += self.start(way, log, "sh", "-c", f"ulimit -S -s 4096; exec taskset -c {cpu} {self.mana} restart {shlex.join(SAVED_IS_WELL)} copy",
                                 directory=other, environment={"FIDELITY_ELSEWHERE": "x" * 4096})
        return output

    def run_all(self):
        """out: {way: None, or how it differs}"""
        found, expected = {}, None
        for way in ("native", *WAYS):
            with (self.directory / f"{way}.err").open("wb") as log:
                output = self.run(way, log)
            (self.directory / f"{way}.out").write_bytes(output)
            if way == "native":
                expected = output
                if b"status" in output or b"still running" in output or b", 0 wrong" not in output:
                    raise Unfit("natively it says\n" + output.decode(errors="replace"))
            else:
                found[way] = None if output == expected else output.decode(errors="replace")
            shutil.rmtree(self.directory / way, ignore_errors=True)
        return found


def run(options):
    wrong = 0
    for name in options.names or all_names():
        source = Source(name)
        if source.needs and subprocess.run(source.needs, shell=True, capture_output=True).returncode != 0:
            print(f"{name}: skipped: {source.needs} fails")
            if len(options.names) == 1:
                return SKIPPED
            continue
        runner = Runner(options.build, options.mpi, source)
        try:
            runner.compile()
            found = runner.run_all()
        except Unfit as unfit:
            print(f"{name}: {unfit}", flush=True)
            wrong += 1
            continue
        (runner.directory / "result.json").write_text(json.dumps(found))
        known = limits()
        for way, how in found.items():
            why = known.get((name, options.mpi, way))
            if how is not None and why is None:
                errors = (runner.directory / f"{way}.err").read_text(errors="replace")
                print(f"{name}, {way}: DIFFERS from the native run\n{how}{errors}")
                for process in sorted((runner.directory / f"{way}.hang").glob("*")):
                    print(process.read_text(errors="replace"))
                wrong += 1
            elif how is None and why is not None and not why.startswith("at times:"):
                print(f"{name}, {way}: is right, and limits.txt says that it is not: {why}")
                wrong += 1
        print(f"{name}: " + " ".join(f"{way} {'same' if how is None else 'differs'}" for way, how in found.items()), flush=True)
    return 1 if wrong else 0


def counts_of(hows):
    """Nothing of a process changes silently: how each row that is not kept is told."""
    number = {how: sum(h == how for h in hows.values()) for how in HOWS}
    return (f"Of the {len(hows)} others {number['refused']} are refused: a call of the program ends in an error. {number['named']} are named: by a "
            "warning when the program makes the call, at the checkpoint, or at the restart. "
            f"{number['silent'] or 'None'} change silently. {SILENT_BEFORE} did before these were counted.\n\n")


def page(options):
    hows, rows, single, more = {}, [], 0, 0
    known = limits(hows)
    for name in all_names():
        source = Source(name)
        cells = []
        for mpi in MPIS:
            try:
                found = json.loads((options.build / "fidelity" / mpi / name / "result.json").read_text())
            except OSError:
                cells.append("not run")
                continue
            bad = [way for way in WAYS if found[way] is not None or (name, mpi, way) in known]
            cells.append("not kept" if len(bad) == len(WAYS) else "kept" if not bad else "not kept: " + ", ".join(bad))
        why = next((known[key] for key in known if key[0] == name), "")
        rows.append(f"| {name} | {source.ranks} | {source.about} | {cells[0]} | {cells[1]} | {why} |")
        single, more = single + (source.ranks == 1), more + (source.ranks > 1)
    kept = sum("not" not in row.split("|")[4] + row.split("|")[5] for row in rows)
    options.file.write_text(
        "# What a process keeps\n\n"
        "`tests/fidelity/fidelity.py page` writes this page from runs of the programs of `tests/fidelity/programs`. Do not edit "
        "it. Each program goes through five ways over each MPI: plain (no checkpoint), resumed (two checkpoints), restarted, "
        "twice (restarted twice), moved (restarted from a copy, elsewhere). Its output must equal the native run's, byte for "
        "byte.\n\n"
        f"{len(rows)} programs: {single} of one process, {more} of several; {kept} keep everything in all ways over both.\n\n"
        + counts_of(hows) +
        "| program | ranks | what it does | MPICH | Open MPI | what is not kept |\n|---|---|---|---|---|---|\n"
        + "\n".join(rows) + "\n" + (HERE / "suites.md").read_text())
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("--mpi", choices=MPIS, required=True)
    one.add_argument("names", nargs="*")
    one.set_defaults(function=run)
    other = commands.add_parser("page")
    other.add_argument("file", type=pathlib.Path)
    other.set_defaults(function=page)
    for command in (one, other):
        command.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    return options.function(options)


if __name__ == "__main__":
    sys.exit(main())
