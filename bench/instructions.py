"""Counts the instructions of calls in the wrapper, and what the clock adds to a collective, from callgrind. Needs
valgrind; nothing is timed.

    python3 bench/instructions.py --build build [--mpi mpich] [--call Recv] [--at-most Allreduce=200]

The wrapper library runs over a lower half that does nothing (bench/many_calls.cpp): valgrind does not run the loader,
and the wrappers see no difference. A count is the difference between 2N calls and N calls, over N. With --at-most the
exit status is 1 where a call takes more instructions.

The clock's share is the difference to the same library without the line that starts a collective (bench/CMakeLists.txt).
That library takes as long to build as the other. It is built on demand, and counted where it is:

    cmake --build build --target bench_many_calls_openmpi bench_without_clock_openmpi
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
COLLECTIVE = ("Allreduce", "Bcast")
NAMES = (*COLLECTIVE, "Send", "Recv", "Irecv+Waitall", "Comm_rank")      # Irecv+Waitall: of two
CALLS = 2000


def totals(program, library, name, calls, directory):
    """({event: number} of the whole run, collectives that the clock counted)"""
    out = directory / "callgrind"
    words = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes", f"--callgrind-out-file={out}",
             str(program), str(library), name, str(calls)]
    done = subprocess.run(words, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    text = out.read_text()
    events, numbers = (re.search(rf"^{name}: (.*)$", text, re.M)[1].split() for name in ("events", "totals"))
    return dict(zip(events, map(int, numbers))), int(done.stdout)


def per_call(program, library, name, counts, directory):
    """{event: number} of one call. counts: whether the clock is to count each"""
    once, twice = (totals(program, library, name, n, directory) for n in (CALLS, 2 * CALLS))
    for calls, (_, counted) in ((CALLS, once), (2 * CALLS, twice)):
        if counted != (calls if counts else 0):
            sys.exit(f"{library}: the clock counted {counted} of {calls} calls of {name}")
    return {event: round((twice[0][event] - once[0][event]) / CALLS, 2) for event in EVENTS}


def row(name, numbers):
    print(f"| {name} | " + " | ".join(f"{numbers[e]:g}" for e in EVENTS) + " |", flush=True)


def limits(words):
    """{call: instructions}"""
    found = {}
    for word in words:
        name, _, number = word.partition("=")
        if name not in NAMES or not number.isdigit():
            sys.exit(f"instructions: --at-most {word}: not CALL=NUMBER with a call of {', '.join(NAMES)}")
        found[name] = int(number)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree")
    parser.add_argument("--mpi", action="append", choices=FAMILIES, help="(default: all that were built)")
    parser.add_argument("--call", action="append", choices=NAMES, help="(default: those of --at-most, or all)")
    parser.add_argument("--at-most", action="append", default=[], metavar="CALL=NUMBER", help="instructions that the wrapper may take")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("instructions: there is no valgrind (scripts/install-deps installs it)")
    most = limits(options.at_most)
    bench = options.build.resolve() / "bench"
    mpis = options.mpi or [m for m in FAMILIES if (bench / f"many_calls_{m}").exists()]
    if not mpis:
        sys.exit(f"instructions: {bench} has no programs many_calls_<mpi>")
    too_many = []
    print("| call | " + " | ".join(EVENTS.values()) + " |\n" + "|---" * (1 + len(EVENTS)) + "|")
    with tempfile.TemporaryDirectory() as directory:
        for mpi in mpis:
            program, library = bench / f"many_calls_{mpi}", options.build.resolve() / f"lib/mana/libmana-{mpi}.so"
            without = bench / f"libwithout_clock_{mpi}.so"
            for name in options.call or most or NAMES:
                numbers = per_call(program, library, name, name in COLLECTIVE, pathlib.Path(directory))
                row(f"{mpi}: {name}", numbers)
                if name in COLLECTIVE and without.exists():
                    others = per_call(program, without, name, False, pathlib.Path(directory))
                    row("without the clock", others)
                    row("**the clock**", {e: numbers[e] - others[e] for e in EVENTS})
                if numbers["Ir"] > most.get(name, numbers["Ir"]):
                    too_many.append(f"{mpi}: {name} takes {numbers['Ir']:g} instructions in the wrapper, more than {most[name]}")
    if too_many:
        sys.exit("instructions: " + "; ".join(too_many))


if __name__ == "__main__":
    main()
