#!/usr/bin/python3
"""A case: one C program that must behave under mana as it does natively.

    case_test.py --build BUILD --mpi MPI CASE.c

The program prints lines that begin with FINAL. These, sorted, and the exit status must be those of the native run. Where the
checkpoint has to come at a definite place, each rank makes the file $HOLD.RANK there and waits until the file $HOLD exists.
A comment of the case says how it is run, "hunt: KEY=VALUE ..."; tests/cases/README.md lists the keys.
Exit status 0: as natively in every mode; 1: not; 77: this machine cannot run the case, and why is printed.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Failed, Job, mana, mpirun  # noqa: E402

PATIENCE = 4     # limits are those of a machine that does nothing else
DEFAULTS = {"ranks": "2", "modes": "plain,resume,restart", "mpis": "mpich,openmpi", "t": "60", "ct": "60", "cc": "", "opts": "",
            "env": "", "args": "", "ul": "", "ns": "", "preload": "", "lib": "", "stdin": ""}


def instructions(case):
    found = dict(DEFAULTS)
    for line in case.read_text(errors="replace").splitlines():
        if match := re.match(r"\s*//\s*hunt:\s*(.*)", line):
            found.update(word.split("=", 1) for word in match[1].split() if "=" in word)
    return found


def listed(text):
    return [word for word in text.split(",") if word]


class Run(Job):
    """One process tree: a launcher and its ranks, whose standard error is kept apart."""

    def __init__(self, case, words, name):
        self.case, self.errors = case, case.place / f"{name}.err"
        environment = {"HOLD": str(case.hold), "OMPI_MCA_rmaps_base_oversubscribe": "1",
                       **dict(pair.split("=", 1) for pair in listed(case.how["env"])), **case.tools}
        if case.how["ul"]:
            limit = " ".join(case.how["ul"].split(":"))
            words = ["bash", "-c", f'ulimit {limit}; exec "$@"', "case", *words]
        given = case.numbers() if case.how["stdin"] else os.devnull
        with open(given) as opened, self.errors.open("w") as errors:
            super().__init__(words, case.place, case.place / f"{name}.out", environment, opened, errors)

    def wait(self):
        try:
            status = self.process.wait(self.case.limit_s("t"))
        except subprocess.TimeoutExpired:
            where = self.examine()
            self.kill()
            raise Failed(f"not ended within {self.case.limit_s('t')} s: {self.printed()}; see {where}") from None
        self.rest()
        return status

    def text(self):
        """What it has printed, as far as it is here."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def printed(self):
        """The end of both of its outputs."""
        return (self.text() + self.errors.read_text(errors="replace"))[-3000:]

    def final(self):
        """The lines that count; all of them once it has ended."""
        return [line for line in self.text().splitlines() if "FINAL" in line]

    def kill(self):
        """Its lines are here then."""
        super().kill()
        self.rest()

    def await_ranks(self):
        """Until all ranks are at the place of the checkpoint; a case that has none is there at once."""
        if "hold(" not in self.case.source:
            return
        try:
            self.await_files(self.case.place, "hold.*", self.case.ranks, self.case.limit_s("t"))
        except Failed as failed:
            printed = self.printed()
            self.kill()
            raise Failed(f"not at the place of the checkpoint: {failed}: {printed}") from None


class Case:
    def __init__(self, options):
        self.options = options
        self.path = options.case
        self.source = self.path.read_text(errors="replace")
        self.how = instructions(self.path)
        self.ranks = int(self.how["ranks"])
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.base = pathlib.Path(tempfile.mkdtemp(prefix=f"case-{self.path.stem}-"))
        self.place = self.base
        self.hold = self.base / "hold"
        self.tools = {}
        self.program = self.base / self.path.stem
        self.compile(self.path, self.program, [f"mpicc.{options.mpi}"], listed(self.how["cc"]))
        for key in ("preload", "lib"):
            if self.how[key]:
                made = self.base / f"{self.how[key]}.so"
                self.compile(self.path.parent / f"{self.how[key]}.so.c", made, ["gcc", "-shared", "-fPIC"], [])
                self.tools["LD_PRELOAD" if key == "preload" else "TOOL"] = str(made)

    @staticmethod
    def compile(source, program, compiler, flags):
        # MPICH leaves stdout unbuffered. puts(), as gcc makes it from printf(), writes the end of the line on its own there,
        # and mpiexec may put another rank's line between.
        flags = ["-fno-builtin-printf", *flags]
        subprocess.run([*compiler, "-O1", "-g", "-w", "-pthread", "-o", str(program), str(source), *flags], check=True)

    def limit_s(self, key):
        return PATIENCE * float(self.how[key])

    def numbers(self):
        made = self.base / "numbers"
        made.write_text("".join(f"{i}\n" for i in range(int(self.how["stdin"]))))
        return made

    def begin(self, mode):
        self.place = self.base / mode
        self.place.mkdir()
        self.hold = self.place / "hold"

    def words(self, middle, behind=False):
        """behind: the clocks are as far behind those of the other runs as the case says."""
        launcher = [*mpirun(self.options.mpi, self.ranks), *middle]
        if not self.how["ns"] or behind:
            return launcher
        return ["unshare", "-T", "-f", "--monotonic", self.how["ns"], "--boottime", self.how["ns"], *launcher]

    def run(self, name):
        return Run(self, self.words([self.mana, "run", *listed(self.how["opts"]), "--", str(self.program),
                                     *listed(self.how["args"])]), name)

    def restart(self, name):
        return Run(self, self.words([self.mana, "restart", str(self.place / "mana-ckpt")], True), name)

    def checkpoint(self):
        mana(self.mana, "checkpoint", "--ckpt-dir", str(self.place / "mana-ckpt"), timeout_s=self.limit_s("ct"))

    # Each returns the exit status and the lines.

    def native(self):
        self.hold.touch()
        run = Run(self, [*mpirun(self.options.mpi, self.ranks), str(self.program), *listed(self.how["args"])], "native")
        return run.wait(), run.final()

    def plain(self):
        self.hold.touch()
        run = self.run("plain")
        return run.wait(), run.final()

    def resume(self):
        run = self.run("resume")
        run.await_ranks()
        try:
            self.checkpoint()
        except Failed as refused:          # given up with a reason: then the program ends as natively
            if refused.status is None or self.options.strict:
                raise
            print(f"  no checkpoint: {refused}")
        self.hold.touch()
        return run.wait(), run.final()

    def restarted(self, times):
        run, lines = self.run("run"), []
        run.await_ranks()
        for n in range(times):
            try:
                self.checkpoint()
            finally:
                run.kill()
                lines += run.final()
            if n == times - 1:
                self.hold.touch()
            run = self.restart(f"restart-{n}")
        return run.wait(), lines + run.final()

    def term(self):
        run = self.run("term")
        run.await_ranks()
        asked = subprocess.Popen([self.mana, "checkpoint", "--ckpt-dir", str(self.place / "mana-ckpt")],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(2)                      # the case's own words: two seconds after a slow checkpoint was asked for
        os.kill(int(pathlib.Path(f"{self.hold}.0").read_text()), signal.SIGTERM)
        begin = time.monotonic()
        try:
            status = run.process.wait(3)
        except subprocess.TimeoutExpired:
            run.kill()
            raise Failed("not ended three seconds after SIGTERM") from None
        finally:
            asked.kill()
        print(f"  ended {time.monotonic() - begin:.2f} s after SIGTERM")
        return status, run.final()

    def mode(self, name):
        self.begin(name)
        return {"plain": self.plain, "resume": self.resume, "restart": lambda: self.restarted(1),
                "twice": lambda: self.restarted(2), "term": self.term}[name]()

    def has_namespaces(self):
        return not self.how["ns"] or subprocess.run(["unshare", "-T", "--monotonic", "1", "true"], capture_output=True).returncode == 0

    def judge(self):
        if self.options.mpi not in listed(self.how["mpis"]):
            print(f"not for {self.options.mpi}")
            return 77
        if not self.has_namespaces():
            print("time namespaces are not allowed here")
            return 77
        self.begin("native")
        wanted_status, wanted = self.native()
        print(f"natively: status {wanted_status}, {len(wanted)} lines")
        wrong = 0
        for mode in self.options.modes or listed(self.how["modes"]):
            try:
                status, lines = self.mode(mode)
                good = sorted(lines) == sorted(wanted) and (status == wanted_status or mode == "term")
                print(f"{mode}: {'as natively' if good else f'DIFFERENT: status {status}'}")
                if not good:
                    print("\n".join([*(f"  natively {line}" for line in sorted(wanted)), *(f"  now      {line}" for line in sorted(lines))]))
            except (Failed, subprocess.TimeoutExpired) as failed:
                good = False
                print(f"{mode}: FAILED: {failed}")
            wrong += not good
        return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    parser.add_argument("--modes", type=listed, help="these in place of the case's own")
    parser.add_argument("--strict", action="store_true", help="a checkpoint that is given up is a failure in each mode")
    parser.add_argument("case", type=pathlib.Path)
    case = Case(parser.parse_args())
    try:
        return case.judge()
    finally:
        shutil.rmtree(case.base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
