"""mana gdb: a rank's stack has the names of the program, its library and MPI, launched, restarted, and in a core dump."""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, Job, descendants, mana, mpi_environment, mpirun  # noqa: E402

SKIPPED = 77
SILENCE_S = 240
NOT_A_RANK, NO_DEBUGGER = 95, 96
OWN = ("main", "through_the_library")
WAITS_S = 240


def frames(text):
    """Names of the functions of a backtrace, innermost first."""
    return re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\S+) \(", text, re.MULTILINE)


class Tests:
    def __init__(self, options):
        self.build, self.mpi, self.program = options.build.resolve(), options.mpi, options.program
        self.mana = str(self.build / "bin" / "mana")
        self.directory = self.build / "restart-runs" / f"gdb-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def job(self, *words):
        return Job([*mpirun(self.mpi, 1), self.mana, *words], self.directory, self.directory / "log")

    def gdb(self, *words, **more):
        done = subprocess.run([self.mana, "gdb", *words], cwd=self.directory, capture_output=True, text=True, timeout=240,
                              errors="replace", stdin=subprocess.DEVNULL, check=False, **more)
        return done.returncode, done.stdout + done.stderr

    def expect(self, what, words, names, also=()):
        """The stack has these names; a program on its way there is looked at again."""
        deadline = time.monotonic() + WAITS_S
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
        deadline = time.monotonic() + WAITS_S
        while time.monotonic() < deadline:
            for pid in descendants(job.process.pid):
                try:
                    if os.readlink(f"/proc/{pid}/exe").rpartition("/")[2].startswith("mana-lower-"):
                        return str(pid)
                except OSError:
                    pass
            time.sleep(0.1)
        raise Failed("the job has no rank")

    def running(self):
        for mode, names in (("sleep", (*OWN, "own_sleep")), ("receive", (*OWN, "own_receive", "MPI_Recv"))):
            directory = str(self.directory / mode)
            job = self.job("run", "--ckpt-dir", directory, "--", self.program, mode)
            try:
                job.next_line(SILENCE_S)
                pid = self.rank(job)
                text = self.expect(f"{mode}, launched", [pid], names, ("-ex", "info address mana_park_trampoline"))
                if "mana_park_trampoline" not in text or "No symbol" in text:
                    raise Failed(f"the trampolines have no names:\n{text}")
                mana(self.mana, "checkpoint", "--stop", "--ckpt-dir", directory)
                job.wait()
                job = self.job("restart", directory)
                self.expect(f"{mode}, restarted", [self.rank(job)], names)
            finally:
                job.kill()

    def core(self):
        if pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip() != "core":
            print("core dumps go elsewhere here: not tested")
            return
        resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
        subprocess.run([*mpirun(self.mpi, 1), self.mana, "run", "--ckpt-dir", "c", "--", self.program, "abort"], timeout=240,
                       cwd=self.directory, env=mpi_environment(), capture_output=True, stdin=subprocess.DEVNULL, check=False)
        found = sorted(self.directory.glob("core*"))
        if not found:
            raise Failed("there is no core dump")
        self.expect("core dump", ["--core", str(found[0])], (*OWN, "own_abort"))

    def refusals(self):
        self.refuse(NOT_A_RANK, "no rank of a job", str(os.getpid()))
        self.refuse(NOT_A_RANK, "there is no process", "4194305")
        self.refuse(NOT_A_RANK, "no core dump", "--core", self.program)
        self.refuse(NOT_A_RANK, "No such file", "--core", "nothing")
        job = self.job("run", "--ckpt-dir", "r", "--", self.program, "sleep")
        try:
            job.next_line(SILENCE_S)
            self.refuse(NO_DEBUGGER, "apt install gdb", self.rank(job), env={**os.environ, "PATH": "/nonexistent"})
        finally:
            job.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("program", help="named.c")
    tests = Tests(parser.parse_args())
    if shutil.which("gdb") is None:
        print("there is no gdb: skipped")
        return SKIPPED
    try:
        tests.running()
        tests.core()
        tests.refusals()
    except (Failed, subprocess.TimeoutExpired) as failed:
        print(f"FAILED: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
