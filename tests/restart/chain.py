"""Nothing grows along a chain of restarts: memory, mappings, descriptors and threads of each rank, and the images.

Prints a line per restart; fails if the last ones have more than the first ones had.
"""
import argparse
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from clock_traces import ClockTraces  # noqa: E402
from mana_job import STEP, Job, descendants, image_bytes, is_rank, mana, mpirun  # noqa: E402


def counts(job):
    """Sums over the ranks: mappings in the window, open descriptors below 512, threads."""
    found = {"mappings": 0, "descriptors": 0, "threads": 0}
    for pid in descendants(job.process.pid):
        process = pathlib.Path(f"/proc/{pid}")
        if not is_rank(pid):
            continue
        begins = [int(line.split("-")[0], 16) for line in (process / "maps").read_text().splitlines()]
        found["mappings"] += sum(0x2000_0000_0000 <= b < 0x5000_0000_0000 for b in begins)
        found["descriptors"] += sum(int(fd.name) < 512 for fd in (process / "fd").iterdir())
        found["threads"] += sum(1 for _ in (process / "task").iterdir())
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--restarts", type=int, default=100)
    options = parser.parse_args()
    build = options.build.resolve()
    directory = build / "restart-runs" / f"chain-{options.mpi}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    command = str(build / "bin" / "mana")
    program = str(build / "tests" / "mpi" / "programs" / f"comms_{options.mpi}")
    launch = mpirun(options.mpi, 2)
    traces = ClockTraces(build, directory)
    options_of_run = ["--ckpt-dir", "ckpt", *traces.options()]
    job = Job([*launch, command, "run", *options_of_run, "--", program, "100000", "1"], directory, directory / "log")
    seen = []
    for i in range(options.restarts + 1):
        for _ in range(3):
            while not STEP.search(job.next_line(60) or "step 0 of 0"):
                pass
        now = counts(job)
        mana(command, "checkpoint", "--ckpt-dir", str(directory / "ckpt"))
        job.kill()
        newest = max((directory / "ckpt").glob("gen-*"))
        now["image_bytes"] = image_bytes(newest)
        seen.append(now)
        if i % 10 == 0:
            print(i, now, flush=True)
        (directory / "ckpt" / "job.json").unlink(missing_ok=True)
        if i < options.restarts:
            job = Job([*launch, command, "restart", "ckpt", *traces.options()], directory, directory / "log")
    traces.check()
    print(traces)
    few = max(2, len(seen) // 5)
    grown = [name for name in seen[0] if min(s[name] for s in seen[-few:]) > 1.02 * max(s[name] for s in seen[:few]) + 2]
    print(f"{options.mpi}: {options.restarts} restarts, " + ("grown: " + ", ".join(grown) if grown else "nothing has grown"))
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
