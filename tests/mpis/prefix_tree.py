"""Another copy of an installed MPI, in a prefix of its own: as a site has it, and not where the system's loader looks."""
import pathlib
import re
import shlex
import shutil
import stat
import subprocess

SYSTEM = "/usr/lib/x86_64-linux-gnu"


class Failed(Exception):
    """A check of a test that uses such copies does not hold."""


def require(what, holds, said=""):
    """Says what holds, or raises Failed."""
    if not holds:
        raise Failed(f"{what}:\n{said}")
    print(what, flush=True)


def words_of(mpicc):
    return shlex.split(subprocess.run([mpicc, "-show"], capture_output=True, text=True, check=True).stdout)[1:]


def folders(words, letter):
    return [pathlib.Path(word[2:]) for word in words if word.startswith(letter)]


def write_script(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


def link_headers(source, target, rewritten):
    """A tree of links. rewritten: name of a header: its text"""
    target.mkdir(parents=True, exist_ok=True)
    for file in source.rglob("*"):
        there = target / file.relative_to(source)
        if file.is_dir():
            there.mkdir(parents=True, exist_ok=True)
        elif file.name in rewritten and not there.exists():
            there.write_text(rewritten[file.name])
        elif not there.exists():
            there.symlink_to(file)


def with_values(header, values):
    """mpi.h with other values of some macros."""
    text = header.read_text()
    for name, value in values.items():
        text, count = re.subn(rf"(?m)^(\s*#\s*define\s+{name}\s+).*$", lambda found, value=value: found[1] + value, text)
        if not count:
            raise ValueError(f"{header}: no {name}")
    return text


def copy_library(name, directories, target):
    """The library of -lNAME, under its soname."""
    for place in [*directories, pathlib.Path(SYSTEM)]:
        file = place / f"lib{name}.so"
        if file.exists():
            said = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
            soname = re.search(r"soname: \[(.*?)\]", said)[1]
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(file.resolve(), target / soname)
            (target / file.name).symlink_to(soname)
            return
    raise FileNotFoundError(name)


def copy_launcher(mpirun, target):
    """The launcher's own file, since mana sees the files of the programs that started it."""
    real = pathlib.Path(mpirun).resolve()
    shutil.copy(real, target / real.name)
    if real.name != "mpirun":
        (target / "mpirun").symlink_to(real.name)
    for beside in real.parent.glob("hydra_*"):
        shutil.copy(beside.resolve(), target / beside.name)


def make(place, mpicc, values=None, mpirun=None):
    """in: place   a new folder: it gets bin/mpicc, include and lib
           values  other values of macros of mpi.h
           mpirun  the launcher to copy; nothing: there is none
       out: its mpicc"""
    words = words_of(mpicc)
    includes, directories = folders(words, "-I"), folders(words, "-L")
    libraries = [word[2:] for word in words if word.startswith("-l")]
    header = next(folder / "mpi.h" for folder in includes if (folder / "mpi.h").exists())
    link_headers(header.parent, place / "include", {"mpi.h": with_values(header, values or {})})
    for name in libraries:
        copy_library(name, directories, place / "lib")
    here = [f"-I{place / 'include'}"]
    here += [f"-I{place / 'include' / folder.relative_to(header.parent)}" for folder in includes
             if folder != header.parent and header.parent in folder.parents]
    here += [f"-L{place / 'lib'}", *(f"-l{name}" for name in libraries)]
    command = place / "bin" / "mpicc"
    write_script(command, f"#!/bin/sh\nif [ \"$1\" = -show ]; then echo 'cc {shlex.join(here)}'; else exec cc \"$@\" {shlex.join(here)}; fi\n")
    if mpirun is not None:
        copy_launcher(mpirun, place / "bin")
    assert command.stat().st_mode & stat.S_IXUSR
    return command


def make_broken(place):
    """Compiler commands that no live MPI can be made of: (command, what is said of it)"""
    header = "#define MPI_VERSION {}\n#define MPI_SUBVERSION {}\nint MPI_Finalize(void);\n"
    foreign = "import sys\nopen(sys.argv[sys.argv.index('-o') + 1], 'wb').write(b'\\x7fELF\\x02\\x01' + bytes(12) + b'\\xb7\\x00' + bytes(40))\n"
    write_script(place / "exits" / "mpicc", "#!/bin/sh\necho 'mpicc: error: no licence' >&2\nexit 1\n")
    (place / "plain").write_text("")
    write_script(place / "foreign" / "mpicc", f"#!/usr/bin/python3\n{foreign}")
    for name, text in (("old", "#define MPICH_VERSION \"1.5\"\n" + header.format(3, 0)), ("strange", header.format(4, 0)),
                       ("unlinked", "#define MPICH_VERSION \"4.0\"\n" + header.format(4, 0))):
        (place / name / "include").mkdir(parents=True)
        (place / name / "include" / "mpi.h").write_text(text)
        write_script(place / name / "mpicc", f"#!/bin/sh\nexec cc -I'{place / name / 'include'}' \"$@\"\n")
    write_script(place / "headless" / "mpicc", "#!/bin/sh\nexec cc \"$@\"\n")
    return [(place / "none" / "mpicc", "no such compiler command"), (place / "plain", "is not executable"),
            (place / "exits" / "mpicc", "does not work: mpicc: error: no licence"), (place / "foreign" / "mpicc", "compiles for AArch64"),
            (place / "headless" / "mpicc", "does not find mpi.h"), (place / "old" / "mpicc", "is MPI 3.0, and mana needs MPI 3.1 or later"),
            (place / "strange" / "mpicc", "is of no family that mana knows"), (place / "unlinked" / "mpicc", "does not link a program")]
