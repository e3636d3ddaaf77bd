"""What mana adds to the programs of real_program.py: native and under mana in turn, medians, as rows of a table.

A program that is not installed is left out. The times hold for the whole of mpirun, start and end included.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "scripts" / "support")]
from mana_job import mpirun  # noqa: E402
from real_program import BOTH, PROGRAMS, input_files, scratch_of, words_of  # noqa: E402


def seconds(real, words, mpi, files, directory):
    """One run in a directory that holds nothing but the inputs."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for file in files:
        shutil.copy(file, directory)
    begin = time.monotonic()
    with (directory / "output").open("wb") as output:
        done = subprocess.run([*mpirun(mpi, real.ranks), *words], cwd=directory, stdout=output, stderr=output,
                              stdin=subprocess.DEVNULL, env={**os.environ, **real.environment}, check=False)
    took = time.monotonic() - begin
    good = {int(status) for word, status in zip(real.options, real.options[1:]) if word == "--status"} or {0}
    if done.returncode not in good:
        raise SystemExit(f"{' '.join(words)}: status {done.returncode}, see {directory / 'output'}")
    return took


def row(build, name, mpi, rounds):
    real = PROGRAMS[name]
    scratch = scratch_of(build, name, mpi)
    command, files = words_of(real, scratch, mpi), input_files(real, scratch, mpi)
    directory = build.resolve() / "real-overhead" / f"{name}-{mpi}"
    mana = [str(build.resolve() / "bin" / "mana"), "run", "--ckpt-dir", "ckpt", "--"]
    native, under = [], []
    for _ in range(rounds):
        native.append(seconds(real, command, mpi, files, directory))
        under.append(seconds(real, [*mana, *command], mpi, files, directory))
    middle, above = statistics.median(native), statistics.median(under)
    spread = (max(native) - min(native)) / middle
    cells = [name, mpi, real.ranks, f"{middle:.2f}", f"{above:.2f}", f"{above / middle:.2f}", f"{100 * spread:.0f} %"]
    return f"| {' | '.join(map(str, cells))} |"


def installed(name, mpi):
    real = PROGRAMS[name]
    return mpi in real.mpis and pathlib.Path((real.needs or real.command[0]).format(mpi=mpi)).exists()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM[:MPI]", help="default: all")
    options = parser.parse_args()
    print("| program | MPI | ranks | native, s | mana, s | ratio | native runs differ by |")
    print("|---|---|---|---|---|---|---|")
    for word in options.programs or PROGRAMS:
        name, _, only = word.partition(":")
        for mpi in [only] if only else BOTH:
            if installed(name, mpi):
                print(row(options.build, name, mpi, options.rounds), flush=True)


if __name__ == "__main__":
    main()
