#!/usr/bin/python3
"""Lets each system call of a small checkpoint and of its restart fail, one at a time, in each way that disks fail.

A checkpoint whose call failed is given up, with a message that names the file and the cause, and of an image the rank, or is
there as if nothing had failed; where it is given up, the one before is whole, and the next one works. A restart ends with the
memory of a checkpoint, the newest or, with its cause named, an older one, or with a message that names the file and the cause.
MANA_TEST_FAILING_CALLS=all: every call in every way; each: every call in one way, by the seed; else a third of these.
"""
import argparse
import errno
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

NAMES = ["openat", "mkdirat", "fstatat", "fstat", "fchmod", "read", "pread", "write", "pwrite", "fsync", "renameat", "unlinkat",
         "fallocate", "ftruncate", "io_submit", "io_getevents", "lstat", "fchmodat", "fcntl", "readdir", "preadv2",
         "close", "open"]       # as fail_call.cpp has them
ERRORS = [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EINTR, errno.ESTALE]
TRANSFERS = ("read", "pread", "write", "pwrite", "io_getevents")
AGAIN = ("read", "pread", "write", "pwrite", "fsync", "fallocate", "ftruncate", "io_submit")      # what EINTR and short counts must not harm


class Bench:
    def __init__(self, program, library, directory):
        self.program, self.library, self.directory = program, library, directory
        self.counts, self.top = directory / "counts", directory / "ckpt"
        self.good = directory / "good"
        self.make(["write"])

    def run(self, words, fail=""):
        """(exit status, what it said)"""
        self.counts.write_bytes(bytes(4096))
        environment = {**os.environ, "LD_PRELOAD": str(self.library), "MANA_FAIL": fail, "MANA_FAIL_UNDER": str(self.top),
                       "MANA_FAIL_COUNTS": str(self.counts)}
        done = subprocess.run([self.program, *map(str, words)], env=environment, capture_output=True, text=True, timeout=240,
                              check=False)
        return done.returncode, done.stdout + done.stderr

    def counted(self):
        return dict(zip(NAMES, struct.unpack(f"{len(NAMES)}Q", self.counts.read_bytes()[:8 * len(NAMES)])))

    def make(self, before):
        """What begin() leaves: checkpoints that are made so."""
        for directory in (self.top, self.good):
            shutil.rmtree(directory, ignore_errors=True)
        for mark, what in enumerate(before, 1):
            status, text = self.run([what, self.top, str(mark), "1000", self.directory / "done"])
            if status != 0:
                raise SystemExit(f"{what}: status {status}: {text}")
        shutil.copytree(self.top, self.good)
        self.newest = len(before)

    def begin(self):
        shutil.rmtree(self.top)
        shutil.copytree(self.good, self.top)

    def judged(self):
        done = subprocess.run([self.program, "judge"], input=f"{self.top}\n", capture_output=True, text=True, timeout=240, check=False)
        return done.stdout.strip().split(" ")[0]

    def save(self, what, keep, fail=""):
        mark = [] if what == "compact" else [self.newest + 1]
        return self.run([what, self.top, *mark, keep, self.directory / "done"], fail)

    def restore(self, fail=""):
        return self.run(["restore", self.top], fail)


def ways(call):
    return [*ERRORS, *(["short"] if call in TRANSFERS else [])]


def is_harmless(call, how):
    return call in AGAIN and how in (errno.EINTR, "short") or call == "io_getevents" and how == "short" or \
        call == "io_submit" and how == errno.EINTR


def names_cause(text, how, bench):
    """Of a call that came to an end too early there is no errno to name."""
    return str(bench.top) in text and (how == "short" or os.strerror(how) in text)


def wrong_in_checkpoint(bench, what, keep, call, n, how):
    """What is not as it should be; None if all is."""
    bench.begin()
    status, text = bench.save(what, keep, f"{call}:{n}:{how}")
    taken = bench.judged()
    if status == 0:
        return None if taken == str(bench.newest + 1) else f"it is said to be done, and a restart takes {taken}"
    if status != 1:
        return f"status {status}: {text}"
    if is_harmless(call, how):
        return f"it was given up: {text}"
    if not names_cause(text, how, bench):
        return f"file or cause is not named: {text}"
    if taken != str(bench.newest):
        return f"it was given up, and a restart takes {taken}"
    status, text = bench.save(what, keep)
    if status != 0 or int(bench.judged()) <= bench.newest:
        return f"the next checkpoint: status {status}: {text}, and a restart takes {bench.judged()}"
    return None


def wrong_in_restart(bench, call, n, how):
    bench.begin()
    status, text = bench.restore(f"{call}:{n}:{how}")
    if status == 0 and text.startswith(f"{bench.newest}\n"):
        return None
    if status not in (0, 1) or (status == 0 and not text.startswith(f"{bench.newest - 1}\n")):
        return f"status {status}: {text}"
    if is_harmless(call, how):
        return f"it was not restarted: {text}"
    return None if names_cause(text, how, bench) else f"file or cause is not named: {text}"


SHARES = {"all": 1, "each": 1, None: 3}       # of MANA_TEST_FAILING_CALLS: one of so many cases is tried


def cases_of(bench, go, wanted, chance):
    """[(call, n, how)] of what go() does."""
    bench.begin()
    status, text = go()
    if status != 0:
        raise SystemExit(f"without a failure: status {status}: {text}")
    found = []
    for call, count in bench.counted().items():
        for n in range(1, count + 1):
            found += [(call, n, how) for how in (ways(call) if wanted == "all" else [chance.choice(ways(call))])]
    share = SHARES[wanted]
    return found[chance.randrange(share)::share]


# (what, what was made before, how the next is made; None: the newest is restored, how many are kept)
PARTS = [
    ("checkpoint", ["write"], "write", 2),
    ("checkpoint that removes one", ["write"], "write", 1),
    ("checkpoint of changes", ["write"], "extend", 2),
    ("checkpoint of changes that is made whole", ["write", "extend"], "compact", 1),
    ("restart", ["write", "write"], None, 2),
    ("restart of changes", ["write", "extend"], None, 2),
]


def wrong_in(bench, what, keep, wanted, chance):
    """(number of failing calls, [(which, what is wrong)])"""
    cases = cases_of(bench, bench.restore if what is None else lambda: bench.save(what, keep), wanted, chance)
    problems = [(case, wrong_in_restart(bench, *case) if what is None else wrong_in_checkpoint(bench, what, keep, *case))
                for case in cases]
    return len(cases), [(case, words) for case, words in problems if words]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True, help="small_checkpoint")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="fail_call")
    parser.add_argument("--place", type=pathlib.Path, default=pathlib.Path("."),
                        help="a directory on a disk: in memory some calls do not what they do there, and nobody sees them fail")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wanted = os.environ.get("MANA_TEST_FAILING_CALLS")
    if wanted not in SHARES:
        parser.error(f"MANA_TEST_FAILING_CALLS={wanted}: all or each")
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="failing-calls-", dir=options.place.resolve()) as directory:
        bench = Bench(options.program.resolve(), options.library.resolve(), pathlib.Path(directory))
        chance = random.Random(options.seed)
        for words, before, what, keep in PARTS:
            bench.make(before)
            cases, problems = wrong_in(bench, what, keep, wanted, chance)
            wrong += len(problems)
            print(f"{words}: {cases} failing calls, {len(problems)} wrong", flush=True)
            for (call, n, how), why in problems:
                print(f"  {call} {n} {how if how == 'short' else errno.errorcode[how]}: {why}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
