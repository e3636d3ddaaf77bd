"""The demo: heat2d on 4 ranks, over each MPI, in four ways whose results must be equal in every bit."""
import argparse
import pathlib
import shutil
import sys
import time

from known_mpis import FAMILIES
from mana_job import CHECKSUM, STEP, Failed, Job, image_bytes, mana, mpirun

RANKS = 4
SILENCE_S = 240


class Case:
    """One way to run heat2d, in a directory of its own."""

    def __init__(self, root, build, mpi, name):
        self.mpi, self.name = mpi, name
        self.mana = str(build / "bin" / "mana")
        self.program = str(build / "examples" / "heat2d" / f"heat2d_{mpi}")
        self.directory = root / mpi / name.replace(" ", "-").replace(",", "")
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.log = self.directory / "log"
        self.begin = time.monotonic()

    def start(self, *words):
        return Job([*mpirun(self.mpi, RANKS), *words], self.directory, self.log)

    def show(self, text, end=False):
        text = f"  {text:<70}"
        if sys.stdout.isatty():
            print("\r" + text, end="\n" if end else "", flush=True)
        elif end:
            print(text.rstrip(), flush=True)

    def follow(self, job, until=None):
        """Shows progress until step `until` (a share of all steps) or the end. Returns the checksum at the end."""
        checksum, self.first_step_at = None, None
        while (line := job.next_line(SILENCE_S)) is not None:
            if found := CHECKSUM.search(line):
                checksum = found[1]
            if found := STEP.search(line):
                step, steps = int(found[1]), int(found[2])
                self.first_step_at = self.first_step_at or time.monotonic()
                self.show(f"{self.name}: step {step} of {steps}")
                if until is not None and step >= until * steps:
                    return None
        job.wait()
        if checksum is None:
            raise Failed(f"heat2d ended without a result; see {self.log}")
        self.show(f"{self.name}: checksum {checksum}, {time.monotonic() - self.begin:.1f} s", end=True)
        return checksum

    def checkpoint(self):
        """Takes a checkpoint now. Returns its seconds and the bytes of its images."""
        seconds, _ = mana(self.mana, "checkpoint", "--ckpt-dir", str(self.directory / "ckpt"))
        return seconds, image_bytes(self.directory / "ckpt")


def run_case(case, parameters):
    """Runs one case; returns (checksum, {measured name: value})."""
    run = [case.mana, "run", "--ckpt-dir", "ckpt", case.program, str(parameters)]
    if case.name == "without mana":
        return case.follow(case.start(case.program, str(parameters))), {}
    job = case.start(*run)
    if case.name == "uninterrupted":
        return case.follow(job), {}
    case.follow(job, until=0.5)
    seconds, size = case.checkpoint()
    case.show(f"{case.name}: checkpoint of {size / 2**20:.1f} MiB in {seconds:.3f} s", end=True)
    measured = {"checkpoint": seconds, "bytes": size}
    if case.name == "checkpointed":
        return case.follow(job), measured
    job.kill()
    case.show(f"{case.name}: all its processes killed", end=True)
    begin = time.monotonic()
    job = case.start(case.mana, "restart", "ckpt")
    checksum = case.follow(job)
    measured["restart"] = (case.first_step_at or time.monotonic()) - begin
    case.show(f"{case.name}: first output {measured['restart']:.3f} s after the restart was asked for", end=True)
    return checksum, measured


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", action="append", choices=FAMILIES)
    options = parser.parse_args()
    build = options.build.resolve()
    parameters = pathlib.Path(__file__).resolve().parents[2] / "examples" / "heat2d" / "heat2d.par"
    results, measured = {}, {}
    for mpi in options.mpi or FAMILIES:
        print(f"heat2d on {RANKS} ranks under {mpi}", flush=True)
        for name in ("without mana", "uninterrupted", "checkpointed", "killed and restarted"):
            case = Case(build / "demo-runs", build, mpi, name)
            results[mpi, name], numbers = run_case(case, parameters)
            measured.setdefault(mpi, {}).update(numbers)
    print(f"\n{'MPI':8}  {'run':20}  checksum")
    for (mpi, name), checksum in results.items():
        print(f"{mpi:8}  {name:20}  {checksum}")
    print(f"\n{'MPI':8}  {'checkpoint':>10}  {'image/rank':>10}  {'restart':>8}")
    for mpi, numbers in measured.items():
        size = f"{numbers['bytes'] / RANKS / 2**20:.1f} MiB"
        print(f"{mpi:8}  {numbers['checkpoint']:8.3f} s  {size:>10}  {numbers['restart']:6.3f} s")
    equal = len(set(results.values())) == 1
    print("\nall results are equal" if equal else "\nTHE RESULTS DIFFER")
    return 0 if equal else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failed:
        sys.exit(f"\ndemo: {failed}")
