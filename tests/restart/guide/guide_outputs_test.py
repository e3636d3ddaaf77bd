"""The outputs that the guide shows are those of real runs: each command of docs/guide and docs/user_guide.md ("$ mana …") is run here with
heat2d, and the lines below it must be among those that it prints, in that order. Numbers, paths and spaces may differ; "…" is anything.
"""
import pathlib
import re
import shutil
import socket
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts" / "support"))
from workplace import main  # noqa: E402

RANKS = 4
PAGES = [*sorted((ROOT / "docs" / "guide").glob("*.md")), ROOT / "docs" / "user_guide.md"]
NOT_RUN = re.compile(r"cd |mpicc ")       # without an output
SAID = re.compile(r"mana: (?:error: )?")
CHANGES = ("--incremental", "--full-every", "3", "--keep", "all")
PARAMETERS = "rows = 1200\ncols = 1200\nsteps = 300\nreport = 20\nalpha = 0.2\noutput = heat2d.out\n"


def shown():
    """(page, command, lines) of each command in the pages; of a message that stands alone the command is empty."""
    for page in PAGES:
        command, lines = None, []
        for line in [*page.read_text().splitlines(), ""]:
            text = line[4:] if line.startswith("    ") else None
            if text is None or text.startswith("$ "):
                if command is not None:
                    yield page.name, command, lines
                command, lines = (text[2:], []) if text else (None, [])
            elif command is not None or SAID.match(text):
                command = command or ""
                lines.append(text)


def general(line):
    """Without what differs from run to run."""
    line = re.sub(r"gen-\d+", "gen-0", re.sub(r"checksum [0-9a-f]+", "checksum 0", line))
    line = re.sub(r"\b(?:[KMG]i)?B\b", "B", line)
    return re.sub(r"\s+", " ", re.sub(r"(?<![\w-])\d[\d.,:e+-]*", "0 ", line)).strip()


def matches(line, said):
    return re.fullmatch(".*".join(map(re.escape, general(line).split("…"))), said)


def stands_in(lines, text):
    """out: the first line that does not, or nothing"""
    said = iter([general(line) for line in text.splitlines()])
    for line in lines:
        if line.strip() not in ("", "…") and not any(matches(line, other) for other in said):
            return line
    return None


class Runs:
    """What each command prints. A command may have several outputs."""

    def __init__(self, place, program):
        self.place, self.ckpt = place, place.directory / "mana-ckpt"
        self.outputs = {}
        shutil.copy(program, place.directory / "heat2d")
        (place.directory / "heat2d.par").write_text(PARAMETERS)

    def keep(self, command, text):
        """Under the names that the pages have for the directory and the node."""
        text = text.replace(str(self.place.directory), "/scratch/heat2d").replace(socket.gethostname(), "node1")
        self.outputs.setdefault(command, []).append(text)
        return text

    def command(self, command):
        done = self.place.ended(self.place.command, *command.split()[1:], ranks=0)
        self.keep(command, done.output + done.errors)

    def first_job(self):
        for command in ("mana --version", "mana help"):
            self.command(command)
        for command in ("mana doctor", "mana doctor ./heat2d"):
            self.command(command)
        job = self.place.start(self.place.command, "run", "./heat2d", "heat2d.par")
        job.wait_until_up(self.ckpt)
        said = job.until("step 20 of")
        for command in ("mana status", "mana checkpoint", "mana status"):
            self.command(command)
        self.keep("mpirun -n 4 mana run ./heat2d heat2d.par", "".join(said + job.killed()))

    def restarts(self):
        for command in ("mana list", "mana list --json", "mana inspect --rank 0"):
            self.command(command)
        done = self.place.ended(self.place.command, "restart", ranks=2)
        self.keep("mpirun -n 2 mana restart", done.output + done.errors)
        self.keep("mpirun -n 4 mana restart mana-ckpt", "".join(self.restart().end()))
        job = self.restart("--compress", "none")
        job.until(" of ")
        self.command("mana checkpoint --stop")
        self.keep("", "".join(job.end()))

    def restart(self, *options):
        (self.ckpt / "job.json").unlink(missing_ok=True)
        return self.place.start(self.place.command, "restart", *options, "mana-ckpt")

    def damage(self):
        """Of the newest checkpoint, in a chunk, so that it shows while memory is read. Chunks are not compressed there: one that
        cannot be unpacked would be another error. Between them there are only zeros."""
        image = sorted(self.ckpt.glob("gen-*/rank-00002.mana"))[-1]
        contents = bytearray(image.read_bytes())
        at = len(contents[:len(contents) // 2].rstrip(b"\0")) - 1
        contents[at] ^= 0xff
        image.write_bytes(contents)
        done = self.place.ended(self.place.command, "restart")
        self.keep("", done.output + done.errors)


    def changes(self):
        """A new job in the same directory, whose checkpoints hold what has changed. It runs until it is killed."""
        shutil.rmtree(self.ckpt)
        (self.place.directory / "long.par").write_text(PARAMETERS.replace("steps = 300\n", "steps = 300000\n"))
        job = self.place.start(self.place.command, "run", *CHANGES, "./heat2d", "long.par")
        job.wait_until_up(self.ckpt)
        job.until("step 20 of")
        for _ in range(5):
            self.place.mana("checkpoint", self.ckpt)
        for command in ("mana list", "mana prune --keep 1 --dry-run"):
            self.command(command)
        job.killed()


def self_test():
    assert stands_in(["step 20 of 300  change 1.05e+00", "…", "a … b 2.5 MiB"], "step 1 of 2 change 3e-07\nx\na 17 b 3 KiB\n") is None
    assert stands_in(["one", "two"], "two\none\n") == "two"


def tell(place, options):
    self_test()
    runs = Runs(place, options.program)
    runs.first_job()
    runs.restarts()
    runs.damage()
    runs.changes()
    compared = 0
    for page, command, lines in shown():
        if NOT_RUN.match(command) or not lines:
            continue
        found = [stands_in(lines, text) for text in runs.outputs.get(command, [])]
        place.check(f"{page}: {command or lines[0]}", None in found,
                    f"there is no line like \"{found[-1]}\" in:\n{runs.outputs[command][-1]}" if found else "it was not run")
        compared += 1
    place.check(f"{compared} outputs", compared >= 12)


sys.exit(main(__doc__, "guide_outputs", tell, ranks=RANKS, program="heat2d"))
