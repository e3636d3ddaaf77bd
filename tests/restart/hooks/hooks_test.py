"""The example tools with hooks: each moment of each checkpoint is said once by each rank, in order, also after a restart.

A run is checkpointed twice and goes on; then one is killed after its checkpoint and restarted, checkpointed and ended.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed  # noqa: E402
from workplace import main  # noqa: E402

RANKS = 2
SAID = re.compile(r"^hook: rank (\d+), restarts (\d+): (.*)$")
REPORT = re.compile(r"^checkpoints: (\d+) asked for, (\d+) durable, (\d+) restarts")
DURABLE = ", the checkpoint is durable"
TAKEN = ["a checkpoint was asked for", "all threads stand still", "before the image", "after the image" + DURABLE,
         "the program goes on" + DURABLE]
RESTARTED = ["the program goes on in a new process"]


def start(place, options):
    program, *tools = options.words
    return place.run(program, "150", "10", before=["env", "LD_PRELOAD=" + ":".join(tools)], up=False)


def checkpoint(place, job):
    job.until("step")
    if not job.checkpoint(place.command, place.ckpt):
        raise Failed("the program ended before its checkpoint")


def require(job, restarts, expected, report):
    """What the ranks' hooks said while the job had been restarted so often, and what the tool reports."""
    for rank in range(RANKS):
        found = [match for line in job.said if (match := SAID.match(line)) and int(match[1]) == rank]
        texts = [match[3] for match in found if int(match[2]) == restarts]
        if texts != expected:
            raise Failed(f"rank {rank}, {restarts} restarts: the hooks said\n  " + "\n  ".join(texts))
    found = next(tuple(int(word) for word in match.groups()) for line in job.said if (match := REPORT.match(line)))
    if found != report:
        raise Failed(f"the tool reports {found}")


def tell(place, options):
    job = start(place, options)
    for _ in range(2):
        checkpoint(place, job)
    job.end()
    require(job, 0, 2 * TAKEN, (2, 2, 0))
    job = start(place, options)
    checkpoint(place, job)
    job.killed()
    job = place.restart()
    checkpoint(place, job)
    job.end()
    require(job, 1, RESTARTED + TAKEN, (2, 1, 1))        # the first checkpoint's image knows that it was asked for, no more
    print("each moment was said once, in order")


def arguments(parser):
    parser.add_argument("words", nargs="+", metavar="PROGRAM TOOL", help="a program, and libraries that are preloaded")


if __name__ == "__main__":
    sys.exit(main(__doc__, "hooks", tell, arguments, ranks=RANKS))
