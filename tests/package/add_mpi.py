#!/usr/bin/python3
"""An installation learns another MPI: `mana add-mpi` in a copy of an installed mana, for a copy of an installed MPI in a prefix of its own. heat2d
runs over it, by its launcher and by --mpi. What cannot be added is refused by name and changes nothing.

add_mpi.py --prefix INSTALLED --work FOLDER --mpi FAMILY --mpicc MPICC --heat2d PROGRAM [--other FAMILY --other-mpicc MPICC
--other-heat2d PROGRAM]: the other family is taken out of the installation, and added again.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts" / "support"), str(ROOT / "tests" / "mpis")]
import prefix_tree  # noqa: E402
from prefix_tree import Failed, require  # noqa: E402
from known_mpis import FAMILIES  # noqa: E402
from mana_job import mpi_environment, mpirun  # noqa: E402

NOT_ADDED, WELL = 101, 0
LIMIT_S = 600
NAME = "site"
PARAMETERS = "rows = 200\ncols = 200\nsteps = 100\nreport = 20\nalpha = 0.2\noutput = heat2d.out\n"
RESULT = re.compile(r"checksum [0-9a-f]+")
NOBODY = 65534


class Place:
    def __init__(self, options):
        self.options, self.work = options, options.work
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.installed = self.work / "installed"
        shutil.copytree(options.prefix, self.installed, symlinks=True, copy_function=os.link)
        self.mana = self.installed / "bin" / "mana"
        self.libexec = self.installed / "libexec" / "mana"
        self.data = self.work / "data"
        (self.work / "heat2d.par").write_text(PARAMETERS)

    def run(self, *words, **how):
        environment = {**mpi_environment(), "XDG_DATA_HOME": str(self.data), "LC_ALL": "C", **how.pop("environment", {})}
        done = subprocess.run([str(word) for word in words], cwd=self.work, env=environment, capture_output=True, text=True, timeout=LIMIT_S,
                              check=False, **how)
        return done.returncode, done.stdout + done.stderr

    def contents(self):
        """Of libexec/mana: names, sizes and times"""
        return {file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in self.libexec.iterdir()}

    def refused(self, why, *words, **how):
        before = self.contents()
        status, said = self.run(self.mana, "add-mpi", *words, **how)
        require(f"refused: {why}", status == NOT_ADDED and why in said and "nothing is added" in said and "Traceback" not in said and
                self.contents() == before, f"status {status}: {said}")

    def heat2d(self, launcher, *options, program=None):
        """(its result, what it is run over)"""
        status, said = self.run(*launcher, self.mana, "run", "--verbose", "--ckpt-dir", self.work / "ckpt", *options, "--", program or self.options.heat2d,
                                "heat2d.par")
        found = RESULT.search(said)
        require(f"heat2d runs: {' '.join(map(str, options)) or pathlib.Path(launcher[0]).parent}", status == WELL and found, f"status {status}: {said}")
        return found[0], re.search(r"mana-lower-(\S+)", said)[1]


def check_refusals(place, copy):
    for command, why in prefix_tree.make_broken(place.work / "broken"):
        place.refused(why, command)
    place.refused("there is no compiler for C++20", copy, environment={"CXX": "/nonexistent/c++"})
    place.refused("there is no python3", copy, environment={"PATH": "/nonexistent"})
    place.refused(f"--name {place.options.mpi}: this name is taken", "--name", place.options.mpi, copy)
    place.refused("has this MPI already", place.options.mpicc)
    place.refused("there is no live MPI elsewhere", "--replace", "--name", "elsewhere", copy)
    place.refused("no MPI's compiler command makes it", "--replace", "--name", "standard", copy)


def check_rights(place, copy):
    """As another user, if this one may write everywhere."""
    place.libexec.chmod(0o555)
    try:
        if os.geteuid() != 0:
            place.refused("you may not write there", copy)
            return
        status, _ = place.run(place.mana, "--version", user=NOBODY)
        if status == WELL:
            place.refused("you may not write there", copy, user=NOBODY)
    except PermissionError:
        print("no other user can reach this folder: not tried without the right to write")
    finally:
        place.libexec.chmod(0o755)


def check_killed(place, copy):
    """When it compiles, and is killed with all that it has started: nothing is left that mana would see."""
    before = place.contents()
    job = subprocess.Popen([place.mana, "add-mpi", "--name", NAME, copy], cwd=place.work, env=mpi_environment(), stderr=subprocess.PIPE, text=True,
                           start_new_session=True)
    said = job.stderr.readline()
    time.sleep(0.5)
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    require("killed while it compiles, it has changed nothing", "compiling" in said and place.contents() == before, said)


def check_added(place, copy):
    status, said = place.run(place.mana, "add-mpi", "--name", NAME, copy)
    require("an MPI is added", status == WELL and f"{NAME} is added" in said, f"status {status}: {said}")
    description = json.loads((place.libexec / f"mana-lower-{NAME}.json").read_text())
    require("its description", description["place"] == str(copy.parents[1]) and description["compiler"] == str(copy), description)
    status, said = place.run("ldd", place.libexec / f"mana-lower-{NAME}")
    require("its libraries are those of its place", str(copy.parents[1] / "lib") in said, said)
    status, said = place.run(place.mana, "doctor")
    require("the doctor lists it", re.search(rf"^ok\s+live-mpi\s+{NAME}: .* in {re.escape(str(copy.parents[1]))}, launched by", said, re.M), said)
    place.refused("has this MPI already: " + NAME, copy)


def check_runs(place, copy):
    mpi = place.options.mpi
    native = RESULT.search(place.run(place.options.heat2d, "heat2d.par")[1])[0]
    system = mpirun(mpi, 2)
    for what, found, name in (("its own launcher chooses it", place.heat2d([copy.parent / "mpirun", *system[1:]]), NAME),
                              ("the other launcher does not", place.heat2d(system), mpi),
                              ("--mpi does", place.heat2d(system, "--mpi", NAME), NAME)):
        require(what, found == (native, name), f"{found}, and not {native}, {name}")


def check_own(place):
    """What a user has added for himself: here a copy, as if it had been built."""
    own = place.data / "mana" / str(place.installed).replace("/", "%") / "libexec" / "mana"
    own.mkdir(parents=True)
    for name in (NAME, "mine"):
        shutil.copy(place.libexec / f"mana-lower-{NAME}", own / f"mana-lower-{name}")
        description = json.loads((place.libexec / f"mana-lower-{NAME}.json").read_text()) | {"name": name}
        (own / f"mana-lower-{name}.json").write_text(json.dumps(description))
    status, said = place.run(place.mana, "doctor")
    require("the user's own is listed", re.search(r"^ok\s+live-mpi\s+mine: ", said, re.M), said)
    require("of two of one name, the doctor says which is taken", re.search(rf"^warning\s+live-mpi\s+{NAME}: .*has the same name and is not taken", said, re.M),
            said)
    require("and so does a run", "is taken" in place.run(*mpirun(place.options.mpi, 1), place.mana, "run", "--mpi", NAME, "--ckpt-dir",
                                                         place.work / "ckpt", place.options.heat2d, "heat2d.par")[1])
    (own / "mana-lower-mine").write_bytes(b"")
    status, said = place.run(place.mana, "doctor")
    require("the command for an unsound one of the user's", "mana add-mpi --user --replace --name mine " in said, said)
    own.chmod(0o777)
    status, said = place.run(place.mana, "doctor")
    require("what others may write is not taken", "live-mpi      mine" not in said, said)
    shutil.rmtree(own)


def check_unsound(place):
    lower = place.libexec / f"mana-lower-{NAME}"
    whole = lower.read_bytes()
    lower.unlink()
    lower.write_bytes(whole[:4096])
    lower.chmod(0o755)
    status, said = place.run(place.mana, "doctor")
    require("the doctor says that it is unsound", re.search(rf"^warning\s+live-mpi\s+{NAME}: .*mana add-mpi --replace --name {NAME}", said, re.M), said)


def check_family(place):
    """A family of which the installation has nothing gets its wrapper library too."""
    options = place.options
    for file in (*place.libexec.glob(f"mana-lower-{options.other}*"), *(place.installed / "lib" / "mana").glob(f"libmana-{options.other}*")):
        file.unlink()
    status, said = place.run(place.mana, "add-mpi", options.other_mpicc)
    require("an MPI of another family is added", status == WELL and f"{options.other} is added" in said, f"status {status}: {said}")
    native = RESULT.search(place.run(options.other_heat2d, "heat2d.par")[1])[0]
    found = place.heat2d(mpirun(options.other, 2), program=options.other_heat2d)
    require("a program of that family runs over it", found == (native, options.other), found)


def without_function(library, function):
    """The library's contents, with another name for the function: as if it had been compiled with the mpi.h of an older MPI."""
    whole, name = library.read_bytes(), function.encode() + b"\0"
    require(f"{library} has {function}", name in whole)
    return whole.replace(name, name[:-2] + b"_\0")


def check_newer(place):
    """A wrapper library with fewer functions than the MPI that is added is made again; one with as many stays."""
    library = place.installed / "lib" / "mana" / f"libmana-{place.options.mpi}.so"
    add = (place.mana, "add-mpi", "--replace", "--name", place.options.mpi, place.options.mpicc)
    older = without_function(library, "MPI_Comm_idup")
    library.unlink()
    library.write_bytes(older)
    status, said = place.run(*add)
    require("an older wrapper library is made again", status == WELL and f"{library.name} gets 1 more function" in said, f"status {status}: {said}")
    require("the older one stays for images that refer to it", library.with_name(f"{library.name}.1").read_bytes() == older, said)
    status, said = place.run("nm", "-D", library)
    require("it has the function", re.search(r" MPI_Comm_idup$", said, re.M), said)
    place.heat2d(mpirun(place.options.mpi, 2))
    made = library.stat().st_mtime_ns
    status, said = place.run(*add)
    require("one with all functions stays", status == WELL and library.stat().st_mtime_ns == made, f"status {status}: {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    for name in ("prefix", "work", "mpicc", "heat2d"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--other", choices=FAMILIES)
    for name in ("other-mpicc", "other-heat2d"):
        parser.add_argument(f"--{name}", type=pathlib.Path)
    options = parser.parse_args()
    options.work, options.heat2d = options.work.resolve(), options.heat2d.resolve()
    place = Place(options)
    copy = prefix_tree.make(place.work / "opt", str(options.mpicc), mpirun=str(options.mpicc).replace("mpicc", "mpirun"))
    check_refusals(place, copy)
    check_rights(place, copy)
    check_killed(place, copy)
    check_added(place, copy)
    check_runs(place, copy)
    check_own(place)
    check_unsound(place)
    check_newer(place)
    if options.other:
        check_family(place)


try:
    main()
except Failed as failure:
    sys.exit(f"FAILED {failure}")
