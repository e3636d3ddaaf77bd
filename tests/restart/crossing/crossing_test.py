"""A program over each live MPI, and restarts from each over each: the lines that count are always those of its native run.

The program was built with the MPI of --mpi. It is saved over one live MPI and restarted over another, each way. --all: also a
run over each without a restart, and restarts over the same MPI.
"""
import copy
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Failed  # noqa: E402
from workplace import main  # noqa: E402


def over(place, live):
    """The same place, where mpirun is that of the live MPI. One count of failures."""
    made = copy.copy(place)
    made.mpi = live
    made.directory = place.directory / live
    made.directory.mkdir(exist_ok=True)
    made.log, made.ckpt = made.directory / "log", made.directory / "ckpt"
    made.check = place.check
    return made


def lines_of(options, said):
    """The lines that count. Ranks print them when they will: a run's are compared without their order."""
    return sorted(line for text in said for line in text.splitlines() if re.search(options.lines, line))


def saved_and_restarted(options, where, to, words):
    """out: all lines of a job that was killed behind a checkpoint, and of its restart over another MPI"""
    job = where.run(*words)
    said = job.until(options.moment)
    where.checkpoint()
    said += job.killed()
    return said + over(to, to.mpi).restart(ckpt=where.ckpt).end()


def tell(place, options):
    for file in options.input:
        for directory in (place.directory, *(over(place, live).directory for live in FAMILIES)):
            shutil.copy(file, directory)
    words = [options.program, *options.arguments]
    expected = lines_of(options, place.start(*words).end())
    if not expected:
        raise Failed(f"no line of the native output matches {options.lines!r}")
    for live in FAMILIES:
        where = over(place, live)
        if options.all:
            place.expect(f"over {live}", lines_of(options, where.run(*words, up=False).end()), expected)
        for next_live in FAMILIES:
            if not options.all and next_live == live:
                continue
            try:
                found = lines_of(options, saved_and_restarted(options, where, over(place, next_live), words))
            except Failed as failed:
                found = str(failed)
            place.expect(f"over {live}, restarted over {next_live}", found, expected)


def add_arguments(parser):
    parser.add_argument("--lines", default="^checksum", help="lines that count (regular expression)")
    parser.add_argument("--moment", default="step ", help="beginning of a line after which the checkpoint is taken")
    parser.add_argument("--input", action="append", default=[], help="a file that the program reads in its directory")
    parser.add_argument("--name", default="crossing")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("arguments", nargs="*")


if __name__ == "__main__":
    sys.exit(main(__doc__, "crossing-{name}", tell, add_arguments, program="built with the MPI of --mpi"))
