"""Checkpoints wherever the program is, its restarts, and refusals that say why at once.

Each case: the ranks come to their place and wait there; a checkpoint; the program goes on and ends as natively; or it is killed, and its
restart does.
"""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, Job, descendants, is_rank, mana, mpirun  # noqa: E402

RANKS = 3
SILENCE_S = 240
REFUSED_S = 60       # at once, on a machine that has other things to do


class Stages:
    def __init__(self, options):
        self.mpi = options.mpi
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.program = str(pathlib.Path(options.program).resolve())
        self.directory = options.build.resolve() / "restart-runs" / f"stages-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.hold = self.directory / "hold"
        self.job = None

    def start(self, *words):
        for file in self.directory.glob("hold*"):
            file.unlink()
        self.job = Job([*mpirun(self.mpi, RANKS), *words], self.directory, self.directory / "log", {"HOLD": str(self.hold)})

    def run(self, place, *options):
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        self.start(self.mana, "run", "--ckpt-dir", "ckpt", *options, "--", self.program, place)
        self.await_place()

    def await_place(self):
        deadline = time.monotonic() + SILENCE_S
        while len(list(self.directory.glob("hold.*"))) < RANKS:
            if self.job.process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"the ranks did not come to their place; see {self.job.log}")
            time.sleep(0.01)

    def end(self):
        """The job's lines, sorted, after its ranks were let go."""
        self.hold.touch()
        lines = []
        while (line := self.job.next_line(SILENCE_S)) is not None:
            lines.append(line)
        self.job.wait()
        return sorted(line for line in lines if line.startswith("rank"))

    def checkpoint(self, *words):
        return mana(self.mana, "checkpoint", *words, "--ckpt-dir", str(self.directory / "ckpt"), timeout_s=240)[1]

    def require(self, what, lines, expected):
        if lines != expected:
            raise Failed(f"{what}: {lines}, natively {expected}; see {self.job.log}")
        print(f"{what}: as natively")

    def place(self, place):
        self.start(self.program, place)
        self.await_place()
        native = self.end()
        self.run(place)
        self.checkpoint()
        self.checkpoint()
        self.require(f"{place}, resumed", self.end(), native)
        self.run(place)
        self.checkpoint()
        said = self.kill()
        self.restart()
        self.checkpoint()                       # of the restarted job, as soon as it can be asked
        self.require(f"{place}, restarted", sorted(said + self.end()), native)
        self.restart()
        self.require(f"{place}, restarted from there", sorted(said + self.end()), native)

    def kill(self):
        self.job.kill()
        lines = iter(lambda: self.job.next_line(SILENCE_S), None)
        return [line for line in lines if line.startswith("rank")]

    def restart(self):
        """A restart is asked for a checkpoint right away: the killed job's file is there still."""
        self.start(self.mana, "restart", "ckpt")

    def stop(self):
        """A signal's checkpoint before MPI_Init ends the job."""
        self.run("before", "--stop-on", "USR1")
        for pid in descendants(self.job.process.pid):
            if is_rank(pid):
                os.kill(pid, signal.SIGUSR1)
                break
        self.job.wait()
        self.start(self.program, "before")
        native = self.end()
        self.restart()
        self.require("before, stopped by a signal and restarted", self.end(), native)

    def refusal(self, place, text):
        self.run(place)
        begin = time.monotonic()
        while True:                             # until it has become the other program
            done = subprocess.run([self.mana, "checkpoint", "--ckpt-dir", str(self.directory / "ckpt")], capture_output=True,
                                  text=True, timeout=240)
            if done.returncode != 0 or time.monotonic() > begin + SILENCE_S:
                break
            begin = time.monotonic()
        took = time.monotonic() - begin
        self.job.kill()
        if done.returncode != 94 or text not in done.stderr or took > REFUSED_S:
            raise Failed(f"{place}: status {done.returncode} after {took:.1f} s: {done.stderr}")
        print(f"{place}: refused")

    def taken_along(self, place):
        """What a rank becomes before MPI_Init runs under mana too, and is saved like any other as soon as it has come."""
        self.run(place)
        begin = time.monotonic()
        while True:
            done = subprocess.run([self.mana, "checkpoint", "--ckpt-dir", str(self.directory / "ckpt")], capture_output=True,
                                  text=True, timeout=240)
            if done.returncode == 0 or time.monotonic() > begin + SILENCE_S:
                break
        self.job.kill()
        if done.returncode != 0:
            raise Failed(f"{place}: status {done.returncode}: {done.stderr}")
        print(f"{place}: saved as what it has become")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("program")
    stages = Stages(parser.parse_args())
    try:
        for place in ("before", "one_before", "after", "thread"):
            stages.place(place)
        stages.stop()
        stages.refusal("exec", "rank 1 has become another program (/bin/sleep)")
        stages.taken_along("exec_before")
    except Failed as failed:
        print(failed)
        if stages.job is not None:
            stages.job.kill()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
