"""A restart test: an ordinary MPI program, run natively, plain under mana, checkpointed and resumed, killed and restarted.

The lines of its output that --lines names, and its result files (--file), must be those of the native run, byte for
byte, and what the ranks' clocks recorded must follow the rules of docs/design/clock.md.
Where something hangs, what all processes of the job were doing stands in hang-* below the run's directory.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from clock_traces import ClockTraces  # noqa: E402
from comparison import Comparison, parts_that_count  # noqa: E402
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Failed, Job, mpirun  # noqa: E402

AHEAD = ["unshare", "--time", "--fork", "--monotonic"]      # seconds
SILENCE_S = 240
ENDING_S = 240
SKIPPED = 77
TAKES = 3
STEP = re.compile(r"step (?P<made>\d+) of (?P<of>\d+)$")
FEW_LINES = 5      # with fewer of them, moments are chosen by time


class Test:
    def __init__(self, options):
        self.options = options
        self.job_options = ["--clock", options.clock] if options.clock else []
        self.job_options += ["--fan-out", str(options.fan_out)] if options.fan_out else []
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.random = random.Random(options.seed)
        self.output = Comparison(re.compile(options.lines), options.buffered)
        self.file_lines = re.compile(options.file_lines)
        self.directory = options.build.resolve() / "restart-runs" / f"{options.name}-{options.mpi}-{options.ranks}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.job_options += [word.replace("DIRECTORY", str(self.directory)) for word in options.mode.split()]
        self.traces = ClockTraces(options.build.resolve(), self.directory)
        self.copy_inputs()
        self.files, self.seconds, self.seconds_under_mana, self.chains = None, 0.0, 0.0, 0

    def copy_inputs(self):
        for file in self.options.input:
            shutil.copy(file, self.directory)

    def start(self, *words, directory=None, environment=None):
        words = [*mpirun(self.options.mpi, self.options.ranks), *words]
        job = Job(words, directory or self.directory, self.directory / "log", environment)
        job.text = []
        return job

    def fresh(self, *words):
        """A run from the beginning: nothing of an earlier one is there."""
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        for name in self.options.file:
            (self.directory / name).unlink(missing_ok=True)
        inputs = {file.name for file in self.options.input}
        for file in self.directory.glob(self.options.scratch) if self.options.scratch else ():
            if file.name not in inputs:
                file.unlink()
        preload = ["env", f"LD_PRELOAD={self.options.preload}"] if self.options.preload else []
        if self.options.clock_ahead and words:
            preload = [*AHEAD, str(self.options.clock_ahead), *preload]
        return self.start(*preload, *words, *self.options.command)

    def under_mana(self):
        return self.fresh(self.mana, "run", "--ckpt-dir", "ckpt", *self.traces.options(), *self.job_options, "--")

    def read(self, job):
        """All that the job prints until its output ends."""
        while (line := job.next_line(SILENCE_S)) is not None:
            job.text.append(line)
        return "".join(job.text)

    def end(self, job):
        """Reads to the end, which must be a good one."""
        text = self.read(job)
        try:
            status = job.process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"mpirun closed its output but does not end; see {job.examine()}") from None
        if status not in self.options.status:
            tail = "".join(job.log.read_text(errors="replace").splitlines(keepends=True)[-25:])
            raise Failed(f"mpirun ended with status {status}:\n{tail}(all of it: {job.log})")
        return text

    def result_files(self):
        """{name: the lines that count of each result file}"""
        found = {}
        for name in self.options.file:
            try:
                text = (self.directory / name).read_bytes().decode(errors="surrogateescape")
            except OSError as error:
                raise Failed(f"no result file {name}: {error.strerror}") from None
            found[name] = parts_that_count(self.file_lines, text.splitlines(keepends=True))
            if not found[name]:
                raise Failed(f"no line of {name} matches {self.options.file_lines!r}")
        return found

    def require_same(self, what, differs):
        if differs is not None:
            raise Failed(f"{what}: the output differs\n{differs}\n(all of it: {self.directory / 'log'})")
        for name, lines in self.result_files().items():
            if lines != self.files[name]:
                raise Failed(f"{what}: {name} differs")

    def native(self):
        begin = time.monotonic()
        text = self.end(self.under_mana() if self.options.no_native else self.fresh())
        self.seconds = time.monotonic() - begin
        self.output.expected = self.output.of(text)
        if not self.output.expected and not self.options.file:
            raise Failed(f"no line of the native output matches {self.options.lines!r}")
        self.files = self.result_files()

    def plain(self):
        """False if the machine takes longer than --at-most for the program's steps: from now on there are fewer."""
        begin = time.monotonic()
        job = self.under_mana()
        if self.options.at_most is not None and (made := self.steps_made(job)) is not None:
            job.kill()
            self.options.command[1] = str(max(1, made * 3 // 4))
            return False
        text = self.end(job)
        self.seconds_under_mana = time.monotonic() - begin
        self.require_same("plain under mana", self.output.differs(text))
        self.traces.check()
        return True

    def steps_made(self, job):
        """Steps that the job made in --at-most seconds; None if these were all."""
        begin = None
        while (line := job.next_line(SILENCE_S)) is not None:
            job.text.append(line)
            if (made := STEP.match(line)) is None:
                continue
            begin = begin or time.monotonic()
            if time.monotonic() - begin > self.options.at_most and int(made["made"]) < int(made["of"]):
                return int(made["made"])
        return None

    def await_moment(self, job, share):
        """Waits for a random moment of the next `share` of the run: so many lines of output, and then some time, so that
        moments are spread over the run however fast it is just now."""
        count = len(self.output.expected)
        if count < FEW_LINES:
            time.sleep(self.random.uniform(0, share * self.seconds_under_mana))
            return
        wanted = self.random.randint(0, int(share * count))
        while wanted > 0 and (line := job.next_line(SILENCE_S)) is not None:
            job.text.append(line)
            wanted -= len(self.output.of(line))
        time.sleep(self.random.uniform(0, self.seconds_under_mana / count))

    def checkpoint(self, job, share):
        """At a random moment of the next `share` of the run. False if the program had ended."""
        if not job.wait_until_up(self.directory / "ckpt"):
            return False
        self.await_moment(job, share)
        return job.checkpoint(self.mana, self.directory / "ckpt", SILENCE_S)

    def resumed(self):
        job = self.under_mana()
        taken = 0
        while taken < self.options.checkpoints and self.checkpoint(job, 0.8 / self.options.checkpoints):
            taken += 1
        self.require_same(f"checkpointed {taken} times and resumed", self.output.differs(self.end(job)))
        self.traces.check()
        return taken

    def restarted(self, times, elsewhere=False):
        """Kills and restarts, where asked for from another directory and with another environment. A run that ends before
        its moments says nothing about restarts: it is compared, and another one is taken."""
        for _ in range(TAKES):
            made = self.one_chain(times, elsewhere)
            self.chains += 1
            if made == times:
                return made
        if len(self.output.expected) >= FEW_LINES:
            raise Failed(f"the program ended before it was restarted {times} times: give it more steps")
        return made

    def one_chain(self, times, elsewhere):
        job = self.under_mana()
        pieces, made = [], 0
        while made < times and self.checkpoint(job, 0.7 / times):
            job.kill()
            pieces.append(self.read(job))
            (self.directory / "ckpt" / "job.json").unlink(missing_ok=True)      # of the killed job
            job = self.start(self.mana, "restart", *self.traces.options(), *self.job_options, *self.options.how.split(),
                             str(self.directory / "ckpt"),
                             directory="/" if elsewhere else None,
                             environment={"MANA_TEST_ELSEWHERE": "x" * 5000, "LANG": "tlh"} if elsewhere else None)
            made += 1
        pieces.append(self.end(job))
        self.require_same(f"killed and restarted {made} times", self.output.pieces_differ(pieces))
        self.traces.check()
        return made

    def go(self):
        self.native()
        while not self.plain():
            self.native()
        said = [f"native {self.seconds:.1f} s, plain"]
        if self.options.checkpoints:
            said.append(f"resumed after {self.resumed()}")
        for cycle in range(self.options.cycles):
            self.chains = 0
            made = self.restarted(2, elsewhere=cycle % 2 == 1 or self.options.cycles == 1)
            made += self.restarted(1) if self.options.once_too else 0
            said.append(f"restarted {made} in {self.chains} runs")
        print(f"{self.options.name} {self.options.mpi} {self.options.ranks}: {', '.join(said)}: all equal", flush=True)
        print(self.traces, flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--name", required=True, help="of the run's directory")
    parser.add_argument("--lines", default="^(step|checksum|result)",
                        help="regular expression: lines that are compared; of each its group `counts` only, if it has one")
    parser.add_argument("--buffered", action="store_true", help="the program writes its output in blocks, not in lines")
    parser.add_argument("--file", action="append", default=[], help="a result file, in the run's directory")
    parser.add_argument("--scratch", metavar="PATTERN", help="files of the program's, which another run from the beginning would read")
    parser.add_argument("--file-lines", default="", help="the same for the result files")
    parser.add_argument("--input", action="append", default=[], type=pathlib.Path, help="is copied to the run's directory")
    parser.add_argument("--status", type=int, action="append", help="exit status of a good run (default 0)")
    parser.add_argument("--checkpoints", type=int, default=3, help="while one run goes on")
    parser.add_argument("--at-most", type=float, metavar="SECONDS",
                        help="take fewer steps, the program's first argument, where they last longer under mana")
    parser.add_argument("--cycles", type=int, default=1, help="runs that are killed and restarted twice, the second time elsewhere")
    parser.add_argument("--once-too", action="store_true", help="for each of them another one that is restarted once")
    parser.add_argument("--no-native", action="store_true", help="compare with a run under mana: the program needs it")
    parser.add_argument("--preload", help="LD_PRELOAD of the program, natively and of mana run")
    parser.add_argument("--clock-ahead", type=int, metavar="SECONDS",
                        help="until it is restarted the job is on a machine that was booted so much earlier")
    parser.add_argument("--clock", help="policy, of mana run and mana restart")
    parser.add_argument("--mode", default="", help="words that say how images are written, of mana run and mana restart. "
                                                   "DIRECTORY stands for the test's own")
    parser.add_argument("--how", default="", help="words of mana restart alone")
    parser.add_argument("--fan-out", type=int, help="of the control tree, of mana run and mana restart")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="after --")
    options = parser.parse_args()
    options.status = options.status or [0]
    options.command = options.command[1:] if options.command[:1] == ["--"] else options.command
    return options


def main():
    options = parse()
    if shutil.which(options.command[0]) is None:
        print(f"{options.command[0]} is not installed: skipped")
        return SKIPPED
    if options.clock_ahead and subprocess.run([*AHEAD, "1", "true"], capture_output=True).returncode != 0:
        print("clocks cannot be moved here: skipped")
        return SKIPPED
    print(f"seed {options.seed}", flush=True)
    try:
        Test(options).go()
    except Failed as failed:
        print(f"FAILED with --seed {options.seed}: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
