"""A restart test: an ordinary MPI program, run natively, plain under mana, checkpointed and resumed, killed and restarted.

The lines of its output that --lines names (and its result files, --file) must be those of the native run, byte for byte.
A run that is killed and restarted prints in pieces: each piece must be a piece of the native lines, and together they
must be all of them.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from mana_job import Failed, Job, mana, mpirun  # noqa: E402

SILENCE_S = 240
SKIPPED = 77


class Test:
    def __init__(self, options):
        self.options = options
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.random = random.Random(options.seed)
        self.lines = re.compile(options.lines)
        self.directory = options.build.resolve() / "restart-runs" / f"{options.name}-{options.mpi}-{options.ranks}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        for file in options.input:
            shutil.copy(file, self.directory)
        self.expected, self.files, self.seconds = None, None, 0.0

    def start(self, *words, directory=None):
        job = Job([*mpirun(self.options.mpi, self.options.ranks), *words], directory or self.directory, self.directory / "log")
        job.kept = []
        return job

    def read(self, job):
        """Reads to the end; returns the lines that count."""
        while (line := job.next_line(SILENCE_S)) is not None:
            if self.lines.search(line):
                job.kept.append(line)
        return job.kept

    def end(self, job):
        lines = self.read(job)
        status = job.process.wait(SILENCE_S)
        if status not in self.options.status:
            tail = "".join(job.log.read_text(errors="replace").splitlines(keepends=True)[-25:])
            raise Failed(f"mpirun ended with status {status}:\n{tail}(all of it: {job.log})")
        return lines

    def result_files(self):
        return {name: (self.directory / name).read_bytes() for name in self.options.file}

    def same(self, what, lines):
        if lines != self.expected:
            raise Failed(f"{what}: the output differs\n" + difference(self.expected, lines))
        self.same_files(what)

    def same_files(self, what):
        if self.result_files() != self.files:
            raise Failed(f"{what}: a result file differs")

    def native(self):
        begin = time.monotonic()
        self.expected = self.end(self.run() if self.options.no_native else self.start(*self.options.command))
        self.seconds = time.monotonic() - begin
        if not self.expected:
            raise Failed(f"no line of the native output matches {self.options.lines!r}")
        self.files = self.result_files()

    def run(self):
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        return self.start(self.mana, "run", "--ckpt-dir", "ckpt", *self.options.mana_option, "--", *self.options.command)

    def plain(self):
        self.same("plain under mana", self.end(self.run()))

    def checkpoint(self, job, share):
        """At a random moment of the next `share` of the native run's time. False if the program had ended."""
        if not job.wait_until_up(self.directory / "ckpt"):
            return False
        time.sleep(self.random.uniform(0, share * self.seconds))
        try:
            mana(self.mana, "checkpoint", "--ckpt-dir", str(self.directory / "ckpt"), timeout_s=SILENCE_S)
            return True
        except (Failed, subprocess.TimeoutExpired) as failed:
            try:
                job.process.wait(30)     # it was ending when it was asked
            except subprocess.TimeoutExpired:
                self.look_into(job)
                raise Failed(f"a running job was not checkpointed: {failed}") from None
            return False

    def resumed(self):
        job = self.run()
        taken = 0
        while taken < self.options.checkpoints and self.checkpoint(job, 0.8 / self.options.checkpoints):
            taken += 1
        self.same(f"checkpointed {taken} times and resumed", self.end(job))
        return taken

    def restarted(self, times, elsewhere=False):
        """Kills and restarts; the second time from another directory, with another environment."""
        job = self.run()
        pieces, made = [], 0
        while made < times and self.checkpoint(job, 0.7 / times):
            job.kill()
            pieces.append(self.read(job))
            (self.directory / "ckpt" / "job.json").unlink(missing_ok=True)
            if elsewhere:
                os.environ["MANA_TEST_ELSEWHERE"] = "x" * 5000
            job = self.start(self.mana, "restart", str(self.directory / "ckpt"), directory="/" if elsewhere else None)
            made += 1
        pieces.append(self.end(job))
        self.same_pieces(f"killed and restarted {made} times", pieces)
        return made

    def same_pieces(self, what, pieces):
        covered = 0
        for i, piece in enumerate(pieces):
            last = i + 1 == len(pieces)
            starts = [len(self.expected) - len(piece)] if last else range(covered + 1)
            if not any(s >= 0 and s <= covered and self.expected[s:s + len(piece)] == piece for s in starts):
                raise Failed(f"{what}: piece {i + 1} of {len(pieces)} is not in the native output\n" +
                             difference(self.expected[-len(piece) or None:], piece))
            covered = max([s + len(piece) for s in starts if s <= covered and self.expected[s:s + len(piece)] == piece])
        self.same_files(what)

    def look_into(self, job):
        """What a hanging job's processes are doing, into the log."""
        from mana_job import descendants
        with job.log.open("a") as log:
            for pid in descendants(job.process.pid):
                if b"mana-lower" not in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                    continue
                done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 25"],
                                      capture_output=True, text=True, check=False)
                log.write(f"--- process {pid}\n{done.stdout}\n")

    def go(self):
        self.native()
        self.plain()
        said = [f"native {self.seconds:.1f} s, plain"]
        if self.options.checkpoints:
            said.append(f"resumed after {self.resumed()}")
        for cycle in range(self.options.cycles):
            made = self.restarted(1) + self.restarted(2, elsewhere=cycle % 2 == 1 or self.options.cycles == 1)
            said.append(f"restarted {made}")
        print(f"{self.options.name} {self.options.mpi} {self.options.ranks}: {', '.join(said)}: all equal", flush=True)


def difference(expected, got):
    import difflib
    return "".join(list(difflib.unified_diff(expected, got, "native", "here", n=1))[:30])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--name", required=True, help="of the run's directory")
    parser.add_argument("--lines", default="^(step|checksum|result)", help="regular expression: lines that are compared")
    parser.add_argument("--file", action="append", default=[], help="a result file, in the run's directory")
    parser.add_argument("--input", action="append", default=[], type=pathlib.Path, help="is copied to the run's directory")
    parser.add_argument("--status", type=int, action="append", help="exit status of a good run (default 0)")
    parser.add_argument("--checkpoints", type=int, default=3, help="while one run goes on")
    parser.add_argument("--cycles", type=int, default=1, help="times that a run is killed and restarted once, then twice")
    parser.add_argument("--no-native", action="store_true", help="compare with a run under mana: the program needs it")
    parser.add_argument("--mana-option", action="append", default=[], help="of mana run")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="after --")
    options = parser.parse_args()
    options.status = options.status or [0]
    options.command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if shutil.which(options.command[0]) is None:
        print(f"{options.command[0]} is not installed: skipped")
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
