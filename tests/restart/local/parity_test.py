"""Images that were lost with their nodes are made again from parity, at a restart.

As in local_test.py generation 1 is in the directory of checkpoints, and generation 2 on the nodes alone, here with
--redundancy K+M. Whichever M nodes lose their directories, the job goes on from generation 2 as if nothing had been lost,
and what was rebuilt is byte for byte what was written (INV-56); if more are lost, from generation 1.
"""
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from local_test import DAMAGED, LIMIT_S, NEWEST, Cases, add_every  # noqa: E402
from mana_job import Failed  # noqa: E402
from workplace import main  # noqa: E402

# The others have time to hear of the first one's end.
ENDS_LATE = {"OMPI_MCA_odls_base_sigkill_timeout": "1"}
GLOBAL = "copy/ckpt/gen-000001 instead"


class Parity(Cases):
    def __init__(self, place, ranks, scheme, steps, *how):
        nodes = [f"n{rank}" for rank in range(ranks)]
        super().__init__(place.part(scheme), nodes, steps)
        data, self.parity = (int(number) for number in scheme.split("+"))
        self.groups = ranks // (data + self.parity)
        self.native()
        self.how = ("--redundancy", scheme, "--compress", "none", *how)
        self.make(*self.how)

    def files(self, where, node):
        """Of generation 2: name and content, but for sidecars."""
        paths = (self.directory / where / "local" / node).glob("*/gen-000002/*")
        return {path.name: path.read_bytes() for path in paths if path.suffix != ".json"}

    def sidecar(self, where, node, rank):
        path, = (self.directory / where / "local" / node).glob(f"*/gen-000002/rank-{rank:05}.json")
        return json.loads(path.read_text())

    def lose(self, *ranks):
        for rank in ranks:
            shutil.rmtree(self.directory / "copy" / "local" / f"n{rank}")

    def are_as_written(self, name, ranks):
        for rank in ranks:
            there, written = (self.files(where, f"n{rank}") for where in ("copy", "base"))
            self.check(f"{name}: files of rank {rank}", there == written, f"{sorted(there)}, {sorted(written)}")
            there, written = (self.sidecar(where, f"n{rank}", rank) for where in ("copy", "base"))
            differing = {key for key in written if there.get(key) != written[key]} - {"mode", "warnings", "checksum"}
            self.check(f"{name}: sidecar of rank {rank}", not differing, f"{differing}")

    @staticmethod
    def repaired(*ranks):
        return [f"rank {rank} on node n{rank}, rebuilt from parity: image " for rank in ranks]

    def lost(self, *ranks):
        """The directories of these ranks' nodes; and with some, what the directory of checkpoints has."""
        self.copy()
        self.lose(*ranks)
        expected = [NEWEST, *self.repaired(*ranks)]
        if ranks[0] % 2 == 0:
            self.without_checkpoints()
            if "--incremental" in self.how:
                expected += [f"local generation 1: {text}" for text in self.repaired(*ranks)]
        self.case(f"lost: {ranks}", "--verbose", expected=expected, unexpected=("warning",))
        self.are_as_written(f"lost: {ranks}", ranks)

    def lost_too_many(self, *ranks):
        self.copy()
        self.lose(*ranks)
        members = [rank for rank in range(len(self.nodes)) if rank % self.groups == ranks[0] % self.groups]
        what = f"the image of rank {ranks[0]} is on no node, and no parity of it" if members == list(ranks) else \
            f"the images of ranks {', '.join(map(str, ranks))} are on no node"
        said = f"local generation 2 cannot be rebuilt: {what}"
        self.case(f"too many lost: {ranks}", expected=(said, GLOBAL), unexpected=("rebuilt from",))

    def worst_loss(self, lost):
        """Of one group: ranks are dealt out to groups one after another."""
        return max(sum(rank % self.groups == group for rank in lost) for group in range(self.groups))

    def all_losses(self, every):
        """As many as can be lost, and one more, of one group."""
        ranks = range(len(self.nodes))
        some = [lost for lost in itertools.combinations(ranks, self.parity * self.groups)
                if self.worst_loss(lost) <= self.parity]
        more = [lost for lost in itertools.combinations(ranks, self.parity + 1)
                if self.worst_loss(lost) > self.parity and len(lost) < len(ranks)]
        for lost in some if every else some[1:2]:
            self.lost(*lost)
        for lost in more if every else more[-1:]:
            self.lost_too_many(*lost)

    def new(self):
        """An empty directory for another job."""
        new = self.directory / "new"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        return new

    def new_job(self, **environment):
        words = ["--ckpt-dir", str(self.directory / "new" / "ckpt"), *self.how, "--", *self.program]
        return self.job(*self.words(self.nodes, "new", "run", *words), environment=environment, where="new")

    def cannot_be_made(self):
        """A file of parity that cannot be made costs the parity of one checkpoint, and nothing else."""
        ckpt = self.new() / "ckpt"
        job = self.new_job()
        place, = (self.directory / "new" / "local" / "n1").iterdir()
        (place / "gen-000001").mkdir(0o700)
        (place / "gen-000001" / "rank-00001.parity.new").mkdir(0o700)
        parity = []
        for generation in ("gen-000001", "gen-000002"):
            self.ask(where="new")
            groups = [json.loads(path.read_text())["redundancy"]["ranks"] for path in
                      (self.directory / "new" / "local").glob(f"*/*/{generation}/*.json")]
            parity.append(all(groups) if any(groups) else None)
        warnings = "".join(json.loads((ckpt / "gen-000001" / "manifest.json").read_text())["warnings"])
        self.kill(job, "new")
        said = ("rank 1: its file of parity cannot be made: ", "have no parity: rank 1 has no image, or no file of parity")
        self.check("parity that cannot be made", parity == [None, True] and all(text in warnings for text in said),
                   f"{parity}, {warnings}")

    def killed(self, fault="written@1"):
        """A rank dies when its image is durable, and the others are about to compute parity with it: the job ends."""
        self.new()
        job = self.new_job(MANA_FAULT=fault)
        try:
            self.ask(where="new")
            self.check(f"a rank is killed: {fault}", False, "there is a checkpoint")
        except Failed:
            job.process.wait(LIMIT_S)
            sidecars = list((self.directory / "new" / "local").glob("*/*/*/*.json"))
            self.check(f"a rank is killed: {fault}", not sidecars, sidecars)

    def killed_while_encoding(self):
        self.killed("encoding@1")

    def killed_while_rebuilding(self):
        """One that has lost its image, or one that has it. The next restart rebuilds what the others had not finished."""
        for rank in (3, 1):
            self.copy()
            self.lose(0, 3)
            self.died(f"rank {rank} dies while images are rebuilt", f"rebuilding@{rank}")
            self.case(f"rank {rank} had died while images were rebuilt", "--verbose", expected=(NEWEST,))
            self.are_as_written(f"rank {rank} had died while images were rebuilt", (0, 3))

    def first_dies(self, held=0):
        """The coordinator dies with its node when all images are on the nodes, and nobody knows. The others' stay.

        held: this rank, whose image is durable, does not know it yet when it hears of the end.
        """
        new = self.new()
        os.mkfifo(new / "fifo")
        os.mkfifo(new / "fifo.go")          # which nobody opens
        reader = os.open(new / "fifo", os.O_RDWR)
        job = self.new_job(MANA_FAULT=f"on_node@{held}={'wait' if held else 'hold'}", MANA_FAULT_PIPE=str(new / "fifo"), **ENDS_LATE)
        asking = subprocess.Popen([self.place.command, "checkpoint", "--ckpt-dir", str(new / "ckpt")], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        pid = int(os.read(reader, 100).split()[2])
        os.close(reader)
        self.await_images_on_nodes("new", 1)
        os.kill(json.loads((new / "ckpt" / "job.json").read_text())["pid"] if held else pid, signal.SIGKILL)
        job.process.wait(LIMIT_S)
        asking.wait(LIMIT_S)
        pieces, self.pieces = self.pieces, [self.kill(job, "new")]
        shutil.rmtree(self.directory / "copy", ignore_errors=True)
        new.rename(self.directory / "copy")
        self.lose(0)
        self.case(f"the first rank dies, {held} is held", "--verbose", unexpected=("rank 2 on node n2, rebuilt",),
                  expected=("restarting the images on the nodes, generation 1", "rank 0 on node n0, rebuilt from parity: image "))
        self.pieces = pieces

    def first_dies_early(self):
        self.first_dies(held=2)

    # For two lost of four.

    def damaged_and_lost(self):
        """A block of rank 1, the head of rank 2's parity and all of rank 3."""
        self.copy()
        self.spoil("n1", 1)
        parity = self.image("n2", 2).with_suffix(".parity")
        content = bytearray(parity.read_bytes())
        content[20] ^= 1
        parity.write_bytes(content)
        self.lose(3)
        self.case("damaged and lost", expected=(
            "rank 1 on node n1, rebuilt from parity: image 1 of 2 blocks;", *self.repaired(3),
            "rank 2 on node n2, rebuilt from parity: head of the parity file;"))
        self.are_as_written("damaged and lost", (1, 2, 3))

    def moved_and_lost(self):
        """Ranks are on other nodes, where their images and parity come to; rank 3's node is another one, and empty."""
        self.copy()
        self.lose(3)
        self.case("ranks on other nodes", "--verbose", nodes=["n1", "n2", "n0", "n9"],
                  expected=(NEWEST, "rank 3 on node n9, rebuilt from parity: image "),
                  unexpected=("rank 0 on", "rank 1 on"))
        place, = (self.directory / "copy" / "local" / "n9").iterdir()
        there = {path.name: path.read_bytes() for path in (place / "gen-000002").glob("rank-00003.[mp]a*")}
        self.check("ranks on other nodes: files of rank 3", there == self.files("base", "n3"), sorted(there))

    def sidecar_lost(self):
        """Its rank died before it could write it."""
        self.copy()
        self.image("n1", 1).with_suffix(".json").unlink()
        self.case("a sidecar is lost",
                  expected=("rank 1 on node n1, rebuilt from parity: only its sidecar was lost",))
        self.are_as_written("a sidecar is lost", (1,))

    def found_late(self):
        """Damage that only a restart shows is repaired by the next."""
        self.copy()
        self.spoil("n1", 1)
        self.refused("damage in the memory", DAMAGED, expected=("rank-00001.mana: the image is damaged: ",))
        self.case("is repaired", expected=("rank 1 on node n1, rebuilt from parity: image 1 of 2 blocks;",),
                  unexpected=("gen-000001",))
        self.are_as_written("is repaired", (1,))

    def directory_damaged(self):
        """The directory of checkpoints has the same number as the nodes, and a rank's image there is cut off: parity is used."""
        self.copy()
        for generation in (self.directory / "copy" / "local").glob("*/*/gen-000002"):
            shutil.rmtree(generation)
        self.lose(3)
        cut = self.directory / "copy" / "ckpt" / "gen-000001" / "rank-00001.mana"
        cut.write_bytes(cut.read_bytes()[:-1])
        self.case("the directory's is damaged", expected=("checkpoint 1 is skipped: rank 1: ",
                                                         "rank 3 on node n3, rebuilt from parity: ",
                                                          "restarting the images on the nodes, generation 1 instead"))

    def other_parity(self):
        """Files of another checkpoint of the same number are neither used nor written over."""
        self.copy()
        self.lose(3)
        image, other = self.image("n1", 1), self.image("n2", 2)
        foreign = other.with_suffix(".parity").read_bytes()
        image.with_suffix(".parity").write_bytes(foreign)
        self.case("another rank's parity", expected=self.repaired(3))
        self.are_as_written("another rank's parity", (1, 3))


def tell(place, options):
    steps = ("20" if options.mpi == "mpich" else "60", "5")       # MPICH's ranks spin
    two = Parity(place, 4, "2+2", steps, "--incremental")
    two.all_losses(options.every)
    if options.every:
        two.killed()
    others = (two.killed_while_rebuilding, two.killed_while_encoding, two.damaged_and_lost, two.moved_and_lost, two.sidecar_lost,
              two.found_late, two.other_parity, two.first_dies, two.cannot_be_made, two.first_dies_early, two.directory_damaged)
    for take in others if options.every else others[int(options.mpi == "openmpi")::2]:
        take()
    if options.every:
        for ranks, scheme in ((4, "2+1"), (2, "1+1"), (5, "1+1")):
            Parity(place, ranks, scheme, steps).all_losses(True)


if __name__ == "__main__":
    sys.exit(main(__doc__, "parity", tell, add_every))
