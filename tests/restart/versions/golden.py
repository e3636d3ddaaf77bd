"""Makes the golden images of this minor, once: golden.py --build BUILD --mpi MPI --program COUNTED [--ranks N]

They are kept for ever, and never made anew: that later versions restart what this one wrote is what they are for. All memory is
in them, and the processor is limited, so they restart on any machine with this MPI. What ranks have alike is kept once, by xz.

An image has the environment and the paths of who made it: the environment is cut to what is needed, and BUILD may be a copy
of a build's bin, lib and libexec at a neutral place, such as /opt/mana. Its working directory is /, which is everywhere.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Job, mana, mpi_environment, mpirun  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STEPS = "60"
LIMIT_S = 240
HOW = ["--compress", "none", "--cpu", "x86-64-v2", "--keep", "1"]


def nobodys(member):
    """Nothing of who made it."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, default=2)
    options = parser.parse_args()
    os.environ.clear()
    os.environ.update(PATH="/usr/bin:/bin", HOME="/")
    command = str(options.build.resolve() / "bin" / "mana")
    minor = re.search(r"images \d+\.(\d+)", subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout)
    place = HERE / "golden" / f"{options.mpi}-minor-{minor.group(1)}.tar.xz"
    if place.exists():
        sys.exit(f"{place} is there: golden images are not made anew")
    with tempfile.TemporaryDirectory(dir="/opt") as folder:
        directory = pathlib.Path(folder)
        program = directory / "counted"
        shutil.copy(options.program, program)
        subprocess.run(["strip", program], check=True)
        launch = mpirun(options.mpi, options.ranks)
        native = subprocess.run([*launch, program, STEPS], cwd=folder, env=mpi_environment(), capture_output=True, text=True,
                                timeout=LIMIT_S, check=True)
        job = Job([*launch, command, "run", "--ckpt-dir", str(directory / "c"), *HOW, "--", str(program), STEPS], "/",
                  directory / "log", {"XDG_CONFIG_HOME": "/nonexistent"})
        while "step " not in (line := job.next_line(LIMIT_S) or "step"):
            pass
        if line == "step":
            sys.exit((directory / "log").read_text())
        mana(command, "checkpoint", "--ckpt-dir", str(directory / "c"), "--stop")
        job.process.wait(LIMIT_S)
        (directory / "c" / "checksum").write_text(re.search(r"checksum [0-9a-f]+", native.stdout).group() + "\n")
        place.parent.mkdir(exist_ok=True)
        with tarfile.open(place, "w:xz", preset=9) as archive:
            for name in ("gen-000001", "checksum"):
                archive.add(directory / "c" / name, name, filter=nobodys)
    print(place, place.stat().st_size, "bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
