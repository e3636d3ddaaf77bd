"""Where the nanoseconds of one call go, native and under mana: perf's samples by part, as a table. Needs perf.

    python3 bench/profile.py --build build --mpi openmpi Bcast 4
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from mana_job import mpi_environment, mpirun  # noqa: E402

PARTS = [("wrappers (upper half)", r"libmana-"), ("services (lower half)", r"mana-lower-"), ("kernel", r"kernel"),
         ("the program", r"calls_"), ("libc and loader", r"libc\.so|ld-linux|vdso"), ("MPI and its libraries", r".")]
TOP = 8      # functions of ours that are named


def profile(options, under_mana, directory):
    """(ns per call, {part: ns}, [(ns, function)] of ours)"""
    program = [str(options.build.resolve() / "bench" / f"calls_{options.mpi}"), options.call, options.bytes]
    words = [str(options.build.resolve() / "bin" / "mana"), "run", "--ckpt-dir", "ckpt", "--"] if under_mana else []
    record = ["sh", "-c", 'exec perf record -q -o "perf.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" "$@"', "sh"]
    output = subprocess.run([*mpirun(options.mpi, 2), *record, *words, *program], cwd=directory, env=mpi_environment(),
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    total = float(re.search(rf"^{re.escape(options.call)} {options.bytes} ([\d.]+)$", output, re.M)[1])
    report = subprocess.run(["perf", "report", "-i", "perf.0", "--stdio", "-s", "dso,sym", "-w", "60,200"], cwd=directory,
                            capture_output=True, text=True, check=True).stdout
    parts, ours = dict.fromkeys((name for name, _ in PARTS), 0.0), []
    for share, dso, symbol in re.findall(r"^ +([\d.]+)% +(\S+) +\[.\] (.*?) *$", report, re.M):
        part = next(name for name, pattern in PARTS if re.search(pattern, dso))
        parts[part] += float(share) / 100 * total
        if part.startswith(("wrappers", "services")):
            ours.append((float(share) / 100 * total, symbol))
    return total, parts, sorted(ours, reverse=True)[:TOP]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    parser.add_argument("call", help="a name that bench/calls.c prints")
    parser.add_argument("bytes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        native, native_parts, _ = profile(options, False, directory)
        ours, our_parts, functions = profile(options, True, directory)
    print(f"| {options.call} {options.bytes}, {options.mpi} | native ns | under mana ns |\n|---|---|---|")
    print(f"| all | {native:.0f} | {ours:.0f} |")
    for part, _ in PARTS:
        print(f"| {part} | {native_parts[part]:.1f} | {our_parts[part]:.1f} |")
    print("\n" + "\n".join(f"{ns:6.1f} ns  {symbol[:110]}" for ns, symbol in functions))


if __name__ == "__main__":
    main()
