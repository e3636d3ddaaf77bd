"""MPI_Get_processor_name after a restart is the name of the machine that the process is on now.

The other machine is this one with another host name, in a UTS namespace; where none can be made the test is skipped.
"""
import pathlib
import re
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed  # noqa: E402
from workplace import Skip, main  # noqa: E402

STEPS = 150
OTHER = "another-machine"
THERE = ["unshare", "--uts", "sh", "-c", f"hostname {OTHER} && exec \"$@\"", "sh"]
SAID = re.compile(r"^host (\S+), at first (\S+), (\d+) wrong$", re.MULTILINE)


def next_host(job):
    """What the program says next: name, name at first, number of wrong answers."""
    return SAID.match(job.until("host ")[-1]).groups()


def host_of_whole_step(job):
    """Like next_host, of a step that began after the restart: the first line may name the machine that was asked before."""
    next_host(job)
    return next_host(job)


def tell(place, options):
    if subprocess.run([*THERE, "true"], capture_output=True).returncode != 0:
        raise Skip("no host name can be changed here")
    here = socket.gethostname()
    job = place.run(options.program, str(STEPS))
    place.require("at first", next_host(job), (here, here, "0"))
    said = place.stop(job)
    job = place.restart(before=THERE)
    place.require("on the other machine", host_of_whole_step(job), (OTHER, here, "0"))
    said += place.stop(job)
    job = place.restart()
    place.require("back here", host_of_whole_step(job), (here, here, "0"))
    if any(wrong != "0" for line in said + job.end() for *_, wrong in SAID.findall(line)):
        raise Failed(f"a name is not the kernel's; see {place.log}")
    print("each process names the machine that it is on")


if __name__ == "__main__":
    sys.exit(main(__doc__, "moved", tell, program="host.c"))
