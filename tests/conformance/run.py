"""Runs one test of a suite: natively, under mana, with a checkpoint, and stopped or killed and restarted.

An outcome is a dictionary:
  result   passed, failed, timeout; not_built; missed: the job ended before its checkpoint, so that nothing was shown
  seconds  of the whole run
  why      of one that did not pass: the first line that was not expected, or the function that was refused
"""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from mpi4py_tests import GOOD
from testlists import NO_ERRORS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from known_mpis import of_tests  # noqa: E402
from live_mpis import STANDARD, found_natively  # noqa: E402
from mana_job import Failed, Job, descendants, is_rank, is_up, mpirun  # noqa: E402

WAYS = ("native", "plain", "resumed", "restarted")
TAKES = 2                # of a run whose checkpoint came too late
ASK, SIGNAL = signal.SIGUSR2, "USR2"      # not USR1: MPICH has a handler of its own for that
KILLED_FROM_S = 1.0      # tests that run so long are killed after their checkpoint; shorter ones end with it
REFUSED = re.compile(r"(MPIX?_\w+)[^\n]*(?:not supported|refused)|mana: (?:error: )?(MPIX?_\w+)")


def job_lines(job):
    """All that an ended job printed."""
    lines = []
    while (line := job.next_line(240)) is not None:
        lines.append(line.rstrip("\n"))
    return lines


def of_program(lines):
    """What is not mana's own."""
    return [line for line in lines if not line.startswith(("mana:", "      ")) or NO_ERRORS.match(line)]


def last_words(lines):
    """Of what a job printed before it was saved and ended: what says that the test was good. A checkpoint may come after it."""
    return [line for line in lines if NO_ERRORS.match(line)][:1] + [line for line in lines if GOOD in line]


class Runner:
    """Runs tests of one suite over one MPI.

    mana       the command
    judge      of (test, status, lines): None, or what is wrong
    directory  for the runs; each test gets its own below
    program    STANDARD if the tests are programs of the standard ABI
    """

    def __init__(self, mpi, mana, judge, directory, seed=0, program=None):     # pylint: disable=too-many-arguments
        self.mpi, self.mana, self.judge, self.directory = mpi, str(mana), judge, directory
        self.live = ("--mpi", STANDARD) if program else ()
        self.library = found_natively(mpi, directory / "abi") if program else {}
        self.seed = seed
        self.starts = {}    # ranks -> s, the shortest native run: about what mpirun itself takes

    def start(self, test, tree, place, *words, settings=()):
        environment = dict(assignment.split("=", 1) for assignment in (*settings, *test.environment))
        command = [*mpirun(self.mpi, test.ranks), *(test.mpirun_words if of_tests(self.mpi, "own_suite") else ()), *words]
        return Job(command, tree / test.folder, place / "log", environment)

    def program(self, test, tree):
        return [str(tree / test.folder / test.program), *test.arguments]

    def under_mana(self, test, tree, place, *options):
        return self.start(test, tree, place, self.mana, "run", *self.live, "--ckpt-dir", str(place / "ckpt"), *options, "--",
                          *self.program(test, tree))

    def ended(self, test, job, limit_s, earlier=(), natively=False):
        """The outcome of a job that is left alone. The stacks of one that hangs are kept, unless it runs natively: many tests
        do not end natively, and say nothing about mana."""
        begin = job.started
        try:
            status = job.process.wait(max(1.0, limit_s))
        except subprocess.TimeoutExpired:
            seconds = round(time.monotonic() - begin, 2)
            if not natively:
                job.examine()
            job.kill()
            return {"result": "timeout", "seconds": seconds,
                    "why": self.reason(job_lines(job)) or f"did not end within {limit_s:.0f} s"}
        seconds = round(time.monotonic() - begin, 2)
        lines = job_lines(job)
        wrong = self.judge(test, status, last_words(earlier) + of_program(lines))
        if wrong is None:
            return {"result": "passed", "seconds": seconds}
        return {"result": "failed", "seconds": seconds, "status": status, "why": self.reason(lines) or wrong}

    @staticmethod
    def reason(lines):
        """The first refusal among the lines, or what mana says."""
        for line in lines:
            if "mana" in line and (match := REFUSED.search(line)):
                return line.strip()
        return next((line.strip() for line in lines if line.startswith("mana:")), None)

    def native(self, test, tree, place, limit_s):
        settings = [*of_tests(self.mpi, "native_settings"), *(f"{name}={value}" for name, value in self.library.items())]
        return self.ended(test, self.start(test, tree, place, *self.program(test, tree), settings=settings), limit_s,
                          natively=True)

    def plain(self, test, tree, place, limit_s):
        return self.ended(test, self.under_mana(test, tree, place), limit_s)

    def note_start(self, test, native_s):
        self.starts[test.ranks] = min(native_s, self.starts.get(test.ranks, native_s))

    def length_s(self, test, native_s):
        """About the time between MPI_Init and the end."""
        return max(0.01, native_s - self.starts.get(test.ranks, 0))

    def ask(self, test, job, place, native_s, take, chance):
        """Sends one rank the signal that asks for a checkpoint: first anywhere between MPI_Init and the end, in the next take
        so early that the request waits for MPI_Init. False if the ranks ended before."""
        if take == 0:
            while not is_up(place / "ckpt" / "job.json"):
                if job.process.poll() is not None:
                    return False
                time.sleep(0.002)
            time.sleep(chance.uniform(0, self.length_s(test, native_s)))
        while job.process.poll() is None:
            ranks = [pid for pid in descendants(job.process.pid) if is_rank(pid) and _heeds(pid)]
            if ranks:
                try:
                    os.kill(chance.choice(ranks), ASK)
                    return True
                except ProcessLookupError:
                    pass
            time.sleep(0.002)
        return False

    @staticmethod
    def saved(place):
        return any((place / "ckpt").glob("gen-*/manifest.json"))

    def fresh(self, place):
        shutil.rmtree(place / "ckpt", ignore_errors=True)

    def resumed(self, test, tree, place, limit_s, native_s):
        chance = random.Random(f"{self.seed} resumed {test.name}")
        for take in range(TAKES):
            self.fresh(place)
            job = self.under_mana(test, tree, place, "--checkpoint-on", SIGNAL)
            self.ask(test, job, place, native_s, take, chance)
            outcome = self.ended(test, job, limit_s)
            if outcome["result"] != "passed" or self.saved(place):
                return outcome
        return {"result": "missed", "seconds": outcome["seconds"], "why": "ended before its checkpoint"}

    def restarted(self, test, tree, place, limit_s, native_s):
        """A long test is killed once its checkpoint is there, a short one ends with it."""
        chance = random.Random(f"{self.seed} restarted {test.name}")
        killed = self.length_s(test, native_s) > KILLED_FROM_S
        for take in range(TAKES):
            self.fresh(place)
            # The words of Open MPI's launcher about another status would be among the test's.
            options = ("--checkpoint-on", SIGNAL) if killed else ("--stop-on", SIGNAL, "--stopped-status", "0")
            job = self.under_mana(test, tree, place, *options)
            asked = self.ask(test, job, place, native_s, take, chance)
            deadline = time.monotonic() + limit_s
            while asked and job.process.poll() is None and time.monotonic() < deadline and not (killed and self.saved(place)):
                time.sleep(0.002)
            if job.process.poll() is None and not self.saved(place):
                return self.ended(test, job, 1.0)
            ended_itself = killed and job.process.poll() is not None
            if job.process.poll() is None:
                job.kill()
            lines = job_lines(job)
            if not self.saved(place):
                outcome = {"result": "missed", "seconds": 0, "why": "ended before its checkpoint"}
                if self.judge(test, job.process.returncode, of_program(lines)) is not None:
                    return {"result": "failed", "seconds": 0, "why": self.reason(lines) or "before its checkpoint"}
                continue
            if ended_itself and take < TAKES - 1:
                continue
            (place / "ckpt" / "job.json").unlink(missing_ok=True)
            again = self.start(test, tree, place, self.mana, "restart", *self.live, str(place / "ckpt"))
            return self.ended(test, again, limit_s, lines)
        return outcome

    def run(self, way, test, tree, native_s, limit_s):
        """The outcome of this test in this way; native_s: what it took natively."""
        if not (tree / test.folder / test.program).exists():
            return {"result": "not_built", "seconds": 0, "why": "does not compile or link over this MPI"}
        place = self.directory / way / re.sub(r"\W+", "_", test.name)[:150]
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        try:
            if way in ("native", "plain"):
                outcome = getattr(self, way)(test, tree, place, limit_s)
            else:
                outcome = getattr(self, way)(test, tree, place, limit_s, native_s)
        except Failed as failed:
            outcome = {"result": "failed", "seconds": 0, "why": str(failed).splitlines()[0]}
        self.fresh(place)
        if outcome["result"] == "passed":
            shutil.rmtree(place)
        return outcome


def _heeds(pid):
    """True once a signal that asks for a checkpoint cannot end the process any more."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    masks = re.findall(r"^Sig(?:Blk|Cgt):\s*(\w+)", status, re.MULTILINE)
    return any(int(mask, 16) >> (ASK - 1) & 1 for mask in masks)
