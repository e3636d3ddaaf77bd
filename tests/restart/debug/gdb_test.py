"""mana gdb: a rank's stack has the names of the program, its library and MPI, launched, restarted, and in a core dump."""
import os
import pathlib
import re
import resource
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, descendants, is_rank  # noqa: E402
from workplace import LIMIT_S, Skip, main  # noqa: E402

NOT_A_RANK, NO_DEBUGGER = 95, 96
OWN = ("main", "through_the_library")


def frames(text):
    """Names of the functions of a backtrace, innermost first."""
    return re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\S+) \(", text, re.MULTILINE)


class Tests:
    def __init__(self, place, options):
        self.place, self.program = place, options.program

    def gdb(self, *words, **environment):
        done = self.place.ended(self.place.command, "gdb", *words, ranks=0, **environment)
        return done.status, done.output + done.errors

    def expect(self, what, words, names, also=()):
        """The stack has these names; a program on its way there is looked at again."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            status, text = self.gdb(*words, "-batch", "-nx", *also, "-ex", "bt")
            if status == 0 and set(names) <= set(frames(text)):
                print(f"{what}: {', '.join(names)}", flush=True)
                return text
            if time.monotonic() > deadline:
                raise Failed(f"{what}: status {status}, names {frames(text)} without all of {names} in:\n{text}")
            time.sleep(0.5)

    def refuse(self, status, text, *words, **more):
        got, said = self.gdb(*words, **more)
        if got != status or text not in said:
            raise Failed(f"mana gdb {words}: status {got} instead of {status}, or no {text!r} in:\n{said}")

    def rank(self, job):
        """The process that is the job's rank."""
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            if ranks := [pid for pid in descendants(job.process.pid) if is_rank(pid)]:
                return str(ranks[0])
            time.sleep(0.1)
        raise Failed("the job has no rank")

    def running(self):
        for mode, names in (("sleep", (*OWN, "own_sleep")), ("receive", (*OWN, "own_receive", "MPI_Recv"))):
            job = self.place.run(self.program, mode, up=False, ckpt=mode)
            job.next_line()
            text = self.expect(f"{mode}, launched", [self.rank(job)], names, ("-ex", "info address mana_park_trampoline"))
            if "mana_park_trampoline" not in text or "No symbol" in text:
                raise Failed(f"the trampolines have no names:\n{text}")
            self.place.stop(job, ckpt=mode)
            job = self.place.restart(ckpt=mode)
            self.expect(f"{mode}, restarted", [self.rank(job)], names)
            job.kill()

    def core(self):
        if pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip() != "core":
            print("core dumps go elsewhere here: not tested")
            return
        resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
        self.place.ended(self.place.command, "run", "--ckpt-dir", "c", "--", self.program, "abort")
        found = sorted(self.place.directory.glob("core*"))
        if not found:
            raise Failed("there is no core dump")
        self.expect("core dump", ["--core", str(found[0])], (*OWN, "own_abort"))

    def refusals(self):
        self.refuse(NOT_A_RANK, "is not a rank of a job", str(os.getpid()))
        self.refuse(NOT_A_RANK, "process 4194305 does not exist", "4194305")
        self.refuse(NOT_A_RANK, "not a core dump", "--core", self.program)
        self.refuse(NOT_A_RANK, "No such file", "--core", "nothing")
        job = self.place.run(self.program, "sleep", up=False)
        job.next_line()
        self.refuse(NO_DEBUGGER, "apt install gdb", self.rank(job), PATH="/nonexistent")


def tell(place, options):
    if shutil.which("gdb") is None:
        raise Skip("there is no gdb")
    tests = Tests(place, options)
    tests.running()
    tests.core()
    tests.refusals()


if __name__ == "__main__":
    sys.exit(main(__doc__, "gdb", tell, ranks=1, program="named.c"))
