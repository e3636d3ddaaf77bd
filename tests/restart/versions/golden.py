"""Makes the golden images of this minor, once: golden.py --build BUILD --mpi MPI --program COUNTED [--ranks N]

They are kept for ever, and never made anew: that later versions restart what this one wrote is what they are for. All memory is
in them, and the processor is limited, so they restart on any machine with this MPI.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Job, mana, mpi_environment, mpirun  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STEPS = "60"
LIMIT_S = 120
HOW = ["--compress", "zstd:19", "--cpu", "x86-64-v2", "--keep", "1"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, default=2)
    options = parser.parse_args()
    command = str(options.build.resolve() / "bin" / "mana")
    minor = re.search(r"images \d+\.(\d+)", subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout)
    place = HERE / "golden" / options.mpi / f"minor-{minor.group(1)}"
    if place.exists():
        sys.exit(f"{place} is there: golden images are not made anew")
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder)
        program = directory / "counted"
        shutil.copy(options.program, program)
        subprocess.run(["strip", program], check=True)
        launch = mpirun(options.mpi, options.ranks)
        native = subprocess.run([*launch, program, STEPS], cwd=folder, env=mpi_environment(), capture_output=True, text=True,
                                timeout=LIMIT_S, check=True)
        job = Job([*launch, command, "run", "--ckpt-dir", "c", *HOW, "--", str(program), STEPS], directory, directory / "log")
        while "step " not in (line := job.next_line(LIMIT_S) or "step"):
            pass
        if line == "step":
            sys.exit((directory / "log").read_text())
        mana(command, "checkpoint", "--ckpt-dir", str(directory / "c"), "--stop")
        job.process.wait(LIMIT_S)
        shutil.copytree(directory / "c" / "gen-000001", place / "gen-000001")
        (place / "checksum").write_text(re.search(r"checksum [0-9a-f]+", native.stdout).group() + "\n")
    print(place, sum(file.stat().st_size for file in place.rglob("*") if file.is_file()), "bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
