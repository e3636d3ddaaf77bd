"""What a program printed before it ended is out as natively: MPI_Abort, errors, abort(), kill; in C, C++ and Fortran.

The standard output is a file, so that libc does not write it out by lines. Compared are the status, that file, one that the
program has open, and its words at exit.
"""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import ENDS_AT_ONCE  # noqa: E402
from workplace import main  # noqa: E402

# A launcher ends what is left of a job that ends itself: how much a rank that is ending says then is chance.
REPEATED = 3
HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = (("c", "mpicc", "words.c", "-pthread"), ("cxx", "mpicxx", "words.cpp"), ("fortran", "mpif90", "words.f90"))


class Words:
    def __init__(self, place):
        self.place, self.directory = place, place.directory
        self.programs = {}
        for language, compiler, source, *flags in COMPILERS:
            if shutil.which(f"{compiler}.{place.mpi}"):
                self.programs[language] = str(self.directory / f"words-{language}")
                subprocess.run([f"{compiler}.{place.mpi}", "-w", *flags, "-I", str(HERE.parents[2] / "include"), "-o",
                                self.programs[language], str(HERE / source)], check=True)

    def start(self, *words, **environment):
        """Into new files, but in a restart, which goes on with the program's own."""
        for name in ("output",) if "restart" in words else ("output", "notes"):
            (self.directory / name).unlink(missing_ok=True)
        shell = ("sh", "-c", 'exec "$@" > output', "sh")
        done = self.place.ended(*shell, *words, **ENDS_AT_ONCE, **environment)
        said = [line[line.index("FINAL"):] for line in (done.output + done.errors).splitlines() if "FINAL" in line]
        found = {"status": done.status, "said": said}
        for name in ("output", "notes"):
            file = self.directory / name
            found[name] = file.read_text() if file.exists() else None
        return found, done.output + done.errors

    def compare(self, what, native, start):
        for _ in range(REPEATED):
            found, said = start()
            if found == native:
                break
        self.place.expect(what, found, native, said)

    def one(self, how, mode="none", language="c", restarts=False):
        what = f"{language} {how} {mode}"
        if language not in self.programs:
            return
        program = (self.programs[language], how, mode)
        native = self.start(*program)[0]
        self.compare(what, native, lambda: self.start(*self.place.run_words(*program)))
        if restarts:
            self.start(*self.place.run_words(*program), STOP="1")
            late = {**native, "said": [line for line in native["said"] if "before" not in line and "after" not in line]}
            late["output"] = native["output"].removeprefix("before MPI_Init, ")
            self.compare(f"{what}, restarted", late, lambda: self.start(*self.place.restart_words()))

    def all(self):
        for how in ("abort", "self", "error", "assert", "kill", "_exit", "finalize", "thread", "early", "late"):
            self.one(how, restarts=how in ("abort", "kill"))
        for mode in ("full+print", "line+print", "full+again"):
            self.one("kill", mode)
        self.one("abort", "again", restarts=True)
        for how in ("abort", "assert", "stop"):
            self.one(how, language="fortran")
        for how in ("abort", "assert"):
            for mode in ("own", "none"):
                self.one(how, mode, "cxx")


if __name__ == "__main__":
    sys.exit(main(__doc__, "words", lambda place, _: Words(place).all(), ranks=1))
