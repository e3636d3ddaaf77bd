"""Programs that others wrote, as Debian packages them, through restart_test.py.

Each runs natively, plain under mana, with five checkpoints, and killed and restarted once and twice; the lines of its
output that are its result must be equal in every digit. A program that is not installed is skipped (exit status 77).
"""
import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
SCALAPACK = "/usr/lib/x86_64-linux-gnu/scalapack/{mpi}-tests"


@dataclasses.dataclass
class Real:
    package: str
    ranks: int
    command: list          # {mpi}: mpich or openmpi
    lines: str             # regular expression: lines of the output that are the result
    mpis: tuple = ("openmpi",)
    needs: str = ""        # a file that must be there; default: the command itself
    inputs: list = dataclasses.field(default_factory=list)
    options: list = dataclasses.field(default_factory=list)      # more of restart_test.py


THERMO = r"^ +\d+( +-?[\d.]+(e[-+]\d+)?){4,}\s*$"      # every digit of every row of LAMMPS' table
BOTH = ("mpich", "openmpi")

PROGRAMS = {
    "lammps_melt": Real("lammps", 2, ["/usr/bin/lmp", "-in", "lj.in", "-log", "none"], THERMO, inputs=[HERE / "lj.in"]),
    "lammps_pppm": Real("lammps", 4, ["/usr/bin/lmp", "-in", "pppm.in", "-log", "none"], THERMO, inputs=[HERE / "pppm.in"]),
    # Not the "Scaled residual" of its DGEMM, whose matrices are seeded by the time.
    "hpcc": Real("hpcc", 4, ["/usr/bin/hpcc"], "(?!)", inputs=["hpccinf.txt"],
                 options=["--file", "hpccoutf.txt", "--file-lines",
                          r"Success=|MPIRandomAccess.*_Errors=|\|\|Ax-b\|\|_oo/\(|tests completed|PTRANS_residual="]),
    "mpi4py": Real("python3-mpi4py", 3, ["/usr/bin/python3", str(HERE / "mpi4py_program.py"), "3000"], "^(step|checksum)",
                   needs="/usr/lib/python3/dist-packages/mpi4py"),
    "xdlu": Real("scalapack-mpi-test", 4, [SCALAPACK + "/xdlu"], "tests (completed|skipped)", BOTH,
                 inputs=["LU.dat"], options=["--buffered"]),
    "xCbtest": Real("scalapack-mpi-test", 4, [SCALAPACK + "/xCbtest"], r"TESTS; +\d+ PASSED", BOTH,
                    inputs=[SCALAPACK + f"/BLACS/{name}.dat" for name in ("bsbr", "bt", "comb", "sdrv")],
                    options=["--buffered", "--status", "255", "--status", "127", "--status", "0"]),
}


def hpcc_input(directory):
    """Debian's example with the problem size that takes about a minute on two cores."""
    example = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    file = directory / "hpccinf.txt"
    file.write_text(re.sub(r"^1000 +Ns$", "1500         Ns", example, flags=re.MULTILINE))
    return file


def lu_input(directory, mpi):
    """The package's input; over MPICH, whose ranks spin when there are fewer cores, a third of its tests."""
    file = directory / "LU.dat"
    text = pathlib.Path(SCALAPACK.format(mpi=mpi), "LU.dat").read_text()
    file.write_text(re.sub(r"^3(\s+number of NB's)$", r"1\1", text, flags=re.MULTILINE) if mpi == "mpich" else text)
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=BOTH, required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("program", choices=PROGRAMS)
    options = parser.parse_args()
    real = PROGRAMS[options.program]
    if options.mpi not in real.mpis:
        print(f"{options.program} is built for {' and '.join(real.mpis)} only: skipped")
        return SKIPPED
    command = [word.format(mpi=options.mpi) for word in real.command]
    if not pathlib.Path(real.needs or command[0]).exists():
        print(f"{options.program} is not installed (Debian package {real.package}): skipped")
        return SKIPPED
    words = [sys.executable, str(HERE.parent / "restart_test.py"), "--build", str(options.build), "--mpi", options.mpi,
             "--ranks", str(real.ranks), "--name", f"real-{options.program}", "--checkpoints", "5", "--lines", real.lines,
             *real.options]
    made = {"hpccinf.txt": lambda: hpcc_input(options.build), "LU.dat": lambda: lu_input(options.build, options.mpi)}
    for file in real.inputs:
        words += ["--input", str(made[file]() if file in made else file).format(mpi=options.mpi)]
    if options.seed is not None:
        words += ["--seed", str(options.seed)]
    return subprocess.run([*words, "--", *command], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
