"""Random MPI programs (random_program.c), each judged across checkpoints by its native run.

For every seed: a native run; one under mana that is checkpointed at a random moment and goes on; one that is killed
after a checkpoint at another random moment and restarted. All three must print the same lines, byte for byte. Moments
are chosen by lines of output; some are before MPI_Init or after MPI_Finalize. A seed also decides how many ranks there are.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "scripts" / "support"), str(HERE.parent / "restart")]
from comparison import Comparison  # noqa: E402
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Failed, Job, mpirun  # noqa: E402

ENDING_S = 240
TAKES = 3
KEPT = 15          # lines of a failure that are shown
# MPICH's ranks spin while they wait: with more of them than cores few steps end in time.
RANKS = {"mpich": [2, 2, 2, 2, 2, 2, 2, 2, 3, 4], "openmpi": [2, 3, 4, 5]}
STEPS = {"mpich": {2: 60, 3: 6, 4: 5}, "openmpi": {2: 60, 3: 50, 4: 40, 5: 30}}
PAUSE_MS = 5       # in every other seed: checkpoints fall between the steps; in the others most fall in a call of MPI
PLACES = ["inside"] * 4 + ["before", "after"]      # of MPI_Init and MPI_Finalize
BUSY = 8          # times as many steps without pauses, of two ranks


class Seed:
    """One program, and its runs."""

    def __init__(self, options, mpi, number):
        self.options, self.mpi, self.number = options, mpi, number
        self.random = random.Random(number)
        self.ranks = self.random.choice(RANKS[mpi])
        self.pause_ms = PAUSE_MS * (number % 2)
        self.steps = STEPS[mpi][self.ranks] * (1 if self.pause_ms or self.ranks > 2 else BUSY)
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.program = options.build.resolve() / "tests" / "random" / "programs" / f"random_program_{mpi}"
        self.directory = options.build.resolve() / "random-runs" / f"{mpi}-{number}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.output = Comparison(re.compile("^(step|checksum|rank)"))
        self.log, self.job = self.directory / "native.log", None
        self.place, self.held = "inside", self.directory / "held"

    def words(self):
        return [str(self.program), str(self.number), str(self.steps), str(self.pause_ms), *self.options.beyond]

    def start(self, name, *words):
        self.log = self.directory / f"{name}.log"
        hold = {} if self.place == "inside" else {"RANDOM_HOLD": f"{self.place}:{self.held}"}
        job = Job([*mpirun(self.mpi, self.ranks), *words], self.directory, self.log, hold)
        job.text = []
        self.job = job
        return job

    def under_mana(self, name):
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        return self.start(name, self.mana, "run", "--ckpt-dir", "ckpt", "--", *self.words())

    def read(self, job):
        while (line := job.next_line(self.options.silence)) is not None:
            job.text.append(line)
        return "".join(job.text)

    def end(self, job):
        text = self.read(job)
        job.wait(ENDING_S)
        return text

    def checkpoint(self, job):
        """Where this run is to have it. False if the program had ended."""
        if self.place == "inside":
            return self.checkpoint_inside(job)
        job.await_files(self.directory, "held.*", self.ranks, self.options.silence)
        return job.checkpoint(self.mana, self.directory / "ckpt", self.options.silence)

    def choose_place(self):
        self.place = self.random.choice(PLACES)
        for file in self.directory.glob("held*"):
            file.unlink()

    def checkpoint_inside(self, job):
        """After a random line."""
        if not job.wait_until_up(self.directory / "ckpt"):
            return False
        for _ in range(self.random.randint(0, max(0, int(0.7 * len(self.output.expected))))):
            if (line := job.next_line(self.options.silence)) is None:
                return False
            job.text.append(line)
        return job.checkpoint(self.mana, self.directory / "ckpt", self.options.silence)

    def native(self):
        text = self.end(self.start("native", *self.words()) if not self.options.beyond else self.under_mana("plain"))
        self.output.expected = self.output.of(text)
        if "does not hold" in text or not any("checksum" in line for line in self.output.expected):
            raise Failed(f"the first run is not a good one:\n{text}")

    def require_same(self, differs):
        if differs is not None:
            raise Failed(f"the output differs:\n{differs}")

    def resumed(self):
        self.choose_place()
        job = self.under_mana("resumed")
        taken = self.checkpoint(job)
        self.held.touch()
        self.require_same(self.output.differs(self.end(job)))
        return taken

    def restarted(self):
        self.choose_place()
        job = self.under_mana("restarted")
        if not self.checkpoint(job):
            self.require_same(self.output.differs(self.end(job)))
            return False
        job.kill()
        self.held.touch()
        pieces = [self.read(job)]
        (self.directory / "ckpt" / "job.json").unlink(missing_ok=True)      # of the killed job
        job = self.start("restarted-again", self.mana, "restart", str(self.directory / "ckpt"))
        self.require_same(self.output.pieces_differ([*pieces, self.end(job)]))
        return True

    def go(self, counts):
        """Counts what was shown; None, or (which run, what is wrong)."""
        for name, run in ("native", self.native), ("resumed", self.resumed), ("restarted", self.restarted):
            try:
                # A run that ends before its moment shows nothing of checkpoints: another one is taken.
                for _ in range(TAKES):
                    if run() is not False:
                        counts[name] += 1
                        counts[self.place] = counts.get(self.place, 0) + (name != "native")
                        break
                else:
                    counts["too short"] += 1
            except (Failed, subprocess.TimeoutExpired) as failed:
                if self.job is not None and self.job.process.poll() is None:
                    self.job.kill()
                return name, failed
        shutil.rmtree(self.directory)
        return None

    def keep(self):
        """Of a failure: its logs, without the images."""
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)


def one_seed(options, mpi, number, counts):
    seed = Seed(options, mpi, number)
    failure = seed.go(counts)
    if failure is None:
        return True
    name, what = failure
    if not options.keep_images:
        seed.keep()
    text = "\n".join(str(what).splitlines()[:KEPT])
    print(f"{mpi} seed {number}, {seed.ranks} ranks, {name}: {text}\n(log {seed.log})\nagain: "
          f"{sys.executable} {HERE / 'random_test.py'} --build {options.build} --mpi {mpi} --seeds {number}..{number}"
          f"{' --beyond' if options.beyond else ''}", flush=True)
    return False


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=FAMILIES, action="append", help="default: both")
    parser.add_argument("--seeds", default="1..25", metavar="A..B")
    parser.add_argument("--silence", type=int, default=240, metavar="SECONDS", help="without a line: the job hangs")
    parser.add_argument("--beyond", action="store_const", const=["beyond"], default=[],
                        help="also what MPICH 4.0.2 itself gets wrong; compares with a run under mana")
    parser.add_argument("--keep-images", action="store_true", help="of runs that failed, too")
    options = parser.parse_args()
    try:
        options.first, options.last = (int(word) for word in options.seeds.split(".."))
    except ValueError:
        parser.error(f"--seeds {options.seeds}: not of the form A..B")
    return options


def all_seeds(options, mpi):
    """Prints what came of them; returns how many failed."""
    counts = dict.fromkeys(("native", "resumed", "restarted", "too short"), 0)
    begin = time.monotonic()
    failed = [number for number in range(options.first, options.last + 1) if not one_seed(options, mpi, number, counts)]
    said = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"{mpi}: seeds {options.seeds}, {len(failed)} failed; {said}; {time.monotonic() - begin:.0f} s")
    if failed:
        print(f"{mpi}: failed: {' '.join(map(str, failed))}")
    sys.stdout.flush()
    return len(failed)


def main():
    options = parse()
    return 1 if sum(all_seeds(options, mpi) for mpi in options.mpi or ["mpich", "openmpi"]) else 0


if __name__ == "__main__":
    sys.exit(main())
