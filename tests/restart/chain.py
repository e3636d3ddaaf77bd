"""Nothing grows along a chain of restarts: memory, mappings, descriptors and threads of each rank, and the images.

Prints a line per restart; fails if the last ones have more than the first ones had.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from clock_traces import ClockTraces  # noqa: E402
from mana_job import Failed, descendants, image_bytes, is_rank  # noqa: E402
from workplace import main  # noqa: E402


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


def tell(place, options):
    traces = ClockTraces(place.build, place.directory)
    job = place.run(place.program("comms"), "100000", "1", options=traces.options(), up=False)
    seen = []
    for i in range(options.restarts + 1):
        for _ in range(3):
            job.until("step ")
        now = counts(job)
        place.checkpoint()
        job.kill()
        now["image_bytes"] = image_bytes(max(place.ckpt.glob("gen-*")))
        seen.append(now)
        if i % 10 == 0:
            print(i, now, flush=True)
        if i < options.restarts:
            job = place.restart(*traces.options())
    traces.check()
    print(traces)
    few = max(2, len(seen) // 5)
    grown = [name for name in seen[0] if min(s[name] for s in seen[-few:]) > 1.02 * max(s[name] for s in seen[:few]) + 2]
    if grown:
        raise Failed(f"{options.mpi}: {options.restarts} restarts, grown: {', '.join(grown)}")
    print(f"{options.mpi}: {options.restarts} restarts, nothing has grown")


def arguments(parser):
    parser.add_argument("--restarts", type=int, default=100)


if __name__ == "__main__":
    sys.exit(main(__doc__, "chain", tell, arguments))
