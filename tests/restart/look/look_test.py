"""Two checkpoints of a real job, the second of what changed, as mana list, inspect, verify, diff and extract show them."""
import json
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from workplace import main  # noqa: E402

RANKS = 2
PARAMETERS = "rows = 200\ncols = 200\nsteps = 100000000\nreport = 1000\noutput = heat2d.out\n"
FUNCTIONS_OF_HEAT2D = ("solve", "main")
OK, DIFFER, USAGE, NO_CHECKPOINT, DAMAGED = 0, 1, 64, 80, 81
# A command's JSON has these members, and others.
WAY = re.compile(r"changes since 1 \((page tables|soft-dirty bits|sums)\b")
PHASES = {"agree", "park", "drain", "write", "sync", "commit", "pause", "total"}
WRITER = (16 << 20, 64 << 20)
CHECKPOINT = {"directory", "generation", "complete", "sound", "state", "unix_time_s", "mpi", "mpi_version", "program", "ranks",
              "file_bytes", "mode", "builds_on", "images", "warnings"}
IMAGE = {"path", "rank", "ranks", "format", "file_bytes", "mpi", "mpi_version", "program", "arguments", "directory", "cpu",
         "mode", "packed_by", "memory", "total", "threads", "descriptors", "builds_on", "sections", "problems"}
HOLDINGS = {"communicators": 3, "groups": 2, "datatypes": 4, "operations": 1, "error handlers": 1, "infos": 2, "requests": 1,
            "matched messages": 0, "sessions": 0}
INBOX = (5, 5 * 800)
AMOUNT = {"regions", "mapped_bytes", "kept_bytes", "zero_bytes", "elsewhere_bytes", "stored_bytes", "ratio"}
DIFFERENCE = {"rank", "first", "second", "equal", "compared_bytes", "read_bytes", "differing_bytes", "sections", "regions"}


class Look:
    def __init__(self, place, options):
        self.place, self.program, self.holder = place, options.program, options.holder
        self.mana, self.directory = place.command, place.directory
        (self.directory / "heat2d.par").write_text(PARAMETERS)

    def make(self):
        """Generations 1 and 2."""
        job = self.place.run(self.program, "heat2d.par", options=("--incremental", "--compress", "zstd:1", "--pack-threads", "2"))
        job.until("step 1000 ")                    # from then on it is in solve()
        self.place.checkpoint()
        status = self.json("status", "--ckpt-dir", "ckpt")
        self.require(status["schema"] == 1 and status["ranks"] == RANKS, "status", status)
        self.place.stop(job)

    def run(self, *words, status=OK):
        done = self.place.ended(self.mana, *words, ranks=0)
        self.require(done.status == status, f"{words} ended with {done.status} instead of {status}", done.output + done.errors)
        return done.output + done.errors

    def json(self, *words, status=OK):
        return json.loads(self.run(*words, "--json", status=status))

    def require(self, holds, what, said):
        if not holds:
            self.place.check(what, False, said)

    def list(self):
        text = self.run("list", "ckpt").splitlines()
        self.require(len(text) == 3 and "builds on 1" in text[2] and "whole" in text[1], "list", text)
        self.require("zstd:1 by 2 threads" in text[1], "mode", text)
        self.require(WAY.search(text[2]), "how changes are found", text)
        document = self.json("list", "ckpt")
        first, second = document["checkpoints"]
        self.require(document["schema"] == 1 and set(first) >= CHECKPOINT and first["generation"] == 1 and
                     second["builds_on"] == [1] and second["state"] == "complete" and second["ranks"] == RANKS, "list --json",
                     document)
        for checkpoint in document["checkpoints"]:
            self.costs(checkpoint)
        self.require(len(self.run("list", "ckpt/gen-000002").splitlines()) == 2, "list of one", "")

    def costs(self, checkpoint):
        """What the interval between checkpoints is chosen by, and what a writer takes."""
        took = checkpoint["phases_s"]
        self.require(set(took) == PHASES and all(0 <= took[p] <= took["total"] for p in PHASES), "phases", took)
        self.require(all(took[p] > 0 for p in ("agree", "write", "sync", "commit", "pause")), "phases", took)
        self.require(took["sync"] <= took["write"] <= took["pause"], "phases", took)
        self.require(time.time() - 3600 < checkpoint["unix_time_s"] <= time.time() + 1, "time", checkpoint)
        for image in checkpoint["images"]:
            self.require(0 < image["write_s"] <= took["write"] and WRITER[0] <= image["writer_bytes"] <= WRITER[1], "writer", image)

    def inspect(self):
        text = self.run("inspect", "ckpt")
        self.require(WAY.search(text), "how changes are found", text)
        for words in ("rank       0 of 2", "rank       1 of 2", "changes since 1", "checkpoint 1: ", "initial thread", "heap",
                      "libc.so.6", self.program, "standard output"):
            self.require(words in text, f"inspect says nothing of {words!r}", text)
        document = self.json("inspect", "ckpt", "--rank", "1", "--regions")
        image = document["images"][0]
        self.require(document["schema"] == 1 and len(document["images"]) == 1 and set(image) >= IMAGE, "inspect --json", image)
        self.amounts(image)
        threads, descriptors = image["threads"], image["descriptors"]
        self.require([t["main"] for t in threads].count(True) == 1 and threads[0]["function"][:4] in ("", "MPI_"), "threads", threads)
        self.require([d["fd"] for d in descriptors][:3] == [0, 1, 2], "descriptors", descriptors)
        self.require(image["builds_on"][0]["generation"] == 1 and image["builds_on"][0]["memory_bytes"] > 0, "builds on", image)
        self.require(image["problems"] == [] and {"run", "descriptors", "saving"} <= set(image["sections"]), "sections", image)
        self.run("inspect", "ckpt", "--rank", "2", status=NO_CHECKPOINT)
        self.run("inspect", "nowhere", status=NO_CHECKPOINT)

    def amounts(self, image):
        """Sums over kinds are those over regions, and what the manifest says."""
        kinds = {group["kind"] for group in image["memory"]}
        self.require({"program", "library", "heap", "stack", "anonymous", "of mana"} <= kinds, "kinds of memory", kinds)
        for member in ("mapped_bytes", "kept_bytes", "stored_bytes", "elsewhere_bytes"):
            sums = [sum(part[member] for part in image[of]) for of in ("memory", "regions")]
            self.require(set(sums) == {image["total"][member]}, f"{member}: {sums}", image["total"])
        self.require(set(image["total"]) == AMOUNT and image["total"]["stored_bytes"] < image["file_bytes"], "total", image["total"])
        saved = self.json("list", "ckpt")["checkpoints"][1]["images"][1]
        self.require(saved["memory_bytes"] == image["total"]["kept_bytes"], "memory that is kept", saved)

    def verify(self):
        text = self.run("verify", "ckpt", "--progress")
        self.require(text.count(" ok\n") == 2 * RANKS, "verify", text)
        self.require(len(self.json("verify", "ckpt", "--generation", "2")["checkpoints"]) == 1, "verify of one", "")
        damaged = self.directory / "damaged"
        shutil.copytree(self.directory / "ckpt", damaged)
        image = damaged / "gen-000001" / "rank-00001.mana"
        content = bytearray(image.read_bytes())
        content[4096 + 77] ^= 4
        image.write_bytes(content)
        document = self.json("verify", "damaged", status=DAMAGED)
        states = [(c["state"], [("problem" in i) for i in c["images"]]) for c in document["checkpoints"]]
        self.require(states[0] == ("damaged", [False, True]), "verify of damage", states)
        self.require("rank-00001.mana" in self.run("verify", "damaged", status=DAMAGED), "verify names the file", "")
        self.run("verify", "ckpt", "--generation", "9", status=NO_CHECKPOINT)

    def diff(self):
        one, two = "ckpt/gen-000001", "ckpt/gen-000002"
        self.require("rank 1: no difference" in self.run("diff", one, one, "--progress"), "diff of equal ones", "")
        document = self.json("diff", one, two, status=DIFFER)
        self.require(document["schema"] == 1 and len(document["images"]) == RANKS and not document["equal"], "diff", document)
        for image in document["images"]:
            self.require(set(image) == DIFFERENCE and 0 < image["differing_bytes"] < image["compared_bytes"] and
                         sum(r["differing_bytes"] for r in image["regions"]) == image["differing_bytes"], "diff", image)
            changed = {r["kind"] for r in image["regions"]}
            self.require("anonymous" in changed, "the grid has changed", changed)
        text = self.run("diff", one, two, "--rank", "0", "--pages", status=DIFFER)
        self.require(text.startswith("rank 0: ") and "rank 1" not in text and "    0x" in text, "diff --pages", text)
        ranks = self.json("diff", f"{one}/rank-00000.mana", f"{one}/rank-00001.mana", status=DIFFER)
        self.require(len(ranks["images"]) == 1, "diff of two ranks' images", ranks)

    def extract(self):
        of = ("extract", "ckpt", "--rank", "0")
        self.run(*of, "--section", "run", "-o", "run")
        content = (self.directory / "run").read_bytes()
        self.require(content.startswith(b"MANARUN") and self.program.encode() in content, "the section run", content)
        self.require(stat.S_IMODE((self.directory / "run").stat().st_mode) == 0o600, "mode of what was extracted", "")
        self.run(*of, "--section", "run", "-o", "run", status=USAGE)
        self.run("extract", "ckpt", "--section", "run", "-o", "other", status=USAGE)          # which rank?
        regions = self.json("inspect", "ckpt", "--rank", "0", "--regions")["images"][0]["regions"]
        program = next(r for r in regions if r["kind"] == "program")
        made = self.json(*of, "--range", f"{program['begin']:#x}-{program['end']:x}", "-o", "memory")
        headers = (self.directory / "memory").read_bytes()
        self.require(headers[:4] == b"\x7fELF" and len(headers) == program["end"] - program["begin"] and
                     made["schema"] == 1 and made["files"][0]["bytes"] == len(headers), "memory of the program", made)
        self.run(*of, "--range", "0x10-0x20", "-o", "nothing", status=USAGE)
        self.run(*of, "--all", "-o", "parts")
        parts = list((self.directory / "parts").iterdir())
        self.require(len(parts) >= len(regions) and all(p.is_file() for p in parts), "all parts", parts)
        shutil.rmtree(self.directory / "parts")

    def core(self):
        """gdb shows where the program is, as if it had died there."""
        self.run("extract", "ckpt", "--rank", "1", "--core", "-o", "core", "--progress")
        if shutil.which("gdb") is None:
            print("gdb is not installed: no backtrace")
            return
        for words in (["gdb", "-q", "-batch", "-ex", "bt", self.program, "core"],
                      [self.mana, "gdb", "--core", "core", "-q", "-batch", "-ex", "bt"]):
            done = subprocess.run(words, cwd=self.directory, capture_output=True, text=True, errors="replace", timeout=240,
                                  stdin=subprocess.DEVNULL, check=False)
            frames = [line for line in done.stdout.splitlines() if line.startswith("#")]
            for name in FUNCTIONS_OF_HEAT2D:      # whether a checkpoint found it in MPI or in its own loops
                self.require(any(f" {name}" in line for line in frames), f"{words[:2]}: no {name}", done.stdout + done.stderr)

    def holdings(self):
        """Numbers of MPI objects that holdings.c has; the messages that rank 1 does not receive are in its inbox."""
        job = self.place.run(self.holder, up=False, ckpt="held")
        job.until("held")
        self.place.stop(job, ckpt="held")
        for image in self.json("inspect", "held")["images"]:
            holds = image["mpi_objects"]
            wrong = {name: holds.get(name) for name, number in HOLDINGS.items() if holds.get(name) != number}
            inbox = (holds["messages in the inbox"], holds["bytes in the inbox"])
            self.require(not wrong and inbox == (INBOX if image["rank"] == 1 else (0, 0)), "holdings", holds)
        self.require("messages in the inbox" in self.run("inspect", "held", "--rank", "1"), "inspect names the inbox", "")

    def all(self):
        self.make()
        for part in (self.holdings, self.list, self.inspect, self.verify, self.diff, self.extract, self.core):
            part()
            print(f"{part.__name__}: looked at, {self.place.failures} wrong so far", flush=True)


if __name__ == "__main__":
    sys.exit(main(__doc__, "look", lambda place, options: Look(place, options).all(), ranks=RANKS, program="heat2d",
                  holder="holdings.c"))
