"""The ranks of windows on two nodes: the last rank sees another machine, with shared memory of its own.

refused: ranks that share a window's memory restart on two nodes. That is refused by name, and nothing is lost by it.
moved: ranks that only use memory of their node, because they are on one, restart on two nodes, and on one again (INV-128).

Without the privileges of root this needs a user namespace.
"""
import os
import pathlib
import platform
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed  # noqa: E402
from workplace import Skip, main  # noqa: E402

SURROUNDINGS_DIFFER = 83
IDENTITY = "/proc/sys/kernel/random/boot_id"
OTHER_MACHINE = "00000000-0000-4000-8000-000000000000\n"
# Its words after the last rank's number: a command. The last rank runs it in a namespace of its own.
APART = """last=$1; shift
there='mount --bind identity %s && mount -t tmpfs none /dev/shm && exec "$@"'
[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" -ne "$last" ] || set -- %s sh -c "$there" sh %s "$@"
exec "$@"
"""
# So that the live MPI, which knows that the ranks are on one machine, sends messages as between two.
BETWEEN_NODES = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_osc": "pt2pt", "MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self"}


def namespace():
    """The words before a command that may mount."""
    words = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    tried = subprocess.run([*words, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Skip(f"no namespaces: {tried.stderr.strip()}")
    return words


def counted(said):
    return [line for line in said if line.startswith(("step", "checksum", "rank"))]


class Story:
    def __init__(self, place, options):
        self.place, self.words = place, [options.program, *options.arguments]
        (place.directory / "identity").write_text(OTHER_MACHINE)
        # Open MPI's mpirun crashes at the end of a job in which a rank has told it another user.
        as_itself = "" if os.geteuid() == 0 else f"unshare --user --map-user={os.getuid()} --map-group={os.getgid()}"
        self.apart = ["sh", "-c", APART % (IDENTITY, shlex.join(namespace()), as_itself), "sh", place.ranks - 1]
        self.native = counted(place.start(*self.words).end())
        if not self.native:
            raise Failed(f"natively nothing counts; see {place.log}")
        self.lines = []

    def saved(self, job, moment):
        """The job is killed behind a checkpoint after this line."""
        said = job.until(moment)
        self.place.checkpoint()
        self.lines += counted(said + job.killed())

    def on_two_nodes(self):
        (self.place.ckpt / "job.json").unlink(missing_ok=True)
        return self.place.start(*self.apart, *self.place.restart_words(), **BETWEEN_NODES)

    def ended(self, job):
        self.lines += counted(job.end())
        missing = [line for line in self.native if line not in self.lines]
        if missing:
            raise Failed(f"the restarts lack {missing}; see {self.place.log}")


def refused(place, story):
    story.saved(place.run(*story.words), "step 1")
    done = place.ended(*story.apart, *place.restart_words(), **BETWEEN_NODES)
    place.expect("the status of a restart on two nodes", done.status, SURROUNDINGS_DIFFER, done.errors)
    node = platform.node()
    wanted = (f"rank {place.ranks - 1} (now on {node}) does not share the memory of a window with rank 0 (now on {node}). Place the "
              f"window's {place.ranks} ranks, from 0 to {place.ranks - 1}, on one node and restart again")
    place.check(wanted, wanted in done.errors, done.errors)
    story.ended(place.restart())


def moved(place, story):
    story.saved(place.run(*story.words), "step 1")
    story.saved(story.on_two_nodes(), "step 3")
    story.saved(place.restart(), "step 4")
    story.ended(story.on_two_nodes())


def tell(place, options):
    {"refused": refused, "moved": moved}[options.story](place, Story(place, options))


def add_arguments(parser):
    parser.add_argument("--story", choices=("refused", "moved"), required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("arguments", nargs="*")


if __name__ == "__main__":
    sys.exit(main(__doc__, "windows-apart-{name}", tell, add_arguments, program="that has windows"))
