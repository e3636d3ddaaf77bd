#!/usr/bin/python3
"""Several MPIs of one family: mana is configured for copies of an installed MPI, each of which gets a name of its own; compiler commands
that are of no use are refused, each with its cause. several_test.py --work FOLDER --facts FILE --mpicc MPICC --family NAME --compiler C++
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

import prefix_tree
from prefix_tree import Failed, require

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 300
# Macros of mpi.h that say the version, and other values for them.
VALUES = {"mpich": {"MPICH_VERSION": '"4.9.1"'},
          "openmpi": {"OMPI_MAJOR_VERSION": "4", "OMPI_MINOR_VERSION": "9", "OMPI_RELEASE_VERSION": "1"}}


def done(*words):
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT_S, check=False, env=os.environ | {"LC_ALL": "C"})
    return ended.returncode, ended.stdout + ended.stderr


def examined(options, *compilers):
    """(status, what is said, what CMake is told)"""
    out = options.work / "mpis.cmake"
    out.unlink(missing_ok=True)
    status, said = done(sys.executable, ROOT / "codegen" / "mpi_compiler.py", "--facts", options.facts, "--cmake", out, *compilers)
    return status, said, out.read_text() if out.exists() else ""


def check_names(options, copies):
    native = options.mpicc
    status, said, told = examined(options, native, *copies)
    require("three of one family are examined", status == 0, said)
    family = options.family
    names = [family, f"{family}-4.9.1", f"{family}-4.9.1-2"]
    require("each has a name", f"set(MANA_LIVE_MPIS [==[{';'.join(names)}]==])" in told, told)
    require("one wrapper library for all", f"set(MANA_MPIS [==[{family}]==])" in told, told)
    for name, command in zip(names[1:], copies):
        require(f"{name} is found where it is", f"set(MANA_RUN_DIRECTORIES_{name} [==[{command.parents[1] / 'lib'}]==])" in told, told)
    status, said, _ = examined(options, copies[0], native, copies[0])
    require("none is named twice", status == 1 and "is named twice" in said, said)


def check_refusals(options):
    for command, why in prefix_tree.make_broken(options.work / "broken"):
        status, said, told = examined(options, options.mpicc, command)
        require(why, status == 1 and why in said and not told and "Traceback" not in said, said)


def check_configured(options, copies):
    """The whole project: targets for each, and what `mana` reads of each."""
    tree = options.work / "tree"
    words = ["cmake", "-S", ROOT, "-B", tree, "-G", "Ninja", "-DMANA_TESTS=OFF", f"-DCMAKE_CXX_COMPILER={options.compiler}"]
    status, said = done(*words, f"-DMANA_MPICC={options.mpicc};{copies[0]}")
    require("mana is configured for two of one family", status == 0, said)
    family = options.family
    description = json.loads((tree / "libexec" / "mana" / f"mana-lower-{family}-4.9.1.json").read_text())
    place = copies[0].parents[1]
    wanted = {"name": f"{family}-4.9.1", "family": family, "version": "4.9.1", "place": str(place), "compiler": str(copies[0]),
              "launcher": str(place / "bin" / "mpirun")}
    require("its description", wanted.items() <= description.items(), description)
    status, said = done("ninja", "-C", tree, "-t", "targets", "all")
    built = [f"libexec/mana/mana-lower-{family}", f"libexec/mana/mana-lower-{family}-4.9.1", f"lib/mana/libmana-{family}.so"]
    require("a lower half for each", status == 0 and all(f"{name}: " in said for name in built) and f"libmana-{family}-4.9.1.so" not in said, said[-2000:])
    broken = options.work / "broken" / "exits" / "mpicc"
    status, said = done(*words, f"-DMANA_MPICC={options.mpicc};{broken}")
    require("a broken one stops the build by name", status != 0 and f"{broken} does not work: mpicc: error: no licence" in " ".join(said.split()), said)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("work", "facts", "mpicc", "family", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    options.work = pathlib.Path(options.work).resolve()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    mpirun = options.mpicc.replace("mpicc", "mpirun")
    copies = [prefix_tree.make(options.work / name, options.mpicc, VALUES[options.family], mpirun) for name in ("one", "other")]
    check_names(options, copies)
    check_refusals(options)
    check_configured(options, copies)


try:
    main()
except Failed as failure:
    sys.exit(f"FAILED {failure}")
