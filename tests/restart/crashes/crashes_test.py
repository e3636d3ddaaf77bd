"""INV-68: a program that crashes ends as natively: by its own signal, with what the MPI library prints about it.

Also in a thread, in a child, with handlers of the program that go on to the library's, and after a restart. Compared are the
status, the program's own words, and of the library's words the signal and the functions of the program in the backtrace.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import ENDS_AT_ONCE  # noqa: E402
from workplace import main  # noqa: E402

SIGNAL = re.compile(r"(Signal: [\w ]+\(\d+\)|Caught signal \d+ \([\w ]+)")
FUNCTION = re.compile(r"\((crash_here|crash_in_thread|main)\+0x")
HOWS = ("abort", "fpe", "ill", "bus", "segv")


class Crashes:
    def __init__(self, place, options):
        self.place, self.program = place, options.program

    def start(self, *words, **environment):
        done = self.place.ended(*words, **ENDS_AT_ONCE, **environment)
        said = done.output + done.errors
        own = [line for line in said.splitlines() if line.startswith(("the ", "it goes"))]
        found = {"status": done.status, "own": own, "signals": SIGNAL.findall(said), "functions": FUNCTION.findall(said)}
        return found, said

    def compare(self, what, native, found, said):
        self.place.expect(what, found, native, said)

    def one(self, how, where="main", whose="none", restarts=False):
        what, program = f"{how} {where} {whose}", (self.program, how, where, whose)
        native = self.start(*program)[0]
        self.compare(what, native, *self.start(*self.place.run_words(*program)))
        if restarts:
            self.start(*self.place.run_words(*program), STOP="1")
            self.compare(f"{what}, restarted", native, *self.start(*self.place.restart_words()))

    def all(self):
        for how in HOWS:
            self.one(how, restarts=how in ("abort", "segv"))
        for how in ("abort", "segv"):
            self.one(how, "thread", restarts=how == "segv")
            self.one(how, "child")
            self.one(how, whose="after", restarts=True)
        self.one("segv", whose="before", restarts=True)
        self.one("fpe", "thread", "before+after", restarts=True)
        for number in ("8", "10", "15"):
            self.one(number)


if __name__ == "__main__":
    sys.exit(main(__doc__, "crashes", lambda place, options: Crashes(place, options).all(), ranks=1, program="crash.c"))
