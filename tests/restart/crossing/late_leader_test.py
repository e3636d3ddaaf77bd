"""INV-125: a checkpoint while one leader waits in MPI_Intercomm_create for the other, which comes after a restart over another MPI.

Their groups meet by a message of the wrappers. Its tag must be the same before and after: else both wait forever.
"""
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from crossing_test import over  # noqa: E402
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Failed  # noqa: E402
from workplace import main  # noqa: E402

INTO_THE_CALL_S = 0.2      # from the line before it


def checksums(lines):
    return re.findall(r"checksum \w+", "".join(lines))


def tell(place, options):
    gate = place.directory / "gate"
    gate.touch()
    expected = checksums(place.start(options.program, gate).end())
    for live in FAMILIES:
        for next_live in FAMILIES:
            if live == next_live:
                continue
            gate.unlink(missing_ok=True)
            where = over(place, live)
            job = where.run(options.program, gate)
            job.until("step ")
            time.sleep(INTO_THE_CALL_S)
            where.checkpoint()
            if checksums(job.killed()):
                raise Failed("the leader that comes late did not wait")
            restarted = over(place, next_live).restart(ckpt=where.ckpt)
            restarted.wait_until_up(where.ckpt)
            gate.touch()
            place.expect(f"over {live}, restarted over {next_live}", checksums(restarted.end()), expected)


if __name__ == "__main__":
    sys.exit(main(__doc__, "late-leader", tell, program="late_leader, built with the MPI of --mpi"))
