#!/usr/bin/python3
"""Lets each system call of one rank's part in a checkpoint of a running job fail, one at a time, in each way that disks fail.

A checkpoint that fails names the rank, the file and the cause; the program runs on, and the next checkpoint is taken.
The coordinator, in rank 0, has calls of its own, which are no rank's part: their messages need name no rank.
MANA_TEST_FAILING_CALLS_IN_JOB=all: every call in every way; else a sample by the seed.
"""
import argparse
import errno
import os
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]
from failing_calls import NAMES, is_harmless, ways  # noqa: E402
from workbench import NOT_SAVED, Bench, Failed  # noqa: E402

PLAN = 1024             # where the page says which call fails
SAMPLE = 8              # cases for each rank
STEPS = 100000          # more than the job comes to


class Page:
    """What the job and fail_call share."""

    def __init__(self, file):
        self.file = file
        file.write_bytes(bytes(4096))
        self.say(len(NAMES), 0, 0)

    def say(self, call, n, how):
        with self.file.open("r+b") as page:
            page.write(bytes(8 * len(NAMES)))
            page.seek(PLAN)
            page.write(struct.pack("3q", call, n, how))

    def counted(self):
        return dict(zip(NAMES, struct.unpack(f"{len(NAMES)}Q", self.file.read_bytes()[:8 * len(NAMES)])))


def wrong_in_case(bench, job, page, rank, case):
    """What is not as it should be; None if all is."""
    call, n, how = case
    page.say(NAMES.index(call), n, -2 if how == "short" else how)
    status, text = bench.checkpoint()
    page.say(len(NAMES), 0, 0)
    job.read(2)
    if job.process.poll() is not None:
        return f"the job ended: {job.last_lines()}"
    if status == 0:
        return None
    if status != NOT_SAVED:
        return f"status {status}: {text}"
    if is_harmless(call, how):
        return f"it was given up: {text}"
    if (rank != 0 and f"rank {rank}" not in text) or str(bench.directory / "ckpt") not in text or \
       (how != "short" and os.strerror(how) not in text):
        return f"rank, file or cause is not named: {text}"
    status, text = bench.checkpoint()
    return None if status == 0 else f"the next checkpoint: status {status}: {text}"


def try_rank(bench, options, rank, mode, every):
    bench.directory = bench.top / f"rank-{rank}"
    bench.directory.mkdir(parents=True)
    page = Page(bench.directory / "page")
    job = bench.start(bench.mana, "run", "--ckpt-dir", "ckpt", *mode, "--", bench.program, str(STEPS), "1", environment={
        "LD_PRELOAD": str(options.library.resolve()), "MANA_FAIL": "page", "MANA_FAIL_RANK": str(rank),
        "MANA_FAIL_UNDER": str(bench.directory / "ckpt"), "MANA_FAIL_COUNTS": str(page.file)})
    try:
        job.await_up()
        for _ in range(4):      # the last of these removes one as well
            page.say(len(NAMES), 0, 0)
            status, text = bench.checkpoint()
            if status != 0:
                raise Failed(f"without a failure: status {status}: {text}")
        cases = [(call, n, how) for call, count in page.counted().items() for n in range(1, count + 1) for how in ways(call)]
        if not every:
            cases = bench.random.sample(cases, min(SAMPLE, len(cases)))
        problems = [(case, wrong_in_case(bench, job, page, rank, case)) for case in cases]
    finally:
        job.clear()
    problems = [(case, words) for case, words in problems if words]
    print(f"rank {rank}: {len(cases)} failing calls, {len(problems)} wrong", flush=True)
    for (call, n, how), words in problems:
        print(f"  {call} {n} {how if how == 'short' else errno.errorcode[how]}: {words}")
    return len(problems) + (not cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True, help="fail_call")
    parser.add_argument("--mode", default="", help="options of mana run")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.ranks, options.fan_out = 2, 0
    bench = Bench(options, "failing-calls")
    every = os.environ.get("MANA_TEST_FAILING_CALLS_IN_JOB") == "all"
    return 1 if sum(try_rank(bench, options, rank, options.mode.split(), every) for rank in (1, 0)) else 0


if __name__ == "__main__":
    sys.exit(main())
