#!/usr/bin/python3
"""Lets each system call that one rank of a running job makes on the checkpoint directory fail, one at a time, in each way that
disks fail: those of a checkpoint, and those of a restart.

A checkpoint that fails names the rank, the file and the cause, the one before is the newest and whole, the program runs on,
and the next checkpoint is taken. One that does not is whole. A restart goes on, or ends with rank, file and cause, and the next
one goes on. Now and then the rank is killed, and the job restarted from what there is then. Whatever happens, the output is the
undisturbed run's.

MANA_TEST_FAILING_CALLS_IN_JOB=all: every call in every way; each: every call in one way, by the seed; else a sample.
"""
import argparse
import errno
import itertools
import os
import pathlib
import shutil
import signal
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]
from failing_calls import NAMES, is_harmless, ways  # noqa: E402
from workbench import JOB_ENDED, NOT_SAVED, Bench, Failed  # noqa: E402

NO_JOB = 90
PLAN = 1024             # where the page says which call fails
NONE = (len(NAMES), 0, 0)
CASES_OF_A_JOB = 4
SAMPLE = {"checkpoint": 4, "restart": 1}      # cases for each rank


class Page:
    """What the job and fail_call share."""

    def __init__(self, file):
        self.file = file
        file.write_bytes(bytes(4096))

    def say(self, call, n, how):
        with self.file.open("r+b") as page:
            page.write(bytes(8 * len(NAMES)))
            page.seek(PLAN)
            page.write(struct.pack("3q", call, n, how))

    def fail(self, call, n, how):
        self.say(NAMES.index(call), n, -2 if how == "short" else how)

    def counted(self):
        return dict(zip(NAMES, struct.unpack(f"{len(NAMES)}Q", self.file.read_bytes()[:8 * len(NAMES)])))


def is_named(text, rank, how, directory):
    """Of a call that came to an end too early there is no errno to name."""
    return f"rank {rank}" in text and str(directory) in text and (how == "short" or os.strerror(how) in text)


class FailingCalls:
    def __init__(self, options, rank):
        self.options, self.rank = options, rank
        self.bench = Bench(options, f"failing-calls-{rank}")
        self.mode = options.mode.split()
        self.numbers = itertools.count(1)
        self.cases, self.unreached, self.problems = 0, 0, []
        self.bench.prepare()
        self.make_two()

    def make_two(self):
        """A directory with two checkpoints, for restarts."""
        bench = self.bench
        bench.begin_case("two")
        job = bench.running(None, *self.mode)
        bench.saved("--stop")
        job.must_end_well()
        self.two_pieces = [*bench.pieces, job.text]
        bench.end_case()

    def begin(self, what):
        bench = self.bench
        bench.begin_case(f"{what}-{next(self.numbers)}")
        if what == "restart":
            shutil.rmtree(bench.directory / "ckpt")
            shutil.copytree(bench.top / "two" / "ckpt", bench.directory / "ckpt", ignore=shutil.ignore_patterns("job.json"))
            bench.pieces = list(self.two_pieces)
        self.page = Page(bench.directory / "page")
        self.page.say(*NONE)
        self.environment = {"LD_PRELOAD": str(self.options.library.resolve()), "MANA_FAIL": "page", "MANA_FAIL_RANK": str(self.rank),
                            "MANA_FAIL_UNDER": str(bench.directory / "ckpt"), "MANA_FAIL_COUNTS": str(self.page.file)}

    def cases_of(self, what):
        """[(call, n, how)] of what is not disturbed."""
        bench = self.bench
        self.begin(what)
        job = bench.running(None, *self.mode, environment=self.environment)
        if what == "checkpoint":
            bench.saved()                   # the second removes one as well
            self.page.say(*NONE)
            bench.saved()
        counted = self.page.counted()
        bench.end_well(job)
        bench.end_case()
        found = [(call, n, ways(call)) for call, count in counted.items() for n in range(1, count + 1)]
        every = os.environ.get("MANA_TEST_FAILING_CALLS_IN_JOB")
        if every == "all":
            return [(call, n, how) for call, n, hows in found for how in hows]
        found = [(call, n, bench.random.choice(hows)) for call, n, hows in found]
        return found if every == "each" else bench.random.sample(found, min(SAMPLE[what], len(found)))

    def note(self, case, words):
        self.cases += 1
        if words:
            self.problems.append((case, words))

    # ---- checkpoints

    def checkpoints(self):
        left = self.cases_of("checkpoint")
        for number in itertools.count():
            if not left:
                return
            self.begin("checkpoint")
            try:
                self.in_one_job(left, is_killed=number % 3 == 0)
            finally:
                self.bench.end_case()

    def in_one_job(self, left, is_killed):
        """The first of the cases; those that it comes to are not left any more."""
        bench = self.bench
        job = bench.running(None, *self.mode, environment=self.environment)
        bench.saved()
        for _ in range(CASES_OF_A_JOB):
            if not left or not self.checkpoint_case(left[0]):
                break
            left.pop(0)
        if is_killed and job.process.poll() is None:
            os.kill(job.process_of(self.rank), signal.SIGKILL)
            bench.end_dead(job)
            bench.recover()
        else:
            bench.end_well(job)

    def checkpoint_case(self, case):
        """out: False if the program was at its end."""
        call, n, how = case
        before = self.bench.newest()
        self.page.fail(call, n, how)
        status, text = self.bench.checkpoint()
        is_reached = self.page.counted()[call] >= n
        self.page.say(*NONE)
        if status in (NO_JOB, JOB_ENDED) or "is ending" in text:
            return False
        self.unreached += not is_reached
        self.note(case, self.wrong_after(status, text, case, before))
        return True

    def wrong_after(self, status, text, case, before):
        call, _, how = case
        newest = self.bench.newest()            # reads all bytes
        if status == 0:
            return None if newest > before else f"it is said to be done, and the newest is {newest} still"
        if status != NOT_SAVED:
            return f"status {status}: {text}"
        if is_harmless(call, how):
            return f"it was given up: {text}"
        if newest != before:
            return f"it was given up, and the newest is {newest} after {before}: {text}"
        if not is_named(text, self.rank, how, self.bench.directory / "ckpt"):
            return f"rank, file or cause is not named: {text}"
        status, text = self.bench.checkpoint()
        if status in (NO_JOB, JOB_ENDED) or "is ending" in text:
            return None
        return None if status == 0 and self.bench.newest() > before else f"the next checkpoint: status {status}: {text}"

    # ---- restarts

    def restarts(self):
        for case in self.cases_of("restart"):
            self.begin("restart")
            try:
                self.note(case, self.wrong_in_restart(case))
            finally:
                self.bench.end_case()

    def wrong_in_restart(self, case):
        bench, (call, n, how) = self.bench, case
        self.page.fail(call, n, how)
        job = bench.restart(None, *self.mode, environment=self.environment)
        status = job.ended()
        self.unreached += self.page.counted()[call] < n
        differs = bench.output.pieces_differ([*bench.pieces, job.text])
        if status == 0:
            return None if differs is None else f"the output differs: {differs}"
        if is_harmless(call, how):
            return f"it was not restarted: {job.last_lines()}"
        if not is_named(job.text, self.rank, how, bench.directory / "ckpt"):
            return f"status {status}: rank, file or cause is not named: {job.last_lines()}"
        bench.recover()
        return None

    def run(self):
        for what, go in (("checkpoints", self.checkpoints), ("restarts", self.restarts)):
            if self.options.only not in (None, what):
                continue
            self.cases, self.unreached, self.problems = 0, 0, []
            go()
            print(f"{self.options.mpi} {self.options.mode or 'plain'}, rank {self.rank}, {what}: {self.cases} failing calls "
                  f"({self.unreached} were not made), {len(self.problems)} wrong", flush=True)
            for (call, n, how), words in self.problems:
                print(f"  {call} {n} {how if how == 'short' else errno.errorcode[how]}: {words}", flush=True)
            yield len(self.problems) + (self.cases == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True, help="fail_call")
    parser.add_argument("--mode", default="", help="options of mana restart")
    parser.add_argument("--only", choices=["checkpoints", "restarts"])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.ranks, options.fan_out = 2, 0
    wrong = 0
    for rank in (1, 0):
        try:
            wrong += sum(FailingCalls(options, rank).run())
        except Failed as failed:
            print(f"FAILED rank {rank}: {failed}", flush=True)
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
