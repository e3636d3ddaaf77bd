"""MPI_Abort, fatal errors and exit codes reach the launcher as they do natively; messages name the handler."""
import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from mana_job import mpi_environment, mpirun  # noqa: E402

LIMIT_S = 240
SAME_STATUS = [["abort", "7"], ["abort", "1"], ["abort_copy", "42"], ["exit", "0"], ["exit", "3"],
               ["leave", "3"]]
NOT_ZERO = [["fatal"]]       # each MPI has a status of its own for errors
SAYS = {"fatal": "MPI_ERRORS_ARE_FATAL is set", "errors_abort": "MPI_ERRORS_ABORT is set"}


def status_of(mpi, *words):
    done = subprocess.run([*mpirun(mpi, 2), *words], capture_output=True, text=True, errors="replace", timeout=LIMIT_S,
                          env=mpi_environment())
    return done.returncode, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    under_mana = [str(options.build.resolve() / "bin" / "mana"), "run", "--ckpt-dir",
                  str(options.build.resolve() / "restart-runs" / f"ends-{options.mpi}"), "--"]
    wrong = 0
    fatal = NOT_ZERO + ([["errors_abort"]] if options.mpi == "mpich" else [])     # of MPI-4.0
    for words in SAME_STATUS + fatal:
        native, _ = status_of(options.mpi, options.program, *words)
        found, text = status_of(options.mpi, *under_mana, options.program, *words)
        good = (found == native if words in SAME_STATUS else found != 0 and native != 0) and "not ended" not in text
        good = good and SAYS.get(words[0], "") in text
        print(f"{' '.join(words)}: status {found}, natively {native}{'' if good else ': WRONG'}")
        if not good:
            print(text)
        wrong += not good
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
