#!/usr/bin/python3
"""A family of MPI libraries is added by one folder: mana is built for a toy MPI whose folder lies outside of mpis/, and one rank
of it runs, is asked about by `mana doctor`, is saved and is restarted.

toy_test.py --build FOLDER --built TREE --compiler C++ [--launcher WORD] [--flags WORDS]

TREE is a build of these sources. What is the same for all families is taken from it (reuse.py).
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

import reuse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIMIT_S = 240


class Failed(Exception):
    pass


def done(words, limit=LIMIT_S, **more):
    """(status, what it said)"""
    ended = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit,
                           check=False, **more)
    return ended.returncode, ended.stdout


def must(words, limit=LIMIT_S, **more):
    status, text = done(words, limit, **more)
    if status != 0:
        raise Failed(f"{' '.join(map(str, words))}: status {status}\n{text}")
    return text


def build(options):
    """mana for the toy alone, in a tree of its own; what no family is in, from another."""
    library, tree = options.build / "library", options.build / "tree"
    must([sys.executable, HERE / "library" / "make_library.py", library])
    other = [f"-DMANA_MPICC_{family.name}=OFF" for family in (ROOT / "mpis").iterdir() if family.is_dir()]
    index = options.build / "index"
    launcher = f"{sys.executable};{HERE / 'reuse.py'};{index}" + (f";{options.launcher}" if options.launcher else "")
    must(["cmake", "-S", ROOT, "-B", tree, "-G", "Ninja", f"-DMANA_EXTRA_FAMILIES={HERE / 'toy'}", *other,
          f"-DMANA_MPICC_toy={library / 'mpicc.toy'}", f"-DCMAKE_CXX_COMPILER={options.compiler}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
          f"-DCMAKE_CXX_FLAGS_RELWITHDEBINFO={options.flags}", "-DMANA_TESTS=OFF", "-DMANA_BUILD_DECLARED=OFF",
          f"-DCMAKE_UNITY_BUILD={options.unity}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"],
         limit=300)
    reuse.write_index(index, options.built, tree)
    must(["cmake", "--build", tree, "--target", "mana_command", "mana-lower-toy", "mana-toy"], limit=3000)
    print(f"{len((index / reuse.TAKEN).read_text().splitlines())} objects taken")
    must([library / "mpicc.toy", HERE / "library" / "program.c", "-o", options.build / "program"])
    return tree / "bin" / "mana", options.build / "program"


def expect(name, holds, text):
    if not holds:
        raise Failed(f"{name}:\n{text}")
    print(name, flush=True)


def save_and_restart(mana, program, folder):
    with open(folder / "log", "w", encoding="utf-8") as log:
        job = subprocess.Popen([mana, "run", "--ckpt-dir", "ckpt", program, "20"], cwd=folder, stdout=log, stderr=log)
        try:
            while "begun" not in (folder / "log").read_text() and job.poll() is None:
                time.sleep(0.05)                                    # until the program has written
            text = must([mana, "checkpoint", "--ckpt-dir", "ckpt"], cwd=folder)
        finally:
            job.kill()
            job.wait()
    expect("saved", (folder / "ckpt").exists(), text)
    text = must([mana, "restart", "ckpt"], cwd=folder)
    expect("restarted", "rank 0 of 1, sum 200" in text, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--built", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--launcher", default="")
    parser.add_argument("--flags", default="-O1 -DNDEBUG")
    parser.add_argument("--unity", default="0", help="as --built was: objects of several files each")
    options = parser.parse_args()
    options.build, options.built = options.build.resolve(), options.built.resolve()
    mana, program = build(options)
    folder = options.build / f"run-{os.getpid()}"
    folder.mkdir()
    native = must([program])
    text = must([mana, "run", program], cwd=folder)
    expect("one rank runs", native in text, text)
    text = must([mana, "doctor", program], cwd=folder)
    expect("the doctor knows it", re.search(r"Toy MPI 1\.0", text), text)
    status, text = done([mana, "run", "--mpi", "lam", program], cwd=folder)
    expect("its name is among those to choose from", status != 0 and re.search(r"it has (.*, )?toy\b", text), text)
    save_and_restart(mana, program, folder)


try:
    main()
except Failed as failure:
    sys.exit(f"FAILED {failure}")
