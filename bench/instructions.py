"""Counts the instructions of a blocking collective, a 4-byte MPI_Allreduce, in the wrapper, and what the clock adds to
them, from callgrind. Needs valgrind; nothing is timed.

    python3 bench/instructions.py --build build [--mpi mpich] [--at-most 200]

The wrapper library runs over a lower half that does nothing (bench/many_allreduces.cpp): valgrind does not run the
loader, and the wrappers see no difference. A count is the difference between 2N calls and N calls, over N. With
--at-most the exit status is 1 where the wrapper takes more instructions.

The clock's share is the difference to the same library without the line that starts a collective (bench/CMakeLists.txt).
That library takes as long to build as the other. It is built on demand, and counted where it is:

    cmake --build build --target bench_many_allreduces_openmpi bench_without_clock_openmpi
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402

EVENTS = {"Ir": "instructions", "Dr": "reads", "Dw": "writes", "Bc": "conditional branches"}
CALLS = 2000


def totals(program, library, calls, directory):
    """({event: number} of the whole run, collectives that the clock counted)"""
    out = directory / "callgrind"
    words = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes", f"--callgrind-out-file={out}",
             str(program), str(library), str(calls)]
    done = subprocess.run(words, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    text = out.read_text()
    events, numbers = (re.search(rf"^{name}: (.*)$", text, re.M)[1].split() for name in ("events", "totals"))
    return dict(zip(events, map(int, numbers))), int(done.stdout)


def per_call(program, library, counts, directory):
    """{event: number} of one call. counts: whether the clock is to count each"""
    once, twice = (totals(program, library, n, directory) for n in (CALLS, 2 * CALLS))
    for calls, (_, counted) in ((CALLS, once), (2 * CALLS, twice)):
        if counted != (calls if counts else 0):
            sys.exit(f"{library}: the clock counted {counted} of {calls} calls")
    return {event: round((twice[0][event] - once[0][event]) / CALLS, 2) for event in EVENTS}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree")
    parser.add_argument("--mpi", action="append", choices=FAMILIES, help="(default: all that were built)")
    parser.add_argument("--at-most", type=float, help="instructions that the wrapper may take")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("instructions: there is no valgrind (scripts/install-deps installs it)")
    bench = options.build.resolve() / "bench"
    mpis = options.mpi or [m for m in FAMILIES if (bench / f"many_allreduces_{m}").exists()]
    if not mpis:
        sys.exit(f"instructions: {bench} has no programs many_allreduces_<mpi>")
    too_many = False
    print("| MPI_Allreduce of 4 B | " + " | ".join(EVENTS.values()) + " |\n" + "|---" * (1 + len(EVENTS)) + "|")
    with tempfile.TemporaryDirectory() as directory:
        for mpi in mpis:
            program, library = bench / f"many_allreduces_{mpi}", f"lib/mana/libmana-{mpi}.so"
            with_clock = per_call(program, options.build.resolve() / library, True, pathlib.Path(directory))
            rows = {"with the clock": with_clock}
            library = bench / f"libwithout_clock_{mpi}.so"
            if library.exists():
                rows["without"] = per_call(program, library, False, pathlib.Path(directory))
                rows["**the clock**"] = {e: with_clock[e] - rows["without"][e] for e in EVENTS}
            for name, numbers in rows.items():
                print(f"| {mpi}: {name} | " + " | ".join(f"{numbers[e]:g}" for e in EVENTS) + " |")
            too_many |= options.at_most is not None and with_clock["Ir"] > options.at_most
    if too_many:
        sys.exit(f"instructions: the wrapper takes more than {options.at_most:g} instructions")


if __name__ == "__main__":
    main()
