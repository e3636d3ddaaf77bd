"""The example tools with hooks: each moment of each checkpoint is said once by each rank, in order, also after a restart.

A run is checkpointed twice and goes on; then one is killed after its checkpoint and restarted, checkpointed and ended.
"""
import argparse
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, Job, mpirun  # noqa: E402

RANKS = 2
SILENCE_S = 240
SAID = re.compile(r"^hook: rank (\d+), restarts (\d+): (.*)$")
REPORT = re.compile(r"^checkpoints: (\d+) asked for, (\d+) durable, (\d+) restarts")
DURABLE = ", the checkpoint is durable"
TAKEN = ["a checkpoint was asked for", "all threads stand still", "before the image", "after the image" + DURABLE,
         "the program goes on" + DURABLE]
RESTARTED = ["the program goes on in a new process"]


class Hooks:
    def __init__(self, options):
        self.mpi = options.mpi
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.program, *tools = options.words
        self.environment = ["env", "LD_PRELOAD=" + ":".join(tools)]
        self.directory = options.build.resolve() / "restart-runs" / f"hooks-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def start(self, *words):
        job = Job([*mpirun(self.mpi, RANKS), *words], self.directory, self.directory / "log")
        job.text = []
        return job

    def run(self):
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        return self.start(*self.environment, self.mana, "run", "--ckpt-dir", "ckpt", "--", self.program, "150", "10")

    def read(self, job, until=""):
        """Up to a line that begins so, or to the end."""
        while (line := job.next_line(SILENCE_S)) is not None:
            job.text.append(line)
            if until and line.startswith(until):
                return

    def checkpoint(self, job):
        if not job.checkpoint(self.mana, self.directory / "ckpt", SILENCE_S):
            raise Failed("the program ended before its checkpoint")

    def require(self, job, restarts, expected):
        """What the ranks' hooks said while the job had been restarted so often."""
        for rank in range(RANKS):
            found = [match for line in job.text if (match := SAID.match(line)) and int(match[1]) == rank]
            texts = [match[3] for match in found if int(match[2]) == restarts]
            if texts != expected:
                raise Failed(f"rank {rank}, {restarts} restarts: the hooks said\n  " + "\n  ".join(texts))

    def report(self, job):
        return next(tuple(int(word) for word in match.groups()) for line in job.text if (match := REPORT.match(line)))

    def resumed(self):
        job = self.run()
        for _ in range(2):
            self.read(job, "step")
            self.checkpoint(job)
        self.read(job)
        job.wait()
        self.require(job, 0, 2 * TAKEN)
        if self.report(job) != (2, 2, 0):
            raise Failed(f"the tool reports {self.report(job)}")

    def restarted(self):
        job = self.run()
        self.read(job, "step")
        self.checkpoint(job)
        job.kill()
        self.read(job)
        (self.directory / "ckpt" / "job.json").unlink(missing_ok=True)
        job = self.start(self.mana, "restart", "ckpt")
        self.read(job, "step")
        self.checkpoint(job)
        self.read(job)
        job.wait()
        self.require(job, 1, RESTARTED + TAKEN)
        if self.report(job) != (2, 1, 1):            # the first checkpoint's image knows that it was asked for, no more
            raise Failed(f"the tool reports {self.report(job)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("words", nargs="+", metavar="PROGRAM TOOL", help="a program, and libraries that are preloaded")
    options = parser.parse_args()
    try:
        hooks = Hooks(options)
        hooks.resumed()
        hooks.restarted()
    except Failed as failed:
        print(f"FAILED: {failed}")
        return 1
    print("each moment was said once, in order")
    return 0


if __name__ == "__main__":
    sys.exit(main())
