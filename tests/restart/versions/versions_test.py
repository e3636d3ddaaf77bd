"""INV-92: an image restarts with the lower halves of its own minor and of later ones, and is refused by those of earlier ones.

Today's mana saves a job, one with a lower half of the next minor goes on from there and saves it again; which today's refuses by
name. The golden images, an archive for each minor so far, were made by the first mana that had it: see golden.py.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Job, mana, mpi_environment, mpirun  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "image-format.md"
RANKS = 2
STEPS = "400"
LIMIT_S = 240
DIFFERS = 83      # exit status: the surroundings are not those of the checkpoint
MAJOR_AT, MINOR_AT = 12, 36      # in the image's header


def version_of(image):
    header = image.read_bytes()[:96]
    return tuple(struct.unpack_from("<I", header, at)[0] for at in (MAJOR_AT, MINOR_AT))


def sections_since(major, minor):
    """Names of the sections that images of this minor can have, as the page of the format says."""
    rows = re.findall(r"^\| (\w+) \| (\d+)\.(\d+) \|", PAGE.read_text(), re.M)
    return {name for name, of_major, since in rows if int(of_major) == major and int(since) <= minor}


class Versions:
    def __init__(self, options):
        self.build, self.mpi, self.program = options.build.resolve(), options.mpi, str(options.program.resolve())
        self.directory = self.build / "restart-runs" / f"versions-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.today = str(self.build / "bin" / "mana")
        self.later = self.install_later(options.later.resolve())
        self.failures = 0

    def install_later(self, lower_half):
        """Today's installation, but for the lower half. Returns its command."""
        prefix = self.directory / "later"
        for part in ("bin", "lib/mana", "libexec/mana"):
            shutil.copytree(self.build / part, prefix / part, copy_function=os.link)
        place = prefix / "libexec" / "mana" / f"mana-lower-{self.mpi}"
        place.unlink()
        shutil.copy(lower_half, place)
        return str(prefix / "bin" / "mana")

    def check(self, name, holds, text):
        print(name if holds else f"FAILED {name}:\n{text}", flush=True)
        self.failures += not holds

    def native(self):
        done = subprocess.run([*mpirun(self.mpi, RANKS), self.program, STEPS], cwd=self.directory, env=mpi_environment(),
                              capture_output=True, text=True, timeout=LIMIT_S, check=True)
        return re.search(r"checksum [0-9a-f]+", done.stdout).group()

    def stop(self, words, directory, name):
        """Starts a job by these words, which saves into the directory, and has it saved and stopped after its next step."""
        job = Job([*mpirun(self.mpi, RANKS), *words], self.directory, self.directory / f"log-{name}")
        while "step " not in (line := job.next_line(LIMIT_S) or "step"):
            pass
        self.check(f"{name}: it runs", line != "step", job.log.read_text())
        mana(self.today, "checkpoint", "--ckpt-dir", str(self.directory / directory), "--stop")
        job.process.wait(LIMIT_S)

    def restart(self, command, directory):
        done = subprocess.run([*mpirun(self.mpi, RANKS), command, "restart", directory], cwd=self.directory,
                              env=mpi_environment(), capture_output=True, text=True, errors="replace", timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout + done.stderr

    def goes_on(self, name, command, directory, checksum):
        status, text = self.restart(command, directory)
        self.check(name, status == 0 and checksum in text, f"status {status}: {text}")

    def between_minors(self):
        checksum = self.native()
        self.stop([self.today, "run", "--ckpt-dir", "c", "--", self.program, STEPS], "c", "today")
        major, minor = version_of(self.directory / "c" / "gen-000001" / "rank-00000.mana")
        shutil.copytree(self.directory / "c", self.directory / "again")
        self.goes_on("a later minor restarts an image of today", self.later, "again", checksum)
        self.stop([self.later, "restart", "c"], "c", "later")
        made = self.directory / "c" / "gen-000002" / "rank-00001.mana"
        self.check("what it saves is of its minor", version_of(made) == (major, minor + 1), version_of(made))
        status, text = self.restart(self.today, "c/gen-000002")
        said = (f"the image is of version {major}.{minor + 1} of the boundary", f"this mana has {major}.{minor}",
                f"images {major}.N with N at least {minor + 1}")
        self.check("today's refuses it", status == DIFFERS and all(words in text for words in said), f"status {status}: {text}")
        self.goes_on("the later one restarts it", self.later, "c", checksum)

    def golden(self):
        """Of each minor so far."""
        major, newest = (int(part) for part in re.search(r"images (\d+)\.(\d+)", mana(self.today, "--version")[1]).groups())
        for minor in range(newest + 1):
            name = f"{self.mpi}-minor-{minor}"
            with tarfile.open(HERE / "golden" / f"{name}.tar.xz") as archive:
                archive.extractall(self.directory / name)
            image = next((self.directory / name).glob("gen-*/rank-00000.mana"))
            self.check(f"{name} is of that minor", version_of(image) == (major, minor), version_of(image))
            had = set(json.loads(mana(self.today, "inspect", str(image), "--json")[1])["images"][0]["sections"])
            self.check(f"{name} has the sections of that minor", had == sections_since(major, minor), had)
            self.goes_on(f"{name} restarts", self.today, name, (self.directory / name / "checksum").read_text().strip())

    def run(self):
        self.golden()
        self.between_minors()
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    parser.add_argument("--later", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    return Versions(parser.parse_args()).run()


if __name__ == "__main__":
    sys.exit(main())
