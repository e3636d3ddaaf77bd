"""Restart storm: one program is checkpointed at a random moment, killed with SIGKILL and restarted, many times over.

Every run of the program must end with the result of an undisturbed native run, and its clocks must follow their rules.
A chain of restarts goes on until the program ends; then the next run begins, until `--cycles` restarts were made.
Anything else ends the storm with status 1, and what is needed to look into it stays in the work directory. The status is 77 if
runs without mana fail, too: some MPIs hang by themselves.
"""
import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import time

from clock_traces import ClockTraces
from known_mpis import FAMILIES
from mana_job import CHECKSUM, Failed, Job, mpirun

SILENCE_S = 240
SKIPPED = 77
NATIVE_AGAIN = 4        # runs without mana that must end well before a failure is mana's
LONGEST_NATIVE_S = 60   # of such a run, or five times what the first one took


class Storm:
    def __init__(self, options):
        self.options = options
        self.build = options.build.resolve()
        self.mana = str(self.build / "bin" / "mana")
        self.random = random.Random(options.seed)
        self.cycles = self.runs = 0
        self.longest_chain = 0
        program, *arguments = options.command or [self.build / "examples" / "heat2d" / f"heat2d_{options.mpi}", "storm.par"]
        self.command = [str(pathlib.Path(shutil.which(program) or program).resolve()), *arguments]
        self.directory = self.build / "storm-runs" / f"{pathlib.Path(program).name}-{options.mpi}-{options.ranks}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        # For heat2d: a grid so small that a run is many short steps, at any of which the checkpoint may come.
        parameters = f"rows = 128\ncols = 128\nsteps = {options.steps}\nreport = 10\n"
        (self.directory / "storm.par").write_text(parameters)
        self.traces = ClockTraces(self.build, self.directory)
        self.expected, self.undisturbed_s = None, 0.0

    def start(self, *words):
        return Job([*mpirun(self.options.mpi, self.options.ranks), *words], self.directory, self.directory / "log")

    @staticmethod
    def printed(job):
        """The result that the job prints until its output ends, None if it prints none."""
        found = None
        while (line := job.next_line(SILENCE_S)) is not None:
            if match := CHECKSUM.search(line):
                found = match[1]
        return found

    def result(self, job):
        found = self.printed(job)
        job.wait()
        return found

    def reference(self):
        begin = time.monotonic()
        self.expected = self.result(self.start(*self.command))
        if self.expected is None:
            raise Failed("the program printed no checksum when run without mana")
        self.undisturbed_s = time.monotonic() - begin
        print(f"{self.options.mpi}: result {self.expected}, {self.undisturbed_s:.1f} s undisturbed", flush=True)

    def native_failures(self):
        """How many of NATIVE_AGAIN runs without mana hang, or end without the result of the others. 0 for a program that always
        ends and never has a result: that is no fault of the MPI."""
        hangs, results = 0, []
        for _ in range(NATIVE_AGAIN):
            job = self.start(*self.command)
            try:
                job.process.wait(max(LONGEST_NATIVE_S, 5 * self.undisturbed_s))
                results.append(self.printed(job))
            except subprocess.TimeoutExpired:
                job.kill()
                hangs += 1
        expected = self.expected or next(filter(None, results), None)
        return hangs + sum(result != expected for result in results)

    def checkpointed(self, job):
        """Takes a checkpoint after a random time. False if the program ended before."""
        if not job.wait_until_up(self.directory / "ckpt"):
            return False
        time.sleep(self.random.uniform(0.0, self.options.longest_s))
        return job.checkpoint(self.mana, self.directory / "ckpt")

    def run_once(self):
        """One run of the program with as many restarts as fit into it."""
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        job = self.start(self.mana, "run", "--ckpt-dir", "ckpt", *self.traces.options(), *self.command)
        chain, earlier = 0, None
        while self.cycles < self.options.cycles and self.checkpointed(job):
            job.kill()
            earlier = self.printed(job) or earlier      # the checkpoint may have come between the result and the end
            (self.directory / "ckpt" / "job.json").unlink(missing_ok=True)      # of the killed job
            job = self.start(self.mana, "restart", "ckpt", *self.traces.options())
            chain += 1
            self.cycles += 1
            if self.cycles % 10 == 0:
                print(f"{self.options.mpi}: {self.cycles} restarts, {self.runs} runs ended well", flush=True)
        result = self.result(job) or earlier
        if result != self.expected:
            raise Failed(f"result {result} instead of {self.expected} after {chain} restarts")
        self.traces.check()
        self.runs += 1
        self.longest_chain = max(self.longest_chain, chain)

    def go(self):
        self.reference()
        while self.cycles < self.options.cycles:
            self.run_once()
        print(f"{self.options.mpi}: {self.cycles} restarts in {self.runs} runs, longest chain {self.longest_chain}, "
              f"all results equal; {self.traces}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree")
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    parser.add_argument("--cycles", type=int, default=500, help="restarts to make")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--steps", type=int, default=40000, help="steps of heat2d")
    parser.add_argument("--longest", dest="longest_s", type=float, default=1.5, help="longest time before a checkpoint, s")
    parser.add_argument("--seed", type=int, default=None, help="of the random moments (default: the time; printed)")
    parser.add_argument("command", nargs="*", help="a program that prints 'checksum HEX' (default: heat2d)")
    options = parser.parse_args()
    options.seed = options.seed if options.seed is not None else time.time_ns() % 1_000_000
    print(f"{options.mpi}: seed {options.seed}", flush=True)
    storm = Storm(options)
    try:
        storm.go()
    except Failed as failed:
        print(f"storm: {failed}", flush=True)
        if not (failures := storm.native_failures()):
            return 1
        print(f"storm: skipped: without mana, {failures} of {NATIVE_AGAIN} runs did not end well either", flush=True)
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
