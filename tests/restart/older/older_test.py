"""Which checkpoint a restart takes: the newest that is as it was written, the same on all ranks, and none that failed before.

INV-37: whatever is wrong with the newest one, on one rank alone too, all ranks restart the older one together, and the program's
output ends as without.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from workplace import LIMIT_S, main  # noqa: E402

RANKS = 2
STEPS = ("60", "5")
PAGE = 4096


class Cases:
    def __init__(self, place):
        self.place, self.check, self.directory = place, place.check, place.directory
        self.program = (place.program("memory_calls", "restart/modes"), *STEPS)

    def make(self):
        """Three checkpoints of one job, the last of which stops it. Returns the checksum that it would have ended with."""
        native, _ = self.place.result(*self.program)
        job = self.place.run(*self.program, options=("--keep", "all", "--compress", "none"), ckpt="c")
        for _ in range(2):
            self.place.checkpoint(ckpt="c")
        self.place.stop(job, ckpt="c")
        return native

    def copy(self):
        """Of the three."""
        copy = self.directory / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.directory / "c", copy)
        return copy

    def restart(self, *words, **environment):
        done = self.place.ended(self.place.command, "restart", *words, **environment)
        return done.status, done.output + done.errors

    def case(self, name, change, *expected):
        """In a copy of the three: all of expected are in what is said, and the program ends as it should."""
        change(self.copy())
        status, text = self.restart("copy", "--interval", "1000")
        self.check(name, status == 0 and all(words in text for words in (self.checksum, *expected)), f"status {status}: {text}")

    def run(self):
        self.checksum = self.make()

        def cut(copy):
            image = copy / "gen-000003" / "rank-00001.mana"
            image.write_bytes(image.read_bytes()[:-100])

        def exchange(copy):
            one, other = (copy / "gen-000003" / f"rank-0000{rank}.mana" for rank in range(2))
            content = one.read_bytes(), other.read_bytes()
            one.write_bytes(content[1])
            other.write_bytes(content[0])

        def mix(copy):
            shutil.copy(copy / "gen-000002" / "rank-00000.mana", copy / "gen-000003")

        def spoil_manifests(copy):
            (copy / "gen-000003" / "manifest.json").write_text("[" * 100_000)
            (copy / "gen-000002" / "rank-00000.mana").unlink()

        def plant(copy):
            image = copy / "gen-000003" / "rank-00001.mana"
            image.rename(copy / "aside")
            image.symlink_to(copy / "aside")

        newest = "copy/gen-000003/"
        older = "copy/gen-000002 instead"
        self.case("nothing is wrong", lambda copy: None)
        self.case("a cut image", cut, "checkpoint 3 is skipped: rank 1: ",
                   newest + "rank-00001.mana: the image has ", older)
        self.check("the newer one is marked", (self.directory / "copy" / "gen-000003" / "failed").is_file(), "no file failed")
        self.case("exchanged images", exchange, "rank 0: ", newest + "rank-00000.mana: ", older)
        self.case("files of two checkpoints", mix, newest + "rank-00000.mana: ", older)
        self.case("a manifest and an image", spoil_manifests, newest + "manifest.json: the manifest is damaged: it nests too deep",
                  "checkpoint 2 is skipped: rank 0: ",
                  "rank-00000.mana: the image of rank 0 is missing", "copy/gen-000001 instead")
        self.case("a planted link", plant, newest + "rank-00001.mana: it is a symbolic link", older)
        self.check("which is not marked", not (self.directory / "copy" / "gen-000003" / "failed").exists(), "a file failed")
        self.found_late("later restarts skip this checkpoint")
        self.found_late("was restarted with --lazy", "--lazy")
        self.unchecked()
        self.died_unchecked()

    def spoil(self, generation, rank):
        """In the middle of the program's data: pieces of less than 64 KiB are read at once by a lazy restart, too."""
        which = [str(generation), "--rank", str(rank)]
        regions = json.loads(self.place.mana("inspect", *which, "--regions", "--json"))["images"][0]["regions"]
        data = max((r for r in regions if r["kind"] == "anonymous"), key=lambda r: r["stored_bytes"])
        begin = data["begin"] + data["stored_bytes"] // 2 // PAGE * PAGE
        page = self.directory / "page"
        page.unlink(missing_ok=True)
        self.place.mana("extract", *which, "--range", f"{begin:#x}-{begin + PAGE:#x}", "-o", str(page))
        image = generation / f"rank-{rank:05}.mana"
        content = bytearray(image.read_bytes())
        content[content.rindex(page.read_bytes())] ^= 4
        image.write_bytes(content)

    def found_late(self, said, *how):
        """Damage that only reading the memory shows ends the first restart, or the job; the next one takes an older checkpoint."""
        self.spoil(self.copy() / "gen-000003", 1)
        # Where a rank ends a job that is in MPI, MPICH's mpirun tells its status, or how it killed another rank (9), or what it noted
        # when it found the rank's PMI socket closed (1): which, is a race among its own steps.
        wanted = (81, 9, 1) if how and self.place.mpi == "mpich" else (81,)
        status, text = self.restart("copy", *how)
        self.check(f"damage in the memory {how}", status in wanted and "rank-00001.mana" in text and said in text, f"{status}: {text}")
        status, text = self.restart("copy", "--interval", "1000", *how)
        self.check("is not met again", status == 0 and self.checksum in text and
                   "a restart from it failed: " in text and
                   "copy/gen-000002 instead" in text, f"{status}: {text}")
        status, text = self.restart("copy/gen-000003", *how)
        self.check("unless it is named", status in wanted and "rank-00001.mana" in text, f"{status}: {text}")

    def unchecked(self):
        """INV-41: on the nodes too there is no image of a rank whose memory was not found to be right. Rank 1's is held unread."""
        copy, node, pipe = self.copy(), self.directory / "node", self.directory / "pipe"
        self.spoil(copy / "gen-000003", 1)
        for fifo in (pipe, pathlib.Path(f"{pipe}.go")):
            os.mkfifo(fifo)
        reader = os.open(pipe, os.O_RDWR)
        how = ["--lazy", "--local", str(node)]
        job = self.place.restart(*how, ckpt="copy", MANA_FAULT="lazy_check@1=wait", MANA_FAULT_PIPE=str(pipe))
        os.read(reader, 100)
        job.wait_until_up(copy)
        asking = subprocess.Popen([self.place.command, "checkpoint", "--ckpt-dir", str(copy), "--wait", "local"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        sidecars = [f"*/gen-000004/rank-0000{rank}.json" for rank in range(RANKS)]
        others = await_files(node, sidecars[0], LIMIT_S)
        # Nothing tells that a rank waits: it has this long to go on wrongly.
        own = await_files(node, sidecars[1], 1)
        self.check("an image of memory that was not read", others and not own, f"{others}, {own}")
        os.close(os.open(f"{pipe}.go", os.O_WRONLY))
        job.process.wait(LIMIT_S)
        self.check("who waits for the nodes", asking.wait(LIMIT_S) != 0, "has an answer")
        os.close(reader)
        status, text = self.restart("copy", "--interval", "1000", *how)
        self.check("what was saved of damaged memory", status == 0 and self.checksum in text and "copy/gen-000002 instead" in text,
                   f"{status}: {text}")

    def died_unchecked(self):
        """A rank that dies before its memory was read has found nothing wrong: the same checkpoint is taken again."""
        self.copy()
        died, _ = self.restart("copy", "--lazy", MANA_FAULT="lazy_check@1")
        status, text = self.restart("copy", "--interval", "1000", "--lazy")
        self.check("a rank that died before its memory was read", died != 0 and status == 0 and self.checksum in text and
                   "instead" not in text, f"{died}, {status}: {text}")


def await_files(directory, pattern, seconds):
    """Those that are there as soon as there is one, or after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (found := list(directory.glob(pattern))) and time.monotonic() < deadline:
        time.sleep(0.005)
    return found


if __name__ == "__main__":
    sys.exit(main(__doc__, "older", lambda place, _: Cases(place).run(), ranks=RANKS))
