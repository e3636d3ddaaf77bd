"""Restarts from images that lie on the nodes only: a job dies between the two levels, and goes on from the first.

Nodes are simulated: each rank has its own name of a node, and so a directory of its own. Whatever is lost, moved or
damaged, all ranks take the same checkpoint, the newest that is whole somewhere, and the program's output is that of an
undisturbed run.
"""
import json
import os
import pathlib
import re
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from comparison import Comparison  # noqa: E402
from mana_job import ENDS_AT_ONCE, Failed  # noqa: E402
from workplace import LIMIT_S, main  # noqa: E402

MISSING, DAMAGED, OTHER_RANKS = 80, 81, 82
KILLED = 9      # MPICH's mpirun may say how it killed another rank than the one that ended the job
# The rank's node is the word at its place.
ON_NODE = """shift ${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
export MANA_NODE=$1
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""


def on_nodes(nodes):
    return ["sh", "-c", ON_NODE, "sh", *nodes, "--"]


class Cases:
    def __init__(self, place, nodes, steps):
        """A directory of their own in the place for each number of nodes."""
        self.place, self.mpi, self.nodes = place.part(str(len(nodes))), place.mpi, nodes
        self.directory, self.check = self.place.directory, place.check
        self.program = [place.program("stress"), *steps]
        self.output = Comparison(re.compile("^(step|checksum)"))

    def words(self, nodes, copy, *words):
        """Of mana with images on these nodes."""
        local = ["--local", str(self.directory / copy / "local" / "%n")]
        return [*on_nodes(nodes), self.place.command, words[0], *local, *words[1:]]

    def native(self):
        done = self.place.ended(*self.program, ranks=len(self.nodes))
        if done.status != 0:
            raise Failed(f"natively it ends with status {done.status}: {done.errors}")
        self.output.expected = self.output.of(done.output)

    def job(self, *words, environment=None, where="base"):
        job = self.place.start(*words, ranks=len(self.nodes), **(environment or {}))
        job.wait_until_up(self.directory / where / "ckpt")
        return job

    def ask(self, *words, where="base"):
        return self.place.checkpoint(*words, ckpt=f"{where}/ckpt")

    def kill(self, job, where="base"):
        lines = job.killed()
        (self.directory / where / "ckpt" / "job.json").unlink(missing_ok=True)
        return "".join(lines)

    def make(self, *how):
        """base/: generation 1 in the directory of checkpoints and on the nodes; generation 2, what changed, only there."""
        ckpt = str(self.directory / "base" / "ckpt")
        job = self.job(*self.words(self.nodes, "base", "run", "--ckpt-dir", ckpt, *how, "--", *self.program))
        self.ask()
        self.pieces = [self.kill(job)]
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)
        os.mkfifo(f"{fifo}.go")          # which nobody opens: rank 0 never copies
        reader = os.open(fifo, os.O_RDWR)
        job = self.job(*self.words(self.nodes, "base", "restart", *how, ckpt),
                       environment={"MANA_FAULT": "copying@0=wait", "MANA_FAULT_PIPE": str(fifo)})
        said = self.ask("--wait", "local")
        self.check("who waits for the nodes hears of them, while a rank's image is not copied",
                   f"generation 2 is on the nodes of all {len(self.nodes)} ranks, and is being copied to" in said, said)
        status = json.loads(self.place.mana("status", "--json", "--ckpt-dir", ckpt))
        self.check("status says what is where", status["last_generation_on_nodes"] == 2 and status["last_generation"] == 0 and
                   "rank 0 has not copied its image yet" in status["waiting_for"], status)      # of those since the restart
        self.pieces.append(self.kill(job))
        os.close(reader)

    def await_images_on_nodes(self, where="base", generation=2):
        """Of a generation that rank 0 never copies."""
        deadline = time.monotonic() + LIMIT_S
        sidecars = (self.directory / where / "local").glob
        names = f"*/*/gen-{generation:06}/*.json"
        while sum(path.read_text().endswith("}\n") for path in sidecars(names)) < len(self.nodes):
            if time.monotonic() > deadline:
                raise Failed(f"there is no generation {generation} on the nodes")
            time.sleep(0.005)

    def copy(self):
        shutil.rmtree(self.directory / "copy", ignore_errors=True)
        shutil.copytree(self.directory / "base", self.directory / "copy")

    def image(self, node, rank, generation=2):
        """Of the copy."""
        place, = (self.directory / "copy" / "local" / node).iterdir()
        return place / f"gen-{generation:06}" / f"rank-{rank:05}.mana"

    def died(self, name, fault, **how):
        """A restart with this fault does not end well, and prints nothing of the program's."""
        status, output, _ = self.restart(environment={"MANA_FAULT": fault}, **how)
        self.check(name, status != 0 and not self.output.of(output), f"status {status}: {output}")

    def restart(self, *words, nodes=None, local=True, where="copy/ckpt", environment=None):
        """(status, output) of a restart of the copy, to its end."""
        nodes = nodes or self.nodes
        words = [where, "--interval", "1000", *words]
        line = self.words(nodes, "copy", "restart", "--progress", *words) if local else [self.place.command, "restart", *words]
        return self.place.ended(*line, ranks=len(nodes), **{**ENDS_AT_ONCE, **(environment or {})})

    def case(self, name, *words, expected=(), unexpected=(), **how):
        """The program ends as it should; all of expected are in what is said."""
        status, output, said = self.restart(*words, **how)
        differs = self.output.pieces_differ([*self.pieces, output])
        right = all(part in said for part in expected) and not any(part in said for part in unexpected)
        self.check(name, status == 0 and differs is None and right, f"status {status}: {differs}\n{said}")

    def refused(self, name, wanted, *words, expected=(), **how):
        """The restart ends with this status, or one of these; all of expected are in what is said."""
        status, _, said = self.restart(*words, **how)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        self.check(name, status in wanted and all(part in said for part in expected), f"status {status}: {said}")

    def spoil(self, node, rank):
        """In the middle of the image's memory. Returns its path."""
        path = self.image(node, rank)
        content = bytearray(path.read_bytes())
        content[len(content) // 3] ^= 4
        path.write_bytes(content)
        return path

    def without_checkpoints(self):
        shutil.rmtree(self.directory / "copy" / "ckpt" / "gen-000001")


NEWEST = "restarting the images on the nodes, generation 2"
OLDER = "restarting the images on the nodes, generation 1 instead"
GLOBAL = "copy/ckpt/gen-000001 instead"
NOBODY_HAS = "local generation 2: no node has the image of rank "


class TwoNodes(Cases):
    """A rank on each."""

    def as_it_was(self):
        self.case("as it was left", "--verbose", expected=(NEWEST,), unexpected=("is skipped", "other nodes"))

    def without_option(self):
        self.case("without --local", "--verbose", local=False, expected=("copy/ckpt/gen-000001",))

    def exchanged(self):
        broken_off = self.image("a", 1)
        broken_off.touch(0o600)
        self.case("ranks on other nodes", "--verbose", nodes=["b", "a"], expected=(NEWEST, "to other nodes: 2"))
        self.case("again, where they are", "--verbose", "--lazy", nodes=["b", "a"], expected=(NEWEST,),
                  unexpected=("other nodes",))

    def lost_node(self):
        shutil.rmtree(self.directory / "copy" / "local" / "b")
        self.case("a node is lost", expected=(NOBODY_HAS + "1", GLOBAL))

    def cut_image(self):
        image = self.image("b", 1)
        image.write_bytes(image.read_bytes()[:-100])
        self.case("a cut image", expected=(f"node b: {image}: the image does not have the", NOBODY_HAS + "1", OLDER))

    def no_room(self):
        """Not for one of the images that are to be sent; the other one arrives."""
        self.image("a", 1).mkdir()
        self.case("an image cannot be sent", nodes=["b", "a"],
                  expected=(f"local generation 2: rank 1: {self.image('a', 1)}: ", OLDER))

    def killed_while_moving(self):
        """Either rank dies when a part of an image is on its way. The restart ends, and the next is as good as the first."""
        for rank in (0, 1):
            self.died(f"rank {rank} dies while images are moved", f"moving@{rank}", nodes=["b", "a"])
            self.case(f"rank {rank} had died while images were moved", "--verbose", nodes=["b", "a"], expected=(NEWEST,))
            self.copy()

    def lost_base(self):
        self.image("a", 0, 1).unlink()
        self.without_checkpoints()
        self.refused("what it builds on is lost", MISSING, expected=("generation 2: rank 0: ", "there is no complete"))

    def only_nodes(self):
        self.without_checkpoints()
        self.refused("another number of ranks", OTHER_RANKS, nodes=["a", "b", "b"],
                     expected=("the images on the nodes, generation 2: the checkpoint has 2 ranks, this restart 3",))
        self.case("the directory of checkpoints has none", "--verbose", nodes=["b", "a"],
                  expected=(NEWEST, "to other nodes: 4"))

    def found_late(self, *how):
        """Damage that only reading the memory shows ends the first restart, or the job; the next one passes it over."""
        image = self.spoil("b", 1)
        self.refused(f"damage in the memory {how}", (DAMAGED, KILLED) if how else DAMAGED, *how, expected=(f"{image}: the image is damaged: ",))
        self.case("is not met again", *how, expected=("a restart from it failed: ", NOBODY_HAS + "1", OLDER))

    def moved_and_found_late(self):
        """The image that is damaged has a copy where it was sent to. Neither is taken again, wherever the ranks are."""
        self.spoil("b", 1)
        self.refused("damage in memory that was moved", DAMAGED, nodes=["b", "a"], expected=("the image is damaged: ",))
        self.case("is not moved again", nodes=["b", "a"],
                  expected=("a restart from it failed: ", NOBODY_HAS + "1", OLDER))

    def found_late_lazily(self):
        self.found_late("--lazy")

    def goes_on(self):
        """From the nodes, with checkpoints: the first is whole, for what it came from was never copied."""
        ckpt, how = self.directory / "copy" / "ckpt", ["--incremental", "--compress", "none"]
        job = self.job(*self.words(["b", "a"], "copy", "restart", *how, str(ckpt)), where="copy")
        for _ in range(2):
            self.ask(where="copy")
        piece = self.kill(job, "copy")
        built = [json.loads((ckpt / f"gen-{n:06}" / "manifest.json").read_text())["builds_on"] for n in (3, 4)]
        self.check("it builds on what is in the directory of checkpoints", built == [[], [3]], built)
        left = sorted(path.parent.name for path in (self.directory / "copy" / "local").glob("*/*/*/*.mana"))
        self.check("what is superfluous went, on both nodes", set(left) <= {"gen-000003", "gen-000004"}, left)
        self.place.mana("verify", ckpt)
        shutil.rmtree(ckpt / "gen-000004")
        pieces, self.pieces = self.pieces, [*self.pieces, piece]
        self.case("from the chain", "--verbose", *how, expected=("generation 4", "to other nodes: 2"))
        self.pieces = pieces

    def copied_at_times(self, *how):
        """Each third checkpoint leaves the nodes, whole. The job dies when there are newer ones, which build on it."""
        shutil.rmtree(self.directory / "copy")
        ckpt = self.directory / "copy" / "ckpt"
        ckpt.parent.mkdir()
        how = ["--incremental", "--compress", "none", "--copy-every", "3", *how]
        job = self.job(*self.words(self.nodes, "copy", "run", "--ckpt-dir", str(ckpt), "--interval", "0.05", *how, "--", *self.program),
                       where="copy")
        self.await_images_on_nodes("copy", 5)
        piece = self.kill(job, "copy")
        complete = [path.parent.name for path in sorted(ckpt.glob("*/manifest.json"))]
        built = [json.loads(path.read_text())["builds_on"] for path in sorted(ckpt.glob("*/manifest.json"))]
        self.check(f"each third is in the directory of checkpoints {how}",
                   complete == [f"gen-{3 * (i + 1):06}" for i in range(len(complete))][-2:] and not any(built), f"{complete}: {built}")
        pieces, self.pieces = self.pieces, [piece]
        newest = max(int(path.parent.name[4:]) for path in (self.directory / "copy" / "local").glob("*/*/gen-*/*.json"))
        self.case(f"from the nodes alone {how}", "--verbose", nodes=["b", "a"], expected=("restarting the images on the nodes, generation ",))
        self.check(f"the chain was on the nodes {how}", newest % 3 != 0 or newest > 3, newest)
        self.pieces = pieces

    def copied_at_times_forked(self):
        self.copied_at_times("--forked")

    def run(self, every):
        """The first on all MPIs, of the others each on one of two."""
        first = (self.as_it_was, self.exchanged, self.lost_node, self.goes_on, self.killed_while_moving, self.copied_at_times,
                 self.moved_and_found_late)
        others = (self.without_option, self.copied_at_times_forked, self.found_late, self.found_late_lazily, self.cut_image, self.only_nodes, self.lost_base,
                  self.no_room)
        turn = int(self.mpi == "openmpi")
        for take in (*first, *(others if every else others[turn::2])):
            self.copy()
            take()


class FourRanks(Cases):
    """Two on each of two nodes."""

    def run(self):
        self.copy()
        self.case("four ranks, otherwise dealt out", "--verbose", nodes=["b", "a", "a", "c"],
                  expected=(NEWEST, "to other nodes: 3"))
        self.copy()
        self.without_checkpoints()
        self.case("a node that has nothing", "--verbose", nodes=["a", "b", "b", "c"],
                  expected=(NEWEST, "to other nodes: 2"))


def add_every(parser):
    parser.add_argument("--every", action="store_true", help="all cases, and four ranks")


def tell(place, options):
    two = TwoNodes(place, ["a", "b"], ("150", "5"))
    two.native()
    two.make("--incremental", "--compress", "none")
    two.run(options.every)
    if options.every:
        four = FourRanks(place, ["a", "a", "b", "b"], ("40" if options.mpi == "mpich" else "150", "5"))
        four.native()
        four.make("--forked")
        four.run()


if __name__ == "__main__":
    sys.exit(main(__doc__, "local", tell, add_every))
