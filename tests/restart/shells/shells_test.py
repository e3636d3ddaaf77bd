"""Shells under mana, natively and with `mana run` before them: what a shell does and starts behaves as natively.

As `mana run -- SHELL -c …` and as scripts that their first line names: children, pipes, command substitutions, here-documents,
background jobs, traps, the environment that children have, and MPI programs in all these places. Without a launcher, and with one
where a shell is a rank. Those of the shells that are installed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from workplace import main  # noqa: E402

POSIX = {
    "children": "/bin/echo one; (/bin/echo two; /bin/echo three) | /usr/bin/tr a-z A-Z; /bin/false; echo $?",
    "substitution": "A=$(/bin/echo inner $(/bin/echo inmost)); echo \"<$A>\"; B=`/bin/ls /nonexistent 2>&1 | /usr/bin/wc -l`; echo $B",
    "here-document": "/bin/cat <<END\nfirst $((1 + 2))\nsecond\nEND\n/usr/bin/sort <<'END'\nb\na\nEND\n",
    "background": "/bin/sleep 0.2 & p=$!; /bin/echo before & wait; wait $p; echo $?; (exit 7) & wait $!; echo $?",
    "trap": "trap 'echo told' TERM; trap 'echo end' EXIT; kill -TERM $$; /bin/echo after; exit 5",
    "killed": "/bin/sh -c 'kill -KILL $$'; echo $?; /bin/sh -c 'kill -SEGV $$'; echo $?; "
              "for s in HUP INT USR1 SEGV ABRT; do /bin/sh -c \"kill -$s \\$\\$\" & wait $!; echo $?; done",
    "environment": "A=own /usr/bin/env | /bin/grep -E '^(A|LD_PRELOAD|MANA_FOLLOW)='; export B=1; /usr/bin/env | /bin/grep -c '^B='; "
                   "/usr/bin/env | /bin/grep -c -E '^(LD_PRELOAD|MANA_)'",
    "unset": "unset LD_PRELOAD; LD_PRELOAD=; export LD_PRELOAD; /bin/echo set; unset LD_PRELOAD; /bin/echo unset",
    "redirection": "exec 3>&1; { echo out; echo err >&2; } 2>/dev/null >&3; echo closed 3>&-; exec 3>&-; echo last",
    "function": "f() { /bin/echo f $1; return 3; }; f x | /bin/cat; f y; echo $?; for i in 1 2 3; do /bin/echo $i; done | /usr/bin/wc -l",
    "exec": "echo first; exec /bin/echo second",
    "read": "printf 'l1\\nl2\\n' | while read x; do /bin/echo got $x; done",
    "MPI": "RANK; echo $?",
    "MPI in a pipe": "RANK | /bin/cat; x=$(RANK); echo \"${x#rank}\"",
    "MPI in the background": "RANK & wait $!; echo $?",
    "MPI after children": "for i in 1 2 3; do /bin/true; done; /bin/echo go | /bin/cat; if RANK; then echo well; fi",
    "MPI by exec": "exec RANK word",
    "MPI in a shell of a shell": "/bin/sh -c 'bash -c \"RANK; echo inner\"; echo outer'",
}
C_SHELL = {
    "children": "/bin/echo one; ( /bin/echo two; /bin/echo three ) | /usr/bin/tr a-z A-Z; /bin/false; echo $status",
    "substitution": "set a = `/bin/echo inner`; echo $a; setenv B 1; /usr/bin/env | /bin/grep -c '^B='",
    "background": "( /bin/sleep 0.2 & ); wait; echo waited",
    "unset": "unsetenv LD_PRELOAD; /bin/echo unset",
    "MPI": "RANK; echo $status",
    "MPI in a pipe": "RANK | /bin/cat",
    "MPI by exec": "exec RANK word",
}
FISH = {
    "children": "/bin/echo one; begin; /bin/echo two; /bin/echo three; end | /usr/bin/tr a-z A-Z; /bin/false; echo $status",
    "substitution": "set a (/bin/echo inner); echo $a; set -x B 1; /usr/bin/env | /bin/grep -c '^B='",
    "background": "/bin/sleep 0.2 &; wait; echo waited",
    "unset": "set -e LD_PRELOAD; /bin/echo unset",
    "MPI": "RANK; echo $status",
    "MPI in a pipe": "RANK | /bin/cat",
    "MPI by exec": "exec RANK word",
}
SHELLS = {"dash": POSIX, "bash": POSIX, "zsh": POSIX, "ksh": POSIX, "mksh": POSIX, "yash": POSIX, "busybox sh": POSIX, "posh": POSIX,
          "tcsh": C_SHELL, "fish": FISH}
# These are tried over both MPIs, and as ranks; bash has functions of libc's names (getenv, setenv, unsetenv).
FIRST = ("bash", "dash")

# They look at what their arguments point to before they look at anything else. So do those of Fortran, which get addresses.
OF_FORTRAN = re.compile(r"^MPI_[A-Z0-9_]+$|_f$|_f08$")
USE_NULL_POINTERS = ("MPI_Cancel", "MPI_Status_c2f08", "MPI_Status_f082c", "MPI_Status_set_cancelled")


class Shells:
    def __init__(self, place, options):
        self.place, self.mpi, self.directory = place, place.mpi, place.directory
        self.program, self.without = options.program, options.without
        self.number = 0
        os.environ.pop("LD_PRELOAD", None)
        os.environ["HOME"] = str(self.directory)

    def start(self, *words, ranks):
        """ranks: 0: without a launcher."""
        done = self.place.ended(*words, ranks=ranks)
        return (done.status, sorted(done.output.splitlines()) if ranks else done.output), done.errors

    def compare(self, what, *words, ranks=0):
        native = self.start(*words, ranks=ranks)[0]
        found, said = self.start(self.place.command, "run", "--mpi", self.mpi, "--ckpt-dir", "ckpt", "--", *words, ranks=ranks)
        self.place.check(what, found == native and "mana:" not in said, f"{found}, natively {native}\n{said}")

    def script(self, shell, text):
        self.number += 1
        script = self.directory / f"script-{self.number}"
        script.write_text(f"#!{shutil.which(shell.split()[0])} {' '.join(shell.split()[1:])}\n{text}\n")
        script.chmod(0o755)
        return f"./{script.name}"

    def without_mana(self):
        """The wrapper library in a process that mana does not run: nothing crashes, and MPI is refused by name."""
        library = self.place.build / "lib" / "mana" / f"libmana-{self.mpi}.so"
        table = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout
        functions = [words[2] for words in map(str.split, table.splitlines()) if words[1] == "T" and words[2].startswith("MPI_")]
        names = [name for name in functions if not OF_FORTRAN.search(name) and name not in USE_NULL_POINTERS]
        done = self.place.ended(self.without, *names, ranks=0, LD_PRELOAD=str(library))
        lines = done.output.splitlines()
        asked, found = lines[:5], [line for line in lines[5:] if not line.startswith("initialized")]
        well = done.status == 70 and all("initialized 0" in line for line in asked) and found == [f"{len(names)} functions"]
        self.place.check("without mana", well, f"{done.status}, {lines}\n{done.errors[-500:]}")
        shell = self.place.ended("bash", "-c", "echo out; (true; /bin/echo x) | /bin/cat; exit 3", ranks=0, LD_PRELOAD=str(library))
        self.place.expect("bash without mana", (shell.status, shell.output), (3, "out\nx\n"), shell.errors)

    def users_preload(self):
        """A library that the user preloads: children have it, and nothing of mana's; with `env -i` they have nothing."""
        for shell in FIRST:
            for text in ("/usr/bin/env | /bin/grep -E '^(LD_PRELOAD|MANA_)'", f"{self.program}; echo $LD_PRELOAD", "env -i /usr/bin/env",
                         f"env -i {self.program}"):
                words = ("env", "LD_PRELOAD=libm.so.6", shell, "-c", text)
                self.compare(f"{shell}, {text}", *words)

    def all(self, wanted):
        self.without_mana()
        self.users_preload()
        for shell, texts in SHELLS.items():
            if shutil.which(shell.split()[0]) is None or shell not in wanted:
                continue
            for name, text in texts.items():
                text = text.replace("RANK", self.program)
                self.compare(f"{shell} -c, {name}", *shell.split(), "-c", text)
                if "MPI" in name or name in ("trap", "here-document"):
                    self.compare(f"{shell} script, {name}", self.script(shell, text))
            if shell in FIRST:
                self.compare(f"{shell} as ranks", shell, "-c", f"{self.program}; echo $?", ranks=2)
                self.compare(f"{shell} script as ranks", self.script(shell, f"/bin/true; {self.program} | cat"), ranks=2)


def add_shells(parser):
    parser.add_argument("--shell", action="append", help="these alone")


if __name__ == "__main__":
    sys.exit(main(__doc__, "shells", lambda place, options: Shells(place, options).all(
        options.shell or (SHELLS if place.mpi == "mpich" else FIRST)), add_shells, program="rank.c", without="without_mana.c"))
