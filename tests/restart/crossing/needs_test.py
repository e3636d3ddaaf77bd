"""What an image needs of a live MPI: a restart names what is missing, with status 83, and restarts where nothing is.

The program needing was built with the MPI of --mpi, over which it is saved.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from crossing_test import over  # noqa: E402
from known_mpis import FAMILIES  # noqa: E402
from workplace import main  # noqa: E402

DIFFERS = 83
TOLD = 1048575                # by default
BOUND = {"mpich": 268435455, "openmpi": 2147483647}
RARE = {"mpich": "MPIX_C_FLOAT16", "openmpi": "MPI_LOGICAL1"}     # that the other lacks
LARGE_COUNTS = {"mpich"}


def checksums(text):
    return re.findall(r"checksum \w+", text)


def saved(place, *words, options=()):
    """out: the lines of a job that was killed behind its checkpoint, and the needs in its first image"""
    job = place.run(*words, options=options)
    said = "".join(job.until("step "))
    place.checkpoint()
    job.killed()
    shown = json.loads(place.mana("inspect", place.ckpt / "gen-000001" / "rank-00000.mana", "--json"))
    return said, shown["images"][0]["needs"]


def restarts(place, to, expected):
    ended = over(place, to).ended(place.command, "restart", place.ckpt)
    place.check(f"a restart over {to}", ended.status == 0 and checksums(ended.output) == expected, ended)


def is_refused(place, to, *words):
    ended = over(place, to).ended(place.command, "restart", place.ckpt)
    named = all(word in ended.errors for word in (*words, "restart over another MPI"))
    place.check(f"a restart over {to} is refused, with {words[0]}", ended.status == DIFFERS and named, ended)
    place.check("by one rank, in one message", ended.errors.count("mana: error:") == 1, ended.errors)


def tags(place, program, other):
    said, needs = saved(place, program, "tags")
    place.check("the program is told the portable bound", f"told {TOLD}" in said, said)
    place.expect("it needs that", needs["told tag bound"], TOLD)
    highest = min(BOUND[place.mpi], BOUND["openmpi"])
    said, needs = saved(place, program, "tags", options=["--tag-ub", str(BOUND["openmpi"])])
    place.check("it is told more on request, but no more than the MPI has", f"told {highest}" in said, said)
    if highest > BOUND[other]:
        is_refused(place, other, f"tags up to {highest} (MPI_TAG_UB)", f"tags up to {BOUND[other]} here",
                   f"--tag-ub {BOUND[other]}")
    else:
        restarts(place, other, place.expected)
    needs = saved(place, program, "unasked", options=["--tag-ub", str(BOUND["openmpi"])])[1]
    place.expect("a program that has not asked needs nothing", needs["told tag bound"], 0)
    restarts(place, other, place.expected)


def requests(place, program, other):
    tag = min(BOUND[place.mpi], BOUND["openmpi"])
    place.expect("the tag of a pending receive", saved(place, program, "request", tag)[1]["largest tag"], tag)
    if tag > BOUND[other]:
        is_refused(place, other, f"an operation under way has the tag {tag}")
    else:
        restarts(place, other, place.expected)


def datatypes(place, program, other):
    rare = RARE[place.mpi]
    needs = saved(place, program, "datatype")[1]
    place.expect("the predefined datatype of another", [row["name"] for row in needs["predefined"]], [rare])
    is_refused(place, other, f"a datatype of the program is made of {rare}")
    restarts(place, place.mpi, place.expected)


def counts(place, program, other):
    if place.mpi not in LARGE_COUNTS or other in LARGE_COUNTS:
        return
    place.expect("large counts", saved(place, program, "counts")[1]["large counts"], True)
    is_refused(place, other, "counts that no int holds")


def tell(place, options):
    place.expected = checksums("".join(place.start(options.program, "unasked").end()))
    for other in FAMILIES:
        if other != place.mpi:
            for story in (tags, requests, datatypes, counts):
                story(place, options.program, other)


if __name__ == "__main__":
    sys.exit(main(__doc__, "needs", tell, program="needing, built with the MPI of --mpi"))
