"""A chain of incremental checkpoints of one run, and restarts from some of them: each ends as the undisturbed run does.

Takes --checkpoints checkpoints at random moments, all of which are kept, lets the program end, verifies all, and restarts
--restarts of them, drawn at random, in turn eagerly and lazily.
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, Job, mana, mpirun  # noqa: E402

SILENCE_S = 240
COUNTS = ("step", "checksum")


class Chain:
    def __init__(self, options):
        self.options = options
        build = options.build.resolve()
        self.mana = str(build / "bin" / "mana")
        self.program = [str(build / "tests" / "mpi" / "programs" / f"stress_{options.mpi}"), str(options.steps), str(options.pause)]
        self.directory = build / "restart-runs" / f"incremental_chain-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.store = self.directory / "ckpt"
        self.random = random.Random(options.seed)
        self.how = ["--incremental", "--full-every", str(options.full_every), "--compress", "none", "--keep", "all"]

    def start(self, *words):
        job = Job([*mpirun(self.options.mpi, 2), *words], self.directory, self.directory / "log")
        job.text = []
        return job

    def end(self, job):
        """Lines that count, to a good end."""
        while (line := job.next_line(SILENCE_S)) is not None:
            job.text.append(line)
        if job.process.wait(SILENCE_S) != 0:
            raise Failed(f"the job ended with status {job.process.returncode}: {''.join(job.text[-10:])}")
        return [line for line in job.text if line.startswith(COUNTS)]

    def take_all(self):
        job = self.start(self.mana, "run", "--ckpt-dir", "ckpt", *self.how, "--", *self.program)
        job.wait_until_up(self.store)
        for taken in range(self.options.checkpoints):
            time.sleep(self.random.uniform(0, 2e-3 * self.options.pause))      # at any moment of a step
            if not job.checkpoint(self.mana, self.store, SILENCE_S):
                raise Failed(f"the program ended after {taken} checkpoints: give it more steps")
        return self.end(job)

    def check_chain(self):
        """All bytes, and that no image refers to more than the chain's bound. Returns (whole ones, bytes of all)."""
        generations = sorted(self.store.glob("gen-*"))
        if len(generations) != self.options.checkpoints:
            raise Failed(f"{len(generations)} generations instead of {self.options.checkpoints}")
        mana(self.mana, "verify", str(self.store), timeout_s=SILENCE_S)
        built = [json.loads((g / "manifest.json").read_text())["builds_on"] for g in generations]
        if (longest := max(map(len, built))) >= self.options.full_every:
            raise Failed(f"a checkpoint builds on {longest} others")
        return sum(not b for b in built), sum(f.stat().st_size for f in self.store.rglob("*.mana"))

    def restart(self, number, expected, *words):
        job = self.start(self.mana, "restart", *words, *self.how, f"ckpt/gen-{number:06}")
        found = self.end(job)
        if not found or found != expected[-len(found):]:
            raise Failed(f"restarted from {number}: the output is not the end of the undisturbed one's, see {self.directory}/log")
        return len(found)

    def run(self):
        expected = self.end(self.start(*self.program))
        begin = time.monotonic()
        if self.take_all() != expected:
            raise Failed("resumed: the output differs")
        took = time.monotonic() - begin
        whole, size = self.check_chain()
        drawn = sorted(self.random.sample(range(1, self.options.checkpoints + 1), self.options.restarts))
        left = [self.restart(n, expected, *(["--lazy"] if i % 2 else [])) for i, n in enumerate(drawn)]
        if left != sorted(left, reverse=True):
            raise Failed(f"later checkpoints have more left to do: {dict(zip(drawn, left))}")
        print(f"{self.options.checkpoints} checkpoints in {took:.1f} s, {whole} whole, {size / 1e6:.1f} MB; restarted "
              f"{len(drawn)}: {drawn}: all equal")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--checkpoints", type=int, default=12)
    parser.add_argument("--restarts", type=int, default=2)
    parser.add_argument("--full-every", type=int, default=5)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--pause", type=int, default=2, help="of the program after each step, in ms")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    try:
        Chain(options).run()
    except (Failed, subprocess.SubprocessError) as failed:
        print(f"FAILED with --seed {options.seed}: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
