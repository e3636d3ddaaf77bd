"""Standard input that rank 0 has read in part when the job is checkpointed: the restart goes on where it was.

As a file; as a pipe that holds all that is to come; as one with more to come, which a warning names, and whose place a
file takes; and --stdin of both commands.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from workplace import main  # noqa: E402

RANKS = 2
LINES = "".join(f"{n * n}\n" for n in range(100))
OPEN = object()
MISMATCH = 71


class Input:
    def __init__(self, place, options):
        self.place, self.directory, self.program, self.expect = place, place.directory, options.program, place.expect
        (self.directory / "lines").write_text(LINES)
        self.native = self.start("lines", self.program, "input")[1]
        self.unread = self.start(None, self.program, "input")[1]

    def start(self, given, *words, launcher=True, **environment):
        """given: a file; None: nothing; OPEN: the lines through a pipe, from a process that may send more."""
        ranks = RANKS if launcher else 0
        if given != OPEN:
            done = self.place.ended(*words, ranks=ranks, given=given or os.devnull, **environment)
            return done.status, sorted(done.output.splitlines()), done.errors
        before = self.directory / "sent"
        os.mkfifo(before)
        sender = os.open(before, os.O_RDWR)
        os.write(sender, LINES.encode())
        try:
            return self.start(before, *words, launcher=launcher, **environment)
        finally:
            os.close(sender)
            before.unlink()

    def stopped(self, given, *options, **how):
        return self.start(given, *self.place.run_words(self.program, "input", options=options), STOP="1", **how)

    def restarted(self, given, *options, **how):
        return self.start(given, *self.place.restart_words(*options), **how)

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
        said = self.place.mana("list", self.directory / "ckpt")
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
        if self.place.mpi != "mpich":
            return
        step = {"PMIX_RANK": "0", "PMIX_NAMESPACE": "1.0", "SLURM_JOB_ID": "1", "SLURM_STEP_NUM_TASKS": "2"}
        status, _, said = self.start(None, self.place.command, "run", "--", self.program, launcher=False, **step)
        self.expect("srun --mpi=pmix", (status, "srun --mpi=pmi2" in said), (MISMATCH, True), said)
        step["SLURM_STEP_NUM_TASKS"] = "1"
        status = self.start(None, self.place.command, "run", "--", self.program, launcher=False, **step)[0]
        self.expect("srun --mpi=pmix -n 1", status, 0)

    def all(self):
        self.files()
        self.pipes()
        self.alone()
        self.other_manager()


if __name__ == "__main__":
    sys.exit(main(__doc__, "input", lambda place, options: Input(place, options).all(), ranks=RANKS, program="rank.c"))
