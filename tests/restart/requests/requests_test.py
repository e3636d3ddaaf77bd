"""Checkpoints that nobody asks for at the command line: signals to ranks, a time after which the job ends, the program.

The program (undisturbed.c) prints the same with and without them; where the job was ended, its restart prints the rest.
Another (long_waits.c) waits for longer than the time between two checkpoints.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from clock_traces import ClockTraces  # noqa: E402
from mana_job import Failed, Job, descendants, is_rank, mana, mpirun  # noqa: E402

RANKS = 2
STEPS = 100        # of 21 ms and more each
SILENCE_S = 240
COUNTED = re.compile(r"^(step|checksum)")


class Requests:
    def __init__(self, options):
        self.mpi = options.mpi
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.program, self.waits, self.busy = map(str, options.program)
        self.directory = options.build.resolve() / "restart-runs" / f"requests-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.traces = ClockTraces(options.build.resolve(), self.directory)
        self.job = None      # the last one
        self.native = self.lines(Job([*mpirun(self.mpi, RANKS), self.program, str(STEPS)], self.directory, self.directory / "log"))

    def start(self, command, *words):
        self.job = Job([*mpirun(self.mpi, RANKS), self.mana, command, *self.traces.options(), *words], self.directory,
                       self.directory / "log")
        return self.job

    def run(self, *options, words=()):
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        return self.start("run", "--verbose", "--ckpt-dir", "ckpt", *options, "--", self.program, str(STEPS), *words)

    @staticmethod
    def until(job, text):
        """The lines that the job prints up to the one with `text`."""
        lines = []
        while (line := job.next_line(SILENCE_S)) is not None:
            lines.append(line)
            if text in line:
                return lines
        raise Failed(f"the job ended without a line with \"{text}\"; see {job.log}")

    @staticmethod
    def lines(job):
        """What the job prints until it ends well."""
        lines = []
        while (line := job.next_line(SILENCE_S)) is not None:
            lines.append(line)
        job.wait()
        return lines

    def ranks_of(self, job):
        """Process ids of the ranks."""
        found = [pid for pid in descendants(job.process.pid) if is_rank(pid)]
        if len(found) != RANKS:
            raise Failed(f"{len(found)} ranks were found, not {RANKS}")
        return found

    def require_native(self, lines):
        counted, expected = ([line for line in some if COUNTED.match(line)] for some in (lines, self.native))
        if counted != expected:
            raise Failed(f"the output differs: {len(counted)} lines instead of {len(expected)}, last {counted[-2:]}")

    def checkpoints(self):
        return len([*(self.directory / "ckpt").glob("gen-*/manifest.json")])

    def require_restart(self, lines):
        """`lines` were printed by a job that ended by itself after a checkpoint."""
        if self.checkpoints() != 1:
            raise Failed(f"{self.checkpoints()} checkpoints of a job that was to end with the first")
        mana(self.mana, "verify", str(self.directory / "ckpt"))
        rest = self.lines(self.start("restart", "ckpt"))
        if not any(line.startswith("restarts: 1") for line in rest):
            raise Failed("the program does not know of its restart")
        self.require_native(lines + rest)

    # ---- the cases

    def signal_to_one(self):
        job = self.run("--checkpoint-on", "USR1")
        said = self.until(job, "step 5 ")
        os.kill(self.ranks_of(job)[1], signal.SIGUSR1)
        said += self.until(job, "mana: checkpoint")
        self.require_native(said + self.lines(job))

    def signals_to_all(self):
        job = self.run("--checkpoint-on", "USR2,USR1", "--stop-on", "TERM")
        said = self.until(job, "step 5 ")
        ranks = self.ranks_of(job)
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1):
            for pid in ranks:
                os.kill(pid, number)
            said += self.until(job, "mana: checkpoint")
        for pid in ranks:
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                pass      # the first has ended the job already
        said += self.lines(job)
        newest = max((self.directory / "ckpt").glob("gen-*"))
        for older in (self.directory / "ckpt").glob("gen-*"):
            if older != newest:
                shutil.rmtree(older)
        self.require_restart(said)

    def time_to_stop(self):
        self.require_restart(self.lines(self.run("--stop-after", "0.7")))

    def the_program(self):
        self.require_restart(self.lines(self.run(words=["ask"])))

    def signals_of_the_restart(self):
        """The run knew nothing of signals, and the program blocks this one."""
        job = self.run()
        said = self.until(job, "step 5 ")
        mana(self.mana, "checkpoint", "--ckpt-dir", str(self.directory / "ckpt"))
        job.kill()
        said += [line for line in iter(lambda: job.next_line(SILENCE_S), None)]
        (self.directory / "ckpt" / "job.json").unlink()
        job = self.start("restart", "--stop-on", "USR1", "ckpt")
        again = self.until(job, "step ")
        for pid in self.ranks_of(job):
            os.kill(pid, signal.SIGUSR1)
        again += self.lines(job)
        if self.checkpoints() != 2:
            raise Failed(f"{self.checkpoints()} checkpoints instead of one before and one after the restart")
        if any(line.startswith("checksum") for line in again):
            raise Failed("the program was not ended")
        rest = self.lines(self.start("restart", "ckpt"))
        if self.native[-1] not in rest:
            raise Failed(f"the program ends with {rest[-2:]} instead of {self.native[-1]}")

    def waits_longer_than_the_interval(self):
        """They end all the same, in a restart too, and not before their time."""
        native = self.lines(Job([*mpirun(self.mpi, RANKS), self.waits], self.directory, self.directory / "log"))
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        often = ("--ckpt-dir", "ckpt", "--interval", "0.2", "--stopped-status", "0")      # nothing more is said then
        job = self.start("run", *often, "--", self.waits)
        first = self.until(job, "usleep")
        mana(self.mana, "checkpoint", "--stop", "--ckpt-dir", str(self.directory / "ckpt"))
        first += self.lines(job)
        rest = self.lines(self.start("restart", "--interval", "0.2", "ckpt"))
        if not rest or first + rest != native:
            raise Failed(f"the output differs: {first} and {rest} instead of {native}")

    def quick_succession(self):
        """INV-28 The next request comes while ranks are still on their way out of a checkpoint."""
        native = self.lines(Job([*mpirun(self.mpi, RANKS), self.busy, "40"], self.directory, self.directory / "log"))
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        said = self.lines(self.start("run", "--verbose", "--interval", "0.05", "--ckpt-dir", "ckpt", "--", self.busy, "40"))
        taken = sum("mana: checkpoint" in line for line in said)
        if taken < 10:
            raise Failed(f"{taken} checkpoints at intervals of 0.05 s")
        counted, expected = ([line for line in some if COUNTED.match(line)] for some in (said, native))
        if counted != expected:
            raise Failed(f"the output differs: {len(counted)} lines instead of {len(expected)}")

    def own_handler(self):
        """The live MPI's start puts a handler over the program's, and another way to call it."""
        self.require_native(self.lines(self.run(words=["own"])))

    def without_mana(self):
        self.require_native(self.lines(Job([*mpirun(self.mpi, RANKS), self.program, str(STEPS), "ask"], self.directory,
                                           self.directory / "log")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("program", type=pathlib.Path, nargs=3, help="undisturbed.c, long_waits.c, ../traps/early_leaver.c")
    requests = Requests(parser.parse_args())
    failures = 0
    for case in (requests.signal_to_one, requests.signals_to_all, requests.time_to_stop, requests.the_program,
                 requests.signals_of_the_restart, requests.waits_longer_than_the_interval, requests.quick_succession,
                 requests.own_handler, requests.without_mana):
        try:
            case()
            if case != requests.without_mana:
                requests.traces.check()
            print(f"{case.__name__}: output equal", flush=True)
        except (Failed, subprocess.TimeoutExpired) as failed:
            if requests.job is not None:
                requests.job.kill()
            failures += 1
            print(f"FAILED {case.__name__}: {failed}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
