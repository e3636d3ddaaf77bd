"""examples/wrappers, built from an installed mana over one of two MPIs that are installed side by side: as it is, under gdb, with
AddressSanitizer, and linked by C alone.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from mana_job import mpi_environment, mpirun  # noqa: E402

RANKS = 3
LIMIT_S = 240
C_PROJECT = """cmake_minimum_required(VERSION 3.25)
project(c_alone LANGUAGES C)
find_package(mana REQUIRED)
add_executable(ring {ring})
target_link_libraries(ring PRIVATE mana::wrappers)
"""


class Checks:
    def __init__(self, options):
        self.options, self.failures = options, 0
        shutil.rmtree(options.work, ignore_errors=True)

    def expect(self, name, holds, text):
        print(name if holds else f"FAILED {name}:\n{text}", flush=True)
        self.failures += not holds

    def build(self, name, source, *words):
        """The folder of what is built of this project, with the MPI that the test is for."""
        folder = self.options.work / name
        compilers = [f"-DMPI_C_COMPILER=mpicc.{self.options.mpi}", f"-DMPI_CXX_COMPILER=mpicxx.{self.options.mpi}"]
        for command in (["cmake", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={self.options.prefix}", *compilers, *words],
                        ["cmake", "--build", folder]):
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self.expect(f"{name} is built", False, done.stdout + done.stderr)
                sys.exit(1)
        return folder

    def run(self, *words, **more):
        done = subprocess.run([*mpirun(self.options.mpi, RANKS), *map(str, words)], env=mpi_environment() | more, text=True,
                              capture_output=True, timeout=LIMIT_S, check=False)
        return done.returncode, done.stdout, done.stderr

    def has_sum(self, name, *words, **more):
        status, out, text = self.run(*words, **more)
        self.expect(name, status == 0 and re.search(r"^sum \d+$", out, re.M), f"status {status}: {out}{text}")
        return out, text

    def debug(self, program):
        """The program stops at MPI_Sendrecv, whose definition is the tool's, and runs on."""
        if shutil.which("gdb") is None:
            print("there is no gdb here: not run under a debugger")
            return
        commands = ["break MPI_Sendrecv", "run", "bt 2", "delete", "continue"]
        words = [word for command in commands for word in ("-ex", command)]
        status, out, text = self.run("gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", *words, "--args", program)
        self.expect("under a debugger", status == 0 and "in main (" in out and re.search(r"sum \d+", out),      # ranks' lines mix
                    f"status {status}: {out}{text}")

    def all(self):
        example = self.options.source / "examples" / "wrappers"
        plain = self.build("plain", example)
        native, _ = self.has_sum("ring", plain / "ring")
        out, text = self.has_sum("with a tool", plain / "ring_counted")
        rows = re.findall(r"rank (\d): communicator ([0-9a-f]{16}): (\d+) calls, (\d+) bytes", text)
        # Of the world: MPI_Sendrecv of a long, MPI_Reduce of an int. Of a half: MPI_Allreduce of a long.
        world = {row[1] for row in rows if row[2:] == ("2", "12")}
        halves = {row[1] for row in rows if row[2:] == ("1", "8")}
        self.expect("the tool's table", out == native and len(rows) == 2 * RANKS and len(world) == 1 and len(halves) == 2, text)
        out, text = self.has_sum("with an own barrier", plain / "ring_own_barrier")
        self.expect("which is called", out == native and text.count("3 barriers of our own") == RANKS, text)
        self.debug(plain / "ring_counted")
        checked = self.build("checked", example, "-DCMAKE_CXX_FLAGS=-fsanitize=address", "-DCMAKE_C_FLAGS=-fsanitize=address",
                             "-DCMAKE_EXE_LINKER_FLAGS=-fsanitize=address")
        self.has_sum("with a sanitizer", checked / "ring_counted", ASAN_OPTIONS="detect_leaks=0")
        project = self.options.work / "c-alone-source"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(C_PROJECT.format(ring=example / "ring.c"))
        self.has_sum("in C alone", self.build("c-alone", project) / "ring")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    for name in ("prefix", "source", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for name in ("prefix", "source", "work"):
        setattr(options, name, getattr(options, name).resolve())
    checks = Checks(options)
    checks.all()
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
