"""A restart on a machine with another libc of the same minor version: the lower half has that, the program keeps its own.

The other libc is another version of Debian's package that the machine's archive has; where there is none the test is skipped.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import CHECKSUM, Failed, Job, descendants, mana, mpirun  # noqa: E402

SILENCE_S = 240
WAITS_S = 240
SKIPPED = 77
STEPS = ["400", "5"]
LIBRARIES = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2", "libutil.so.1")


class NoOther(Exception):
    pass


def said(*words, **how):
    done = subprocess.run(words, capture_output=True, text=True, **how)
    return done.stdout if done.returncode == 0 else ""


def other_libc(directory):
    """Fetches one. Returns the directory of its libraries."""
    if not shutil.which("apt-cache"):
        raise NoOther("this is no Debian")
    here = said("dpkg-query", "-W", "-f=${Version}", "libc6")
    offered = {line.split("|")[1].strip() for line in said("apt-cache", "madison", "libc6").splitlines()}
    others = sorted(version for version in offered if version != here and version.split("-")[0] == here.split("-")[0])
    if not others:
        raise NoOther(f"the archive has no libc6 but {here}")
    fetched = directory / "fetched"
    fetched.mkdir()
    said("apt-get", "download", f"libc6={others[0]}", cwd=fetched)
    package = next(fetched.glob("*.deb"), None)
    if package is None:
        raise NoOther(f"libc6 {others[0]} could not be fetched")
    subprocess.run(["dpkg-deb", "-x", package, directory / "package"], check=True)
    libraries = directory / "libc"
    libraries.mkdir()
    for name in LIBRARIES:
        shutil.copy(directory / "package" / "lib" / "x86_64-linux-gnu" / name, libraries)
    print(f"libc6 {here}, and {others[0]}")
    return libraries


def result(job):
    found = None
    while (line := job.next_line(SILENCE_S)) is not None:
        found = CHECKSUM.search(line) or found
    job.wait()
    return found and found[1]


def require_loaded(job, libc):
    """A rank has it, which the program's own libc, a part of its memory, does not show."""
    deadline = time.monotonic() + WAITS_S
    while time.monotonic() < deadline:
        for pid in descendants(job.process.pid):
            try:
                maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
            except OSError:
                continue
            if "mana-lower" in maps and str(libc) in maps:
                return
        time.sleep(0.05)
    raise Failed(f"no rank has loaded {libc}: the test tests nothing")


def check(options):
    build = options.build.resolve()
    directory = build / "restart-runs" / f"other-libc-{options.mpi}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    libc = other_libc(directory)
    command, ckpt = str(build / "bin" / "mana"), directory / "ckpt"
    start = mpirun(options.mpi, 2)
    expected = result(Job([*start, options.program, *STEPS], directory, directory / "log"))
    job = Job([*start, command, "run", "--ckpt-dir", ckpt, "--", options.program, *STEPS], directory, directory / "log")
    job.wait_until_up(ckpt)
    mana(command, "checkpoint", "--stop", "--ckpt-dir", str(ckpt))
    job.wait()
    there = {"LD_LIBRARY_PATH": str(libc)}
    job = Job([*start, command, "restart", ckpt], directory, directory / "log", there)
    try:
        require_loaded(job, libc / "libc.so.6")
        found = result(job)
    finally:
        job.kill()
    if expected is None or found != expected:
        raise Failed(f"checksum {found} instead of {expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("program", help="prints \"checksum HEX\"; arguments: steps, pause in ms")
    try:
        check(parser.parse_args())
    except NoOther as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    except (Failed, subprocess.TimeoutExpired) as failed:
        print(f"FAILED: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
