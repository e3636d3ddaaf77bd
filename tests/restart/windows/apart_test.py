"""Ranks that share a window's memory are placed on two nodes: the restart is refused by name, and nothing is lost by it.

One rank sees another machine's identity, as it would on another node. Without the privileges of root this needs a user
namespace.
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
# The last rank runs in a namespace of its own.
APART = """last=$1; shift
[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" -ne "$last" ] || set -- %s sh -c 'mount --bind identity %s && exec "$@"' sh "$@"
exec "$@"
"""


def namespace():
    """The words before a command that may mount."""
    words = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    tried = subprocess.run([*words, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Skip(f"no namespaces: {tried.stderr.strip()}")
    return words


def counted(said):
    return [line for line in said if line.startswith(("step", "checksum", "rank"))]


def tell(place, options):
    (place.directory / "identity").write_text(OTHER_MACHINE)
    apart = ["sh", "-c", APART % (shlex.join(namespace()), IDENTITY), "sh", place.ranks - 1]
    words = [options.program, *options.arguments]
    native = counted(place.start(*words).end())
    job = place.run(*words)
    said = job.until("step 1")
    place.checkpoint()
    before = counted(said + job.killed())
    refused = place.ended(*apart, *place.restart_words())
    place.expect("the status of a restart on two nodes", refused.status, SURROUNDINGS_DIFFER, refused.errors)
    node = platform.node()
    wanted = (f"rank {place.ranks - 1} (now on {node}) does not share the memory of a window with rank 0 (now on {node}). Place the "
              f"window's {place.ranks} ranks, from 0 to {place.ranks - 1}, on one node and restart again")
    place.check(wanted, wanted in refused.errors, refused.errors)
    after = counted(place.restart().end())
    missing = [line for line in native if line not in before + after]
    if not native or missing:
        raise Failed(f"the restart on one node lacks {missing}; see {place.log}")


if __name__ == "__main__":
    sys.exit(main(__doc__, "windows-apart", tell, lambda parser: parser.add_argument("arguments", nargs="*"),
                  program="ranks that share memory"))
