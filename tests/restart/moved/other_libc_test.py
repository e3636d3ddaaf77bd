"""A restart on a machine with another libc of the same minor version: the lower half has that, the program keeps its own.

The other libc is another version of Debian's package that the machine's archive has; where there is none the test is skipped.
"""
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import CHECKSUM, Failed, descendants  # noqa: E402
from workplace import LIMIT_S, Skip, main  # noqa: E402

STEPS = ["400", "5"]
LIBRARIES = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2", "libutil.so.1")


def said(*words, **how):
    done = subprocess.run(words, capture_output=True, text=True, **how)
    return done.stdout if done.returncode == 0 else ""


def other_libc(directory):
    """Fetches one. Returns the directory of its libraries."""
    if not shutil.which("apt-cache"):
        raise Skip("this is no Debian")
    here = said("dpkg-query", "-W", "-f=${Version}", "libc6")
    offered = {line.split("|")[1].strip() for line in said("apt-cache", "madison", "libc6").splitlines()}
    others = sorted(version for version in offered if version != here and version.split("-")[0] == here.split("-")[0])
    if not others:
        raise Skip(f"the archive has no libc6 but {here}")
    fetched = directory / "fetched"
    fetched.mkdir()
    said("apt-get", "download", f"libc6={others[0]}", cwd=fetched)
    package = next(fetched.glob("*.deb"), None)
    if package is None:
        raise Skip(f"libc6 {others[0]} could not be fetched")
    subprocess.run(["dpkg-deb", "-x", package, directory / "package"], check=True)
    libraries = directory / "libc"
    libraries.mkdir()
    for name in LIBRARIES:
        shutil.copy(directory / "package" / "lib" / "x86_64-linux-gnu" / name, libraries)
    print(f"libc6 {here}, and {others[0]}")
    return libraries


def result(job):
    found = [CHECKSUM.search(line) for line in job.end()]
    return next((match[1] for match in reversed(found) if match), None)


def require_loaded(job, libc):
    """A rank has it, which the program's own libc, a part of its memory, does not show."""
    deadline = time.monotonic() + LIMIT_S
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


def tell(place, options):
    libc = other_libc(place.directory)
    expected = result(place.start(options.program, *STEPS))
    place.stop(place.run(options.program, *STEPS))
    job = place.restart(LD_LIBRARY_PATH=str(libc))
    require_loaded(job, libc / "libc.so.6")
    found = result(job)
    if expected is None or found != expected:
        raise Failed(f"checksum {found} instead of {expected}")


if __name__ == "__main__":
    sys.exit(main(__doc__, "other-libc", tell, program="prints \"checksum HEX\"; arguments: steps, pause in ms"))
