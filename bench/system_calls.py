"""What system calls cost natively, under mana, and under mana after a restart, in turn, in a program without MPI
(docs/performance.md, "System calls"). Prints medians of the rounds and ratios as the page's table.

    python3 bench/system_calls.py --build build/release --out build/system-calls [--rounds 5]
"""
import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts" / "support"))
from mana_job import Failed, Job, mana  # noqa: E402

LONGEST_S = 120


def measured(job):
    """{call: ns} of the lines up to "ready"."""
    found = {}
    while line := job.next_line(LONGEST_S):
        if line.strip() == "ready":
            return found
        if not line.startswith("mana: "):
            name, ns = line.split()
            found[name] = float(ns)
    raise Failed(f"the program ended before it was ready; see {job.log}")


def round_of(program, tool, directory):
    """Three of measured(): native, under mana, restarted."""
    native = subprocess.run([program], text=True, capture_output=True, check=True).stdout.splitlines()
    natively = {name: float(ns) for name, ns in (line.split() for line in native if line != "ready")}
    shutil.rmtree(directory / "ckpt", ignore_errors=True)
    (directory / "stopped").unlink(missing_ok=True)
    job = Job([tool, "run", "--ckpt-dir", "ckpt", "--", program, "stopped"], directory, directory / "log")
    under = measured(job)
    mana(tool, "checkpoint", "--stop", "--ckpt-dir", str(directory / "ckpt"))
    job.wait()
    (directory / "stopped").touch()
    job = Job([tool, "restart", "ckpt"], directory, directory / "log")
    restarted = measured(job)
    job.wait()
    return natively, under, restarted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    build, directory = options.build.resolve(), options.out.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    rounds = [round_of(str(build / "bench" / "system_calls"), str(build / "bin" / "mana"), directory)
              for _ in range(options.rounds)]
    print("| call | native, ns | mana, ns | ratio | restarted, ns | ratio |\n|---|---|---|---|---|---|")
    for name in rounds[0][0]:
        native, under, restarted = (statistics.median(r[way][name] for r in rounds) for way in range(3))
        print(f"| {name} | {native:.0f} | {under:.0f} | {under / native:.2f} | {restarted:.0f} | {restarted / native:.2f} |")


if __name__ == "__main__":
    main()
