"""A restart that takes longer than two seconds says how far it is and who is behind, where --progress asks for it; nothing is
said once the program runs, nor by a fast one.

Rank 1 is held where its memory is still empty, until rank 0 has said so.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, Job, mpirun  # noqa: E402

SILENCE_S = 240
STEPS = ["120", "10"]
COUNTS = ("step", "checksum")
LINE = re.compile(r"^restart: memory is read: \d+ % of [\d.]+ [KM]iB, [\d.]+ ([KM]i)?B/s, [\d.]+ (m?s) left; slowest: rank 1, 0 %$")


class Progress:
    def __init__(self, options):
        build = options.build.resolve()
        self.mpi, self.mana = options.mpi, str(build / "bin" / "mana")
        self.program = [str(build / "tests" / "mpi" / "programs" / f"stress_{options.mpi}"), *STEPS]
        self.directory = build / "restart-runs" / f"progress-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.fifo = self.directory / "fifo"
        os.mkfifo(self.fifo)
        self.reader = os.open(self.fifo, os.O_RDWR)

    def start(self, *words, **environment):
        return Job([*mpirun(self.mpi, 2), *words], self.directory, self.directory / "log", environment)

    def rest(self, job):
        lines = []
        while (line := job.next_line(SILENCE_S)) is not None:
            lines.append(line.rstrip("\n"))
        job.wait()
        return lines

    def require(self, holds, what, lines):
        if not holds:
            raise Failed(f"{what}:\n" + "\n".join(lines))

    def held(self, expected):
        job = self.start(self.mana, "restart", "ckpt", "--progress", MANA_FAULT="memory_mapped@1=hold", MANA_FAULT_PIPE=str(self.fifo))
        point, rank, pid = os.read(self.reader, 200).decode().split()
        self.require((point, rank) == ("memory_mapped", "1"), "another was held", [point, rank])
        said = job.next_line(SILENCE_S) or ""
        os.kill(int(pid), signal.SIGCONT)
        lines = self.rest(job)
        self.require(LINE.match(said.rstrip("\n")), "what is said of a rank that is behind", [said, *lines])
        counted = [line for line in lines if line.startswith(COUNTS)]
        self.require(counted and counted == expected[-len(counted):], "the output differs", lines)
        program = lines.index(counted[0])
        self.require(not any(line.startswith("restart:") for line in lines[program:]), "said while the program runs", lines)

    def fast(self, expected):
        lines = self.rest(self.start(self.mana, "restart", "ckpt", "--progress"))
        self.require(not any(line.startswith("restart:") for line in lines), "a fast restart says something", lines)
        counted = [line for line in lines if line.startswith(COUNTS)]
        self.require(counted and counted == expected[-len(counted):], "the output differs", lines)

    def run(self):
        expected = [line for line in self.rest(self.start(*self.program)) if line.startswith(COUNTS)]
        job = self.start(self.mana, "run", "--ckpt-dir", "ckpt", "--", *self.program)
        job.wait_until_up(self.directory / "ckpt")
        self.require(job.next_line(SILENCE_S), "no output", [])
        job.checkpoint(self.mana, self.directory / "ckpt", SILENCE_S)
        job.kill()
        self.held(expected)
        self.fast(expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    try:
        Progress(parser.parse_args()).run()
    except (Failed, subprocess.SubprocessError) as failed:
        print(f"FAILED: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
