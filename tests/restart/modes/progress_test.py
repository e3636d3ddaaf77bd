"""A restart that takes longer than two seconds says how far it is and who is behind, where --progress asks for it; nothing is
said once the program runs, nor by a fast one.

Rank 1 is held where its memory is still empty, until rank 0 has said so.
"""
import os
import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed  # noqa: E402
from workplace import main  # noqa: E402

STEPS = ["120", "10"]
COUNTS = ("step", "checksum")
SAID = "restart:"
LINE = re.compile(r"^restart: memory is read: \d+ % of [\d.]+ [KM]iB, [\d.]+ ([KM]i)?B/s, [\d.]+ (m?s) left; slowest: rank 1, 0 %$")


def require(holds, what, lines):
    if not holds:
        raise Failed(f"{what}:\n" + "".join(lines))


def require_end_of(expected, lines):
    """Returns where the program's lines begin."""
    counted = [line for line in lines if line.startswith(COUNTS)]
    require(counted and counted == expected[-len(counted):], "the output differs", lines)
    return lines.index(counted[0])


def held(place, expected):
    fifo = place.directory / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDWR)
    job = place.restart("--progress", MANA_FAULT="memory_mapped@1=hold", MANA_FAULT_PIPE=str(fifo))
    point, rank, pid = os.read(reader, 200).decode().split()
    require((point, rank) == ("memory_mapped", "1"), "another was held", [point, rank])
    said = job.next_line() or ""
    os.kill(int(pid), signal.SIGCONT)
    lines = job.end()
    require(LINE.match(said.rstrip("\n")), "what is said of a rank that is behind", [said, *lines])
    program = require_end_of(expected, lines)
    require(not any(line.startswith(SAID) for line in lines[program:]), "said while the program runs", lines)


def tell(place, _):
    program = (place.program("stress"), *STEPS)
    expected = [line for line in place.start(*program).end() if line.startswith(COUNTS)]
    job = place.run(*program)
    require(job.next_line(), "no output", [])
    if not job.checkpoint(place.command, place.ckpt):
        raise Failed("the program ended before its checkpoint")
    job.kill()
    held(place, expected)
    lines = place.restart("--progress").end()
    require(not any(line.startswith(SAID) for line in lines), "a fast restart says something", lines)
    require_end_of(expected, lines)


if __name__ == "__main__":
    sys.exit(main(__doc__, "progress", tell))
