"""The live MPIs of a build tree on this system: their names and versions, and the libraries of the standard ABI."""
import pathlib
import re
import subprocess

STANDARD = "standard"       # a program's ABI, beside the families


def said_by(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout.strip()


def codename():
    """Name of the release of this system, such as its mirror's suites begin with; None if it does not say one."""
    release = dict(re.findall(r'(?m)^(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text()))
    return release.get("VERSION_CODENAME")


def lower_half(build, mpi):
    """The lower half of a build tree over an MPI."""
    return build / "libexec" / "mana" / f"mana-lower-{mpi}"


def live_title(build, mpi, program=None):
    """What is live, for a reader: "Open MPI 5.0.7, trixie", or "standard over …" for a program of the standard ABI."""
    live = f"{said_by(lower_half(build, mpi), 'mpi-version')}, {codename() or 'here'}"
    return f"standard over {live}" if program == STANDARD else live


def abi_library(mpi):
    """The library of the standard ABI that belongs to an MPI, or None."""
    for line in said_by("/sbin/ldconfig", "-p").splitlines():
        if line.split()[0] == "libmpi_abi.so.1":
            for file in sorted(pathlib.Path(line.split()[-1]).parent.glob(f"libmpi_abi_{mpi}.so.1*")):
                return file
    return None


def found_natively(mpi, directory):
    """The environment in which a program of the standard ABI finds the library of this MPI without mana. directory: for links"""
    library = directory / "libmpi_abi.so.1"
    directory.mkdir(parents=True, exist_ok=True)
    library.unlink(missing_ok=True)
    library.symlink_to(abi_library(mpi))
    return {"LD_LIBRARY_PATH": str(directory)}
