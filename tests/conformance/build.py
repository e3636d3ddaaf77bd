"""Builds programs of MPICH's test suite with one MPI's compiler, by the suite's own configure and Makefiles."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from known_mpis import BY_NAME, of_tests  # noqa: E402
from live_mpis import STANDARD, abi_library  # noqa: E402

CONFIGURE_S, MAKE_S = 600, 3600
SUITE = pathlib.Path("test") / "mpi"      # in MPICH's source
NO = ("cxx", "romio", "spawn")
ACCELERATORS = ("cuda", "hip", "ze")      # tests abort where the library of one is installed and no device is there


class Broken(Exception):
    """The suite cannot be built; the text says where its log is."""


def _log(words, directory, log, limit_s):
    """Runs the words. Returns their exit status."""
    with log.open("a") as out:
        out.write(f"$ {' '.join(map(str, words))}\n")
        out.flush()
        return subprocess.run(words, cwd=directory, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                              timeout=limit_s, check=False).returncode


def version(source):
    """The version of MPICH that this source is, as "4.2.1"."""
    return re.search(r"MPICH_VERSION_m4\],\s*\[([^]]+)\]", (source / "maint" / "version.m4").read_text())[1]


def standard_compiler(build, place, mpi):
    """A compiler of programs of the standard ABI: with the mpi.h of a build tree of mana and the library of this MPI."""
    library = abi_library(mpi)
    if library is None:
        raise Broken(f"{mpi} has no library of the standard ABI here")
    compiler = place / "bin" / f"mpicc.{STANDARD}.{mpi}"
    compiler.parent.mkdir(exist_ok=True)
    compiler.write_text(f'#!/bin/sh\nexec cc -I{build}/mpi_standard/include "$@" {library}\n')
    compiler.chmod(0o755)
    return compiler


def configured(source, place, mpi, standard=None):
    """The suite's build tree for this MPI, with the libraries that its programs share.

    standard: the compiler of the standard ABI, if they are programs of that
    """
    tree = place / "-".join(["suite", *[STANDARD] * bool(standard), mpi])
    ready, log = tree / "ready", tree.with_suffix(".log")
    compiler = standard or f"mpicc.{mpi}"
    fortran = None if standard else BY_NAME[mpi].compiler.get("fortran")
    compilers = [f"{name}={fortran}" for name in ("FC", "F77", "MPIFC", "MPIF77") if fortran]
    # Built once: what would track dependencies is half of configure's time. gfortran must be told that a buffer may have any type.
    words = [source / SUITE / "configure", f"CC={compiler}", f"MPICC={compiler}", f"MPIEXEC=mpiexec.{mpi}", "CFLAGS=-O1",
             *compilers, "FFLAGS=-O1 -fallow-argument-mismatch", "FCFLAGS=-O1 -fallow-argument-mismatch",
             *([] if fortran else ["--disable-fortran"]),
             "--disable-dependency-tracking", "--enable-threads=multiple", "--enable-checkerrors",
             *(f"--disable-{part}" for part in NO),
             *(f"--without-{part}" for part in ACCELERATORS), *of_tests(mpi, "suite_options")]
    asked = " ".join(map(str, words))
    if ready.exists() and ready.read_text() == asked:
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    log.unlink(missing_ok=True)
    if _log(words, tree, log, CONFIGURE_S) != 0:
        raise Broken(f"configure failed; see {log}")
    for part in ("dtpools", "util"):
        if _log(["make", "-j", str(os.cpu_count()), "-C", part], tree, log, MAKE_S) != 0:
            raise Broken(f"{part} was not built; see {log}")
    ready.write_text(asked)
    return tree


def build(tree, tests):
    """Builds the programs of these tests. Those that this MPI's mpi.h or library cannot take are not there afterwards."""
    folders = {}
    for test in tests:
        if not (tree / test.folder / test.program).exists():
            folders.setdefault(test.folder, []).append(test.program)
    for folder, programs in folders.items():
        _log(["make", "-k", "-j", str(os.cpu_count()), "-C", folder, *dict.fromkeys(programs)], tree,
             tree.parent / f"{tree.name}.log", MAKE_S)
