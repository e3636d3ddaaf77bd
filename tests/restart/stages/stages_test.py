"""Checkpoints wherever the program is, its restarts, and refusals that say why at once.

Each case: the ranks come to their place and wait there; a checkpoint; the program goes on and ends as natively; or it is killed, and its
restart does.
"""
import os
import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, descendants, is_rank  # noqa: E402
from workplace import LIMIT_S, main  # noqa: E402

RANKS = 3
REFUSED_S = 60       # at once, on a machine that has other things to do


def masks_of(pid, number):
    """(blocked, caught). A process that has ended, or ends, counts as one with a handler."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False, True
    if "\nState:\tZ" in text:
        return False, True
    return tuple(int(re.search(rf"^{name}:\s*(\w+)", text, re.MULTILINE)[1], 16) >> (number - 1) & 1 == 1 for name in ("SigBlk", "SigCgt"))


class Stages:
    def __init__(self, place, options):
        self.at, self.program = place, options.program
        self.hold = place.directory / "hold"
        self.job = None

    def let_wait(self):
        for file in self.at.directory.glob("hold*"):
            file.unlink()

    def start(self, *words):
        """Natively."""
        self.let_wait()
        self.job = self.at.start(*words, HOLD=str(self.hold))
        self.await_place()

    def run(self, place, *options):
        self.let_wait()
        self.job = self.at.run(self.program, place, options=options, up=False, HOLD=str(self.hold))
        self.await_place()

    def await_place(self):
        self.job.await_files(self.at.directory, "hold.*", RANKS)

    def end(self):
        """The job's lines, sorted, after its ranks were let go."""
        self.hold.touch()
        return sorted(line for line in self.job.end() if line.startswith("rank"))

    def checkpoint(self):
        return self.at.checkpoint()

    def require(self, what, lines, expected):
        if lines != expected:
            raise Failed(f"{what}: {lines}, natively {expected}; see {self.job.log}")
        print(f"{what}: as natively")

    def place(self, place):
        self.start(self.program, place)
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
        return [line for line in self.job.killed() if line.startswith("rank")]

    def restart(self):
        """A restart is asked for a checkpoint right away: the killed job's file is there still."""
        self.let_wait()
        self.job = self.at.start(self.at.command, "restart", "ckpt", HOLD=str(self.hold))

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

    def held(self):
        """INV-133: a signal that asks for a checkpoint ends no rank, however early. It is blocked until there is a handler."""
        self.let_wait()
        self.job = self.at.run(self.program, "before", options=("--stop-on", "USR1"), up=False, HOLD=str(self.hold))
        early, deadline = 0, time.monotonic() + LIMIT_S
        while len(list(self.at.directory.glob("hold.*"))) < RANKS and self.job.process.poll() is None:
            if time.monotonic() > deadline:
                raise Failed(f"the ranks have not come to their place; see {self.job.log}")
            for pid in filter(is_rank, descendants(self.job.process.pid)):
                blocked, caught = masks_of(pid, signal.SIGUSR1)
                early += blocked and not caught
                if not blocked and not caught:
                    raise Failed(f"process {pid} has not blocked SIGUSR1 and has no handler for it")
        self.job.kill()
        if not early:
            raise Failed("no rank was seen before it had a handler for SIGUSR1")
        print("a signal that comes early: held")

    def ask(self):
        return self.at.ended(self.at.command, "checkpoint", "--ckpt-dir", self.at.ckpt, ranks=0)

    def refusal(self, place, text):
        self.run(place)
        begin = time.monotonic()
        while True:                             # until it has become the other program
            done = self.ask()
            if done.status != 0 or time.monotonic() > begin + LIMIT_S:
                break
            begin = time.monotonic()
        took = time.monotonic() - begin
        self.job.kill()
        if done.status != 94 or text not in done.errors or took > REFUSED_S:
            raise Failed(f"{place}: status {done.status} after {took:.1f} s: {done.errors}")
        print(f"{place}: refused")

    def taken_along(self, place):
        """What a rank becomes before MPI_Init runs under mana too, and is saved like any other as soon as it has come."""
        self.run(place)
        begin = time.monotonic()
        while True:
            done = self.ask()
            if done.status == 0 or time.monotonic() > begin + LIMIT_S:
                break
        self.job.kill()
        if done.status != 0:
            raise Failed(f"{place}: status {done.status}: {done.errors}")
        print(f"{place}: saved as what it has become")


def tell(place, options):
    stages = Stages(place, options)
    for where in ("before", "one_before", "after", "thread"):
        stages.place(where)
    stages.stop()
    stages.held()
    stages.refusal("exec", "rank 1 has become another program (/bin/sleep)")
    stages.taken_along("exec_before")


if __name__ == "__main__":
    sys.exit(main(__doc__, "stages", tell, ranks=RANKS, program="stages.c"))
