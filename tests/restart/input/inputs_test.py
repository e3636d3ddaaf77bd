"""INV-86: standard input of a program that a shell started, or that a shell became: the launcher's, or what the shell gave it.

Each prints after a restart what it prints natively. What is the launcher's, and was read by whatever process and number, is
counted, so that a file takes its place; what is not is not, and no warning calls it the launcher's. What cannot be counted is
warned of.
"""
import contextlib
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import STOPPED, mpi_environment  # noqa: E402
from workplace import LIMIT_S, main  # noqa: E402

LINES = "".join(f"{n * n + 7}\n" for n in range(100))
OTHERS = "".join(f"{n * 3 + 1}\n" for n in range(100))
LAUNCHERS = "standard input comes from the launcher"
OF_XARGS = 123      # whose program ended with any status
UNSEEN = "processes without mana"

# What the shell does; PROGRAM reads ten lines, RAW a byte at a time.
NOT_THE_LAUNCHERS = {
    "a pipe of the shell's": "cat others | PROGRAM",
    "a pipe of the shell's, unbuffered": "cat others | RAW",
    "a pipe by exec": "cat others | exec PROGRAM",
    "xargs": "echo 1 2 3 | xargs PROGRAM",
    "a file": "PROGRAM <others",
    "a file of the shell's own": "exec <others; read x; exec RAW",
    "a here-document": "PROGRAM <<END\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\nEND\n",
    "nothing": "PROGRAM </dev/null",
    "closed": "PROGRAM <&-",
}
THE_LAUNCHERS = {
    "a child": "RAW",
    "the shell reads before": "read x; read y; exec RAW",
    "a subshell reads before": "(read x); (read y; read z); RAW",
    "another program reads before": "dd bs=1 count=4 of=/dev/null 2>/dev/null; exec RAW",
    "another program and a pipe": "dd bs=1 count=4 2>/dev/null | cat >/dev/null; RAW",
    "another number": "exec 3<&0 </dev/null; exec RAW <&3",
    "read by another number": "exec 7<&0 </dev/null; read x <&7; dd bs=1 count=5 of=/dev/null <&7 2>/dev/null; exec RAW <&7",
    "a file between": "exec 4<&0 <others; read x; exec 0<&4; read y; RAW",
    "opened once more": "read x </dev/stdin; exec 5</dev/stdin; exec RAW <&5",
}
OF_BASH = {"read -u": "exec 3<&0 </dev/null; read -u 3 x; read -u 3 y; exec RAW <&3"}


class Inputs:
    def __init__(self, place, options):
        self.place, self.mpi, self.mana, self.program = place, place.mpi, place.command, options.program
        self.directory, self.expect = place.directory, place.expect
        (self.directory / "lines").write_text(LINES)
        (self.directory / "others").write_text(OTHERS)

    def start(self, *words, text=None, ends=True, **environment):
        """text: comes through a pipe, which ends or not; None: nothing."""
        how = {"cwd": self.directory, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
               "env": {**mpi_environment(), **environment}}
        words = [str(word) for word in words]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL if text is None else subprocess.PIPE, **how) as job:
            if text is not None:
                with contextlib.suppress(BrokenPipeError):       # who does not read it may have ended
                    os.write(job.stdin.fileno(), text.encode())
                if ends:
                    job.stdin.close()
            status = job.wait(LIMIT_S)
            return status, [line for line in job.stdout.read().splitlines() if line.startswith("rank")], job.stderr.read()

    def words(self, text, shell):
        raw = f"env UNBUFFERED=1 {self.program} input"
        return shell, "-c", text.replace("PROGRAM", f"{self.program} input").replace("RAW", raw)

    def listed(self):
        return self.place.mana("list", self.place.ckpt)

    def saved(self, what, words, ends):
        run = self.place.run_words(*words, options=("--mpi", self.mpi))
        status, _, said = self.start(*run, text=LINES, ends=ends, STOP="1")
        self.expect(f"{what}, saved", status in (STOPPED, OF_XARGS), True, said)
        return self.listed()

    def restarted(self, what, native, *options):
        status, found, said = self.start(*self.place.restart_words(*options))
        self.expect(f"{what}, restarted {' '.join(options)}", (status, found), (0, native), said)

    def compare(self, what, text, is_launchers, shell="sh"):
        words = self.words(text, shell)
        native = self.start(*words, text=LINES)[1]
        listed = self.saved(what, words, ends=False)
        self.expect(f"{what}, a warning of the launcher's input", LAUNCHERS in listed, is_launchers, listed)
        self.expect(f"{what}, a warning of others", UNSEEN in listed, False, listed)
        self.restarted(what, native, "--stdin", "lines")
        if not is_launchers:
            self.restarted(what, native)
            return
        self.saved(what, words, ends=True)
        self.restarted(f"{what}, all of it", native)

    def open_pipe(self):
        """Its writer is outside of the checkpoint, and ends with the job natively."""
        words = self.words("(cat others; yes) | RAW", "sh")            # until nobody reads any more
        listed = self.saved("a pipe that stays open", words, ends=False)
        self.expect("a pipe that stays open, warnings", (LAUNCHERS in listed, "other end in another process" in listed), (False, True),
                    listed)

    def unseen(self):
        """Without an MPI children are not the program: what they read is not counted, and said."""
        for name in ("here", "go"):
            os.mkfifo(self.directory / name)
        words = ("sh", "-c", "head -c 4 >/dev/null; echo >here; read x <go")
        run = list(map(str, self.place.run_words(*words)))
        with subprocess.Popen(run, cwd=self.directory, stdin=subprocess.PIPE, env=mpi_environment(), text=True) as job:
            job.stdin.write("a line\n")
            job.stdin.flush()
            (self.directory / "here").read_text()
            self.place.mana("checkpoint", self.place.ckpt)
            (self.directory / "go").write_text("on\n")
            job.wait(LIMIT_S)
        listed = self.listed()
        self.expect("a child without mana", UNSEEN in listed, True, listed)

    def all(self):
        for what, text in NOT_THE_LAUNCHERS.items():
            self.compare(what, text, False)
        for what, text in THE_LAUNCHERS.items():
            self.compare(what, text, True)
        for what, text in OF_BASH.items():
            self.compare(what, text, True, shell="bash")
        if self.mpi == "mpich":
            self.unseen()
            self.open_pipe()


if __name__ == "__main__":
    sys.exit(main(__doc__, "inputs", lambda place, options: Inputs(place, options).all(), program="rank.c"))
