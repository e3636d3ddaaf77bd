"""Programs that others wrote, as Debian packages them, through restart_test.py.

Each runs natively, plain under mana, with five checkpoints, and killed and restarted once and twice; the lines of its
output that are its result must be equal in every digit. A program that is not installed is skipped (exit status 77).
"""
import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
PHYML_EXAMPLES = "/usr/share/doc/phyml/examples"
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
    environment: dict = dataclasses.field(default_factory=dict)


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
    "mpi4py_futures": Real("python3-mpi4py", 3, ["/usr/bin/python3", str(HERE / "futures_program.py"), "1500"], "^(step|checksum)",
                           needs="/usr/lib/python3/dist-packages/mpi4py"),
    "mpi4py_pool": Real("python3-mpi4py", 3,
                        ["/usr/bin/python3", "-m", "mpi4py.futures", str(HERE / "pool_program.py"), "1500"], "^(step|checksum)",
                        needs="/usr/lib/python3/dist-packages/mpi4py"),
    "xdlu": Real("scalapack-mpi-test", 4, [SCALAPACK + "/xdlu"], "tests (completed|skipped)", BOTH,
                 inputs=["LU.dat"], options=["--buffered"]),
    "xCbtest": Real("scalapack-mpi-test", 4, [SCALAPACK + "/xCbtest"], r"TESTS; +\d+ PASSED", BOTH,
                    inputs=[SCALAPACK + f"/BLACS/{name}.dat" for name in ("bsbr", "bt", "comb", "sdrv")],
                    options=["--buffered", "--status", "255", "--status", "127", "--status", "0"]),
    "xFbtest": Real("scalapack-mpi-test", 4, [SCALAPACK + "/xFbtest"], r"TESTS; +\d+ PASSED", BOTH,
                    inputs=["bt.dat", *(SCALAPACK + f"/BLACS/{name}.dat" for name in ("bsbr", "sdrv"))],
                    options=["--buffered", "--status", "255", "--status", "127", "--status", "0"]),
    "quantum_espresso": Real("quantum-espresso", 2, ["/usr/bin/pw.x", "-in", "si.in"],
                             r"total energy  +=|Total force =|   force =", inputs=[HERE / "si.in", "Si.UPF"],
                             options=["--buffered"]),
    "abinit": Real("abinit", 2, ["/usr/bin/abinit", "si.abi"], "^ ETOT ", inputs=[HERE / "si.abi", HERE / "14si.hgh"],
                   options=["--buffered"]),
    "elk": Real("elk-lapw", 2, ["/usr/bin/elk-lapw"], "(?!)", inputs=[HERE / "elk.in"],
                environment={"OMP_NUM_THREADS": "1"},
                options=["--file", "TOTENERGY.OUT", "--file", "EIGVAL.OUT"]),
    # Natively, too, two threads add up in another order each time: the last digits differ.
    "elk_threads": Real("elk-lapw", 2, ["/usr/bin/elk-lapw"], "(?!)", inputs=[HERE / "elk.in"],
                        environment={"OMP_NUM_THREADS": "2"},
                        options=["--file", "TOTENERGY.OUT", "--file-lines", r"^(?P<counts> +-\d+\.\d{4})"]),
    "gromacs": Real("gromacs", 2, ["/usr/bin/gmx_mpi", "mdrun", "-s", "water.tpr", "-ntomp", "2", "-pin", "off",
                                   "-reprod", "-dlb", "no", "-notunepme", "-deffnm", "water"], "(?!)", inputs=["water.tpr"],
                    environment={"GMX_MAXBACKUP": "-1"},
                    options=["--file", "water.trr", "--file", "water.edr", "--file", "water.gro"]),
    "phyml": Real("phyml", 2, ["/usr/bin/phyml-mpi", "-i", "nucleic", "-b", "8", "--r_seed", "7", "-o", "lr",
                                "--no_memory_check"],
                  "Log likelihood of", inputs=[f"{PHYML_EXAMPLES}/nucleic"],
                  options=["--buffered", "--file", "nucleic_phyml_boot_trees.txt", "--file", "nucleic_phyml_tree.txt"]),
    "bagel": Real("bagel", 2, ["/usr/bin/BAGEL", "water.json"], r"^(?P<counts> +\d+( +\d+ [ *])? +-\d+\.\d{8})",
                  ("mpich",), inputs=[HERE / "water.json"], environment={"BAGEL_NUM_THREADS": "2"}),
    # One-sided communication. Natively Open MPI 4.1.4 needs OMPI_MCA_osc. MPICH 4.0.2 is wrong natively, and not each time in the same
    # way, in windows that it allocates for ranks of a node.
    "bagel_caspt2": Real("bagel", 2, ["/usr/bin/BAGEL", "water_caspt2.json"], r"^(?P<counts> +\d+( +\d+ [ *])? +-\d+\.\d{8})",
                         ("mpich",), inputs=[HERE / "water_caspt2.json"],
                         environment={"BAGEL_NUM_THREADS": "1", "MPIR_CVAR_NOLOCAL": "1"}),
    # The last digits depend on which rank took which task.
    "nwchem": Real("nwchem-{mpi}", 2, ["/usr/bin/nwchem.{mpi}", "water.nw"], r"^(?P<counts> +Total SCF energy = +-\d+\.\d{7})",
                   BOTH, inputs=[HERE / "water.nw"], options=["--buffered", "--scratch", "water.*"],
                   environment={"OMPI_MCA_osc": "^ucx", "ARMCI_USE_WIN_ALLOCATE": "0"}),
    "mpi4py_windows": Real("python3-mpi4py", 2, ["/usr/bin/python3", str(HERE / "windows_program.py"), "1000"],
                           "^(step|checksum)", needs="/usr/lib/python3/dist-packages/mpi4py",
                           environment={"OMPI_MCA_osc": "^ucx"}),
    # Natively MPICH 4.0.2 loses some of its sums.
    "coarrays": Real("libcoarrays-{mpi}-dev", 2, ["{built}/coarrays", "300"], "^(step|checksum)",
                     needs="/usr/lib/x86_64-linux-gnu/libcaf_{mpi}.so", inputs=["coarrays"],
                     environment={"OMPI_MCA_osc": "^ucx"}),
    "global_arrays": Real("libglobalarrays-dev", 2, ["{built}/global_arrays", "1000"], "^step", BOTH,
                          needs="/usr/lib/x86_64-linux-gnu/libga-{mpi}.a", inputs=["global_arrays"],
                          environment={"OMPI_MCA_osc": "^ucx", "ARMCI_USE_WIN_ALLOCATE": "0"}),
}


def hpcc_input(directory, _mpi):
    """Debian's example with the problem size that takes about a minute on two cores."""
    example = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    file = directory / "hpccinf.txt"
    file.write_text(re.sub(r"^1000 +Ns$", "1500         Ns", example, flags=re.MULTILINE))
    return file


def silicon(directory, _mpi):
    """A norm-conserving pseudopotential, by Quantum ESPRESSO's own generator."""
    with (HERE / "si.ld1").open() as words:
        subprocess.run(["/usr/bin/ld1.x"], stdin=words, cwd=directory, check=True, stdout=subprocess.DEVNULL)
    return directory / "Si.UPF"


def water(directory, _mpi):
    """GROMACS' own box of 216 molecules of water, and what is to be done with it."""
    file = directory / "water.tpr"
    subprocess.run(["/usr/bin/gmx_mpi", "-quiet", "grompp", "-f", HERE / "water.mdp", "-p", HERE / "water.top",
                    "-c", "/usr/share/gromacs/top/spc216.gro", "-o", file, "-po", directory / "mdout.mdp"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "GMX_MAXBACKUP": "-1"})
    return file


def lu_input(directory, mpi):
    """The package's input; over MPICH, whose ranks spin when there are fewer cores, a third of its tests."""
    file = directory / "LU.dat"
    text = pathlib.Path(SCALAPACK.format(mpi=mpi), "LU.dat").read_text()
    file.write_text(re.sub(r"^3(\s+number of NB's)$", r"1\1", text, flags=re.MULTILINE) if mpi == "mpich" else text)
    return file


def tester_input(directory, mpi):
    """The package's input without the combinations and the auxiliary tests; over MPICH integers only."""
    file = directory / "bt.dat"
    text = pathlib.Path(SCALAPACK.format(mpi=mpi), "BLACS", "bt.dat").read_text()
    text = re.sub(r"^'T'(\s+Run (COMB|AUX))", r"'F'\1", text, flags=re.MULTILINE)
    file.write_text(re.sub(r"^5(\s+Number of prec)", r"1\1", text, flags=re.MULTILINE) if mpi == "mpich" else text)
    return file


def coarrays(directory, mpi):
    """A program of our own over OpenCoarrays' library."""
    file = directory / "coarrays"
    subprocess.run([f"mpifort.{mpi}", "-O1", "-fcoarray=lib", HERE / "coarray_program.f90", "-o", file, f"-lcaf_{mpi}"],
                   cwd=directory, check=True)
    return file


def global_arrays(directory, mpi):
    """A program of our own over Global Arrays and ARMCI-MPI."""
    file, libraries = directory / "global_arrays", pathlib.Path("/usr/lib/x86_64-linux-gnu")
    subprocess.run([f"mpicc.{mpi}", "-O1", HERE / "ga_program.c", "-o", file, libraries / f"libga-{mpi}.a",
                    libraries / f"libscalapack-{mpi}.so.2.2", "-llapack", "-lblas", libraries / f"libarmci-{mpi}.a",
                    "-lgfortran", "-lm"], check=True)
    return file


MADE = {"coarrays": coarrays, "global_arrays": global_arrays, "hpccinf.txt": hpcc_input, "LU.dat": lu_input, "Si.UPF": silicon, "water.tpr": water, "bt.dat": tester_input}


def scratch_of(build, name, mpi):
    """Where a program's inputs are made."""
    return build.resolve() / "real-inputs" / f"{name}-{mpi}"


def words_of(real, scratch, mpi):
    """The words of a program's command. scratch: where its inputs are made"""
    return [word.format(mpi=mpi, built=scratch) for word in real.command]


def input_files(real, scratch, mpi):
    """Paths of a program's inputs; those that are made are made."""
    scratch.mkdir(parents=True, exist_ok=True)
    return [str(MADE[file](scratch, mpi) if file in MADE else file).format(mpi=mpi) for file in real.inputs]


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
    scratch = scratch_of(options.build, options.program, options.mpi)
    command = words_of(real, scratch, options.mpi)
    if not pathlib.Path((real.needs or command[0]).format(mpi=options.mpi)).exists():
        print(f"{options.program} is not installed (Debian package {real.package.format(mpi=options.mpi)}): skipped")
        return SKIPPED
    words = [sys.executable, str(HERE.parent / "restart_test.py"), "--build", str(options.build), "--mpi", options.mpi,
             "--ranks", str(real.ranks), "--name", f"real-{options.program}", "--checkpoints", "5", "--once-too",
             "--lines", real.lines, *real.options]
    for file in input_files(real, scratch, options.mpi):
        words += ["--input", file]
    if options.seed is not None:
        words += ["--seed", str(options.seed)]
    return subprocess.run([*words, "--", *command], check=False, env={**os.environ, **real.environment}).returncode


if __name__ == "__main__":
    sys.exit(main())
