"""INV-68: a program that crashes ends as natively: by its own signal, with what the MPI library prints about it.

Also in a thread, in a child, with handlers of the program that go on to the library's, and after a restart. Compared are the
status, the program's own words, and of the library's words the signal and the functions of the program in the backtrace.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import ENDS_AT_ONCE, mpi_environment, mpirun  # noqa: E402

SIGNAL = re.compile(r"(Signal: [\w ]+\(\d+\)|Caught signal \d+ \([\w ]+)")
FUNCTION = re.compile(r"\((crash_here|crash_in_thread|main)\+0x")
HOWS = ("abort", "fpe", "ill", "bus", "segv")


class Crashes:
    def __init__(self, options):
        self.mpi, self.program = options.mpi, str(options.program.resolve())
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.directory = options.build.resolve() / "restart-runs" / f"crashes-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.wrong = 0

    def start(self, *words, **environment):
        done = subprocess.run([*mpirun(self.mpi, 1), *words], cwd=self.directory, capture_output=True, text=True, timeout=240,
                              env={**mpi_environment(), **ENDS_AT_ONCE, **environment}, stdin=subprocess.DEVNULL, errors="replace")
        said = done.stdout + done.stderr
        own = [line for line in said.splitlines() if line.startswith(("the ", "it goes"))]
        found = {"status": done.returncode, "own": own, "signals": SIGNAL.findall(said), "functions": FUNCTION.findall(said)}
        return found, said

    def compare(self, what, native, found, said):
        if found == native:
            print(what, flush=True)
            return
        self.wrong += 1
        print(f"FAILED {what}:\n  {found}, natively\n  {native}\n{said}", flush=True)

    def one(self, how, where="main", whose="none", restarts=False):
        what = f"{how} {where} {whose}"
        native = self.start(self.program, how, where, whose)[0]
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        run = (self.mana, "run", "--ckpt-dir", "ckpt", "--", self.program, how, where, whose)
        self.compare(what, native, *self.start(*run))
        if restarts:
            self.start(*run, STOP="1")
            self.compare(f"{what}, restarted", native, *self.start(self.mana, "restart", "ckpt"))

    def all(self):
        for how in HOWS:
            self.one(how, restarts=how in ("abort", "segv"))
        for how in ("abort", "segv"):
            self.one(how, "thread", restarts=how == "segv")
            self.one(how, "child")
            self.one(how, whose="after", restarts=True)
        self.one("segv", whose="before", restarts=True)
        self.one("fpe", "thread", "before+after", restarts=True)
        for number in ("8", "10", "15"):
            self.one(number)
        return self.wrong


parser = argparse.ArgumentParser()
parser.add_argument("--build", type=pathlib.Path, required=True)
parser.add_argument("--mpi", required=True)
parser.add_argument("program", type=pathlib.Path)
sys.exit(1 if Crashes(parser.parse_args()).all() else 0)
