"""Checkpoints that nobody asks for at the command line: signals to ranks, a time after which the job ends, the program.

The program (undisturbed.c) prints the same with and without them; where the job was ended, its restart prints the rest.
Another (long_waits.c) waits for longer than the time between two checkpoints.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from clock_traces import ClockTraces  # noqa: E402
from mana_job import Failed, descendants, is_rank  # noqa: E402
from workplace import main  # noqa: E402

RANKS = 2
STEPS = 100        # of 21 ms and more each
COUNTED = re.compile(r"^(step|checksum)")


class Requests:
    def __init__(self, place, options):
        self.place = place
        self.program, self.waits, self.busy = options.program
        self.traces = ClockTraces(place.build, place.directory)
        self.native = place.start(self.program, STEPS).end()

    def run(self, *options, words=()):
        return self.begin("--verbose", *options, program=(self.program, str(STEPS), *words))

    def begin(self, *options, program):
        return self.place.run(*program, options=(*self.traces.options(), *options), up=False)

    def restart(self, *options):
        return self.place.restart(*self.traces.options(), *options)

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
        return len([*self.place.ckpt.glob("gen-*/manifest.json")])

    def require_restart(self, lines):
        """`lines` were printed by a job that ended by itself after a checkpoint."""
        if self.checkpoints() != 1:
            raise Failed(f"{self.checkpoints()} checkpoints of a job that was to end with the first")
        self.place.mana("verify", self.place.ckpt)
        rest = self.restart().end()
        if not any(line.startswith("restarts: 1") for line in rest):
            raise Failed("the program does not know of its restart")
        self.require_native(lines + rest)

    # ---- the cases

    def signal_to_one(self):
        job = self.run("--checkpoint-on", "USR1")
        said = job.until("step 5 ")
        os.kill(self.ranks_of(job)[1], signal.SIGUSR1)
        said += job.until("mana: checkpoint")
        self.require_native(said + job.end())

    def signals_to_all(self):
        job = self.run("--checkpoint-on", "USR2,USR1", "--stop-on", "TERM")
        said = job.until("step 5 ")
        ranks = self.ranks_of(job)
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1):
            for pid in ranks:
                os.kill(pid, number)
            said += job.until("mana: checkpoint")
        for pid in ranks:
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                pass      # the first has ended the job already
        said += job.end()
        newest = max(self.place.ckpt.glob("gen-*"))
        for older in self.place.ckpt.glob("gen-*"):
            if older != newest:
                shutil.rmtree(older)
        self.require_restart(said)

    def time_to_stop(self):
        self.require_restart(self.run("--stop-after", "0.7").end())

    def the_program(self):
        self.require_restart(self.run(words=["ask"]).end())

    def signals_of_the_restart(self):
        """The run knew nothing of signals, and the program blocks this one."""
        job = self.run()
        job.until("step 5 ")
        self.place.checkpoint()
        job.kill()
        job = self.restart("--stop-on", "USR1")
        again = job.until("step ")
        for pid in self.ranks_of(job):
            os.kill(pid, signal.SIGUSR1)
        again += job.end()
        if self.checkpoints() != 2:
            raise Failed(f"{self.checkpoints()} checkpoints instead of one before and one after the restart")
        if any(line.startswith("checksum") for line in again):
            raise Failed("the program was not ended")
        rest = self.restart().end()
        if self.native[-1] not in rest:
            raise Failed(f"the program ends with {rest[-2:]} instead of {self.native[-1]}")

    def waits_longer_than_the_interval(self):
        """They end all the same, in a restart too, and not before their time."""
        native = self.place.start(self.waits).end()
        often = ("--interval", "0.2", "--stopped-status", "0")      # nothing more is said then
        job = self.begin(*often, program=[self.waits])
        first = job.until("usleep") + self.place.stop(job)
        rest = self.restart("--interval", "0.2").end()
        if not rest or first + rest != native:
            raise Failed(f"the output differs: {first} and {rest} instead of {native}")

    def quick_succession(self):
        """INV-28 The next request comes while ranks are still on their way out of a checkpoint."""
        native = self.place.start(self.busy, "40").end()
        said = self.begin("--verbose", "--interval", "0.05", program=(self.busy, "40")).end()
        taken = sum("mana: checkpoint" in line for line in said)
        if taken < 10:
            raise Failed(f"{taken} checkpoints at intervals of 0.05 s")
        counted, expected = ([line for line in some if COUNTED.match(line)] for some in (said, native))
        if counted != expected:
            raise Failed(f"the output differs: {len(counted)} lines instead of {len(expected)}")

    def own_handler(self):
        """The live MPI's start puts a handler over the program's, and another way to call it."""
        self.require_native(self.run(words=["own"]).end())

    def without_mana(self):
        self.require_native(self.place.start(self.program, STEPS, "ask").end())


def tell(place, options):
    requests = Requests(place, options)
    for case in (requests.signal_to_one, requests.signals_to_all, requests.time_to_stop, requests.the_program,
                 requests.signals_of_the_restart, requests.waits_longer_than_the_interval, requests.quick_succession,
                 requests.own_handler, requests.without_mana):
        try:
            case()
            if case != requests.without_mana:
                requests.traces.check()
            print(f"{case.__name__}: output equal", flush=True)
        except (Failed, subprocess.TimeoutExpired) as failed:
            place.end()
            place.check(case.__name__, False, failed)


def arguments(parser):
    parser.add_argument("program", nargs=3, help="undisturbed.c, long_waits.c, ../traps/early_leaver.c")


if __name__ == "__main__":
    sys.exit(main(__doc__, "requests", tell, arguments, ranks=RANKS))
