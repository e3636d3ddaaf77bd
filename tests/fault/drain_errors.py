#!/usr/bin/python3
"""INV-70: each call of the live MPI that a drain makes fails, on one rank: the checkpoint is given up, rank and call are
named, the program runs on; the next checkpoint is good, and a restart from it ends as the program does natively.

    drain_errors.py --build BUILD --mpi MPI [--all]

Where an operation of the program's fails, its data is lost as it is natively: there the program is not run to its end. Exit status 0: all as it should be.
"""
import argparse
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cases"))
import case_test  # noqa: E402
from known_mpis import FAMILIES  # noqa: E402
from mana_job import NOT_SAVED, Failed  # noqa: E402

CALLS = {"test_some": "MPI_Test", "mprobe": "MPI_Improbe", "mrecv_bytes": "MPI_Mrecv", "drain_begin": "MPI_Ibarrier",
         "drain_post": "MPI_Issend", "drain_look": "MPI_Iprobe", "drain_barrier": "MPI_Ibarrier"}
NO_SUCH_CALL = {("mrecv_bytes", 0), ("mrecv_bytes", 2), ("test_some", 1), ("test_some", 2), ("drain_post", 2)}


STUCK = "nothing_there"        # messages stay in flight: given up at the time limit, which says who waits for what
SAYS = {STUCK: "rank 1 waits for 41 messages of rank 0 on MPI_COMM_WORLD"}


def try_one(case, call, rank):
    case.begin(f"{call}-{rank}")
    case.how["env"] = f"MANA_FAULT_DRAIN={call}@{rank}"
    case.how["opts"] = "--limit,2" if call == STUCK else ""
    said = [SAYS[call]] if call in SAYS else [f"rank {rank}: {CALLS[call]}", "failed while messages were drained"]
    run = case.run("run")
    run.await_ranks()
    try:
        case.checkpoint()
        raise Failed("the checkpoint was taken")
    except Failed as failed:
        if failed.status != NOT_SAVED or any(part not in str(failed) for part in said):
            run.kill()
            raise
    if call in ("mrecv_bytes", "test_some"):
        run.kill()
        return
    case.checkpoint()
    run.kill()
    lines = run.final()
    case.how["env"] = ""
    case.hold.touch()
    run = case.restart("restart")
    if run.wait() != 0 or sorted(lines + run.final()) != case.wanted:
        raise Failed(f"not as natively after the restart: {run.said()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    parser.add_argument("--all", action="store_true", help="on each rank, not on one")
    options = parser.parse_args()
    options.case = HERE.parent / "cases" / "programs" / "in_flight.c"
    case = case_test.Case(options)
    wrong = 0
    try:
        case.begin("native")
        case.wanted = sorted(case.native()[1])
        pairs = [(call, rank) for call in CALLS for rank in range(3) if (call, rank) not in NO_SUCH_CALL] + [(STUCK, 1)]
        for call, rank in pairs:
            if not options.all and rank != {"mrecv_bytes": 1, STUCK: 1}.get(call, 0):
                continue
            try:
                try_one(case, call, rank)
                print(f"{call} on rank {rank}: given up, and saved by the next checkpoint")
            except Failed as failed:
                wrong += 1
                print(f"{call} on rank {rank}: FAILED: {failed}")
    finally:
        shutil.rmtree(case.base, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
