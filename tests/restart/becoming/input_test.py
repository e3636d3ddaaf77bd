"""Standard input that rank 0 has read in part when the job is checkpointed: the restart goes on where it was.

As a file; as a pipe that holds all that is to come; as one with more to come, which a warning names, and whose place a
file takes; and --stdin of both commands.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import mana, mpi_environment, mpirun  # noqa: E402

RANKS = 2
LINES = "".join(f"{n * n}\n" for n in range(100))
OPEN = object()
MISMATCH = 71


class Input:
    def __init__(self, options):
        self.mpi, self.program = options.mpi, str(options.program.resolve())
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.directory = options.build.resolve() / "restart-runs" / f"input-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        (self.directory / "lines").write_text(LINES)
        self.wrong = 0
        self.native = self.start("lines", self.program, "input")[1]
        self.unread = self.start(None, self.program, "input")[1]

    def start(self, given, *words, launcher=True, **environment):
        """given: a file; None: nothing; OPEN: the lines through a pipe, from a process that may send more."""
        words = [*(mpirun(self.mpi, RANKS) if launcher else ()), *words]
        how = {"cwd": self.directory, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
               "env": {**mpi_environment(), **environment}}
        if given == OPEN:
            with subprocess.Popen(words, stdin=subprocess.PIPE, **how) as job:
                job.stdin.write(LINES)
                job.stdin.flush()
                job.wait(240)
                return job.returncode, sorted(job.stdout.read().splitlines()), job.stderr.read()
        with (self.directory / given if given else pathlib.Path("/dev/null")).open() as opened:
            done = subprocess.run(words, stdin=opened, timeout=240, **how)
        return done.returncode, sorted(done.stdout.splitlines()), done.stderr

    def stopped(self, given, *options, **more):
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        return self.start(given, self.mana, "run", "--ckpt-dir", "ckpt", *options, "--", self.program, "input",
                          STOP="1", **more)

    def restarted(self, given, *options, **more):
        return self.start(given, self.mana, "restart", "ckpt", *options, **more)

    def expect(self, what, found, wanted, said=""):
        if found == wanted:
            print(what, flush=True)
            return
        self.wrong += 1
        print(f"FAILED {what}: {found}, and not {wanted}\n{said}", flush=True)

    def files(self):
        self.stopped(None, "--stdin", "lines")
        self.expect("a file of --stdin", self.restarted(None)[:2], (0, self.native))
        (self.directory / "lines").rename(self.directory / "moved")
        self.expect("another file at the restart", self.restarted(None, "--stdin", "moved")[:2], (0, self.native))
        (self.directory / "moved").rename(self.directory / "lines")
        status, _, said = self.stopped(None, "--stdin", "nowhere")
        self.expect("a file that is not there", (status, "nowhere" in said), (64, True), said)

    def pipes(self):
        for buffered in ({}, {"UNBUFFERED": "1"}):
            self.stopped("lines", **buffered)
            self.expect(f"a pipe with all of it {buffered}", self.restarted(None)[:2], (0, self.native))
        self.stopped(OPEN, UNBUFFERED="1")
        said = str(mana(self.mana, "list", str(self.directory / "ckpt")))
        length = len("".join(LINES.splitlines(keepends=True)[:6]))
        self.expect("a pipe with more to come is named", f"has read {length} bytes" in said, True, said)
        self.expect("its place is taken by a file", self.restarted(None, "--stdin", "lines")[:2], (0, self.native))

    def alone(self):
        """Without a launcher standard input may be a file itself."""
        native = self.start("lines", self.program, "input", launcher=False)[1]
        self.stopped("lines", launcher=False)
        self.expect("a file of the shell's", self.restarted(None, launcher=False)[:2], (0, native))

    def other_manager(self):
        """MPICH's ranks that were started for PMIx alone; Open MPI speaks it."""
        if self.mpi != "mpich":
            return
        step = {"PMIX_RANK": "0", "PMIX_NAMESPACE": "1.0", "SLURM_JOB_ID": "1", "SLURM_STEP_NUM_TASKS": "2"}
        status, _, said = self.start(None, self.mana, "run", "--", self.program, launcher=False, **step)
        self.expect("srun --mpi=pmix", (status, "srun --mpi=pmi2" in said), (MISMATCH, True), said)
        step["SLURM_STEP_NUM_TASKS"] = "1"
        status = self.start(None, self.mana, "run", "--", self.program, launcher=False, **step)[0]
        self.expect("srun --mpi=pmix -n 1", status, 0)

    def all(self):
        self.files()
        self.pipes()
        self.alone()
        self.other_manager()
        return self.wrong


parser = argparse.ArgumentParser()
parser.add_argument("--build", type=pathlib.Path, required=True)
parser.add_argument("--mpi", required=True)
parser.add_argument("program", type=pathlib.Path)
sys.exit(1 if Input(parser.parse_args()).all() else 0)
