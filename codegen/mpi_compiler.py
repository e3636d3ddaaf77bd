#!/usr/bin/python3
"""What an MPI's compiler command says: family, version, place, launcher, or why mana cannot run over this MPI.

mpi_compiler.py --facts FILE --cmake FILE MPICC…: names for several MPIs, for CMake. FILE is what families.py --facts wrote.
`mana add-mpi` uses this file too, in an installation: it needs Python's standard library and nothing else of mana.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

OLDEST = (3, 1)              # version of the MPI standard
LIMIT_S = 300                # for one small file
ELF_HEADER_BYTES = 20
MACHINES = {3: "32-bit x86", 21: "PowerPC 64", 22: "S/390", 40: "32-bit ARM", 62: "x86-64", 183: "AArch64", 243: "RISC-V"}
SYSTEM_FOLDERS = re.compile(r"(?:/usr)?/lib(?:32|64)?(?:/[\w-]+-linux-gnu)?")
LAUNCHERS = ("mpirun", "mpiexec")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
INCLUDES = ["#include <mpi.h>", "#if __has_include(<mpi-ext.h>)", "#include <mpi-ext.h>", "#endif"]


class Unfit(Exception):
    """mana cannot run over this MPI. errors: why, and what to do"""

    def __init__(self, why, remedy):
        super().__init__(why)
        self.remedy = remedy


@dataclasses.dataclass
class Mpi:
    """A live MPI, as its compiler command says."""
    compiler: str            # the command, an absolute path
    family: str
    version: str             # of the library
    standard: str            # of MPI
    place: str               # the folder that has bin/mpicc
    launcher: str            # empty: none lies beside the compiler command
    includes: list           # folders
    directories: list        # with libraries, for the linker
    libraries: list          # "-lmpi"
    run_directories: list    # with libraries, for the dynamic loader, if it does not find them without
    name: str = ""


def said_by(command, limit=LIMIT_S):
    """Exit status of a command, and what it prints. In English: error messages are looked for."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False,
                              stdin=subprocess.DEVNULL, timeout=limit, env={**os.environ, "LC_ALL": "C"})
    except subprocess.TimeoutExpired:
        return -1, f"it has not ended after {limit} s"
    except OSError as error:
        return -1, f"{error.strerror}: {error.filename}"
    return done.returncode, done.stdout + done.stderr


def first_line(text):
    """The line of a compiler's output that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "no message")


def machine_of(file):
    """(bits, number of the machine) of an ELF file"""
    with open(file, "rb") as opened:
        head = opened.read(ELF_HEADER_BYTES)
    if len(head) < ELF_HEADER_BYTES or head[:4] != b"\x7fELF":
        return 0, 0
    return 32 * head[4], int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")


def machine_name(machine):
    return MACHINES.get(machine[1], f"machine {machine[1]}") if machine != (0, 0) else "no ELF machine"


def executable(command):
    """The command's absolute path. A link stays one: compiler commands look at the name that they are called by."""
    found = shutil.which(command) if "/" not in command else command
    if found is None or not os.path.exists(found):
        raise Unfit(f"{command}: no such compiler command", "name the mpicc of the MPI, with its path")
    if os.path.isdir(found) or not os.access(found, os.X_OK):
        raise Unfit(f"{command} is not executable", "name the mpicc of the MPI, with its path")
    return os.path.abspath(found)


def check_machine(mpicc, folder):
    """errors: Unfit: it does not work; it compiles for another machine"""
    (folder / "empty.c").write_text("int mana_empty;\n")
    status, said = said_by([mpicc, "-c", "-o", folder / "empty.o", folder / "empty.c"])
    if status != 0 or not (folder / "empty.o").exists():
        raise Unfit(f"{mpicc} does not work: {first_line(said)}", "compile a program of one line with it; it may need a module to be loaded")
    compiled, here = machine_of(folder / "empty.o"), machine_of("/proc/self/exe")
    if compiled != here:
        raise Unfit(f"{mpicc} compiles for {machine_name(compiled)}, and this is {machine_name(here)}", "name an MPI of this machine")


def mpi_header(mpicc, facts, folder):
    """(family's facts, version, standard) as mpi.h says.      errors: Unfit"""
    lines = ["#include <mpi.h>", "mana_standard_is MPI_VERSION . MPI_SUBVERSION"]
    for family in facts["families"]:
        lines += [f"#ifdef {family['version_symbol']}", f"mana_family_is \"{family['name']}\" {' . '.join(family['version_macros'])}", "#endif"]
    (folder / "header.c").write_text("\n".join(lines) + "\n")
    status, said = said_by([mpicc, "-E", "-P", folder / "header.c"])
    if status != 0:
        raise Unfit(f"{mpicc} does not find mpi.h: {first_line(said)}", "name the mpicc of an MPI, with its header files")
    # The preprocessor may begin new lines within a line.
    words = re.sub(r"\s+", " ", said)
    standard = re.search(r"mana_standard_is (\d+) \. (\d+)", words)
    if standard is None or tuple(map(int, standard.groups())) < OLDEST:
        told = " of an unknown version" if standard is None else f" {standard[1]}.{standard[2]}"
        raise Unfit(f"the MPI of {mpicc} is MPI{told}, and mana needs MPI {OLDEST[0]}.{OLDEST[1]} or later", "name a newer MPI")
    found = re.search(r'mana_family_is "([^"]*)" ("[^"]*"|[\d .]+)', words)
    if found is None:
        known = ", ".join(family["long_name"] for family in facts["families"])
        raise Unfit(f"the MPI of {mpicc} is of no family that mana knows",
                    f"name an mpicc of {known}, or of an MPI with their mpi.h; for another MPI with libmpi_abi.so.1: mana run --mpi standard")
    family = next(family for family in facts["families"] if family["name"] == found[1])
    return family, re.sub(r'[" ]', "", found[2]), ".".join(standard.groups())


def check_link(mpicc, family, folder):
    """errors: Unfit: no program can be linked, or the library is not of the family"""
    (folder / "linked.c").write_text("#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n")
    status, said = said_by([mpicc, *family["options"], "-o", folder / "linked", folder / "linked.c"])
    if status != 0:
        raise Unfit(f"{mpicc} does not link a program: {first_line(said)}", "install the libraries of this MPI")
    if machine_of(folder / "linked") != machine_of("/proc/self/exe"):
        raise Unfit(f"{mpicc} links for {machine_name(machine_of(folder / 'linked'))}, and this is "
                    f"{machine_name(machine_of('/proc/self/exe'))}", "name an MPI of this machine")


def shown_words(mpicc):
    """The words that the compiler command gives to the compiler."""
    status, said = said_by([mpicc, "-show"])
    if status != 0 or not said.strip():
        raise Unfit(f"{mpicc} -show does not work: {first_line(said)}", "name a compiler command that understands -show")
    return shlex.split(said.splitlines()[0])[1:]


def folders_of(words, letter):
    """Folders of -I or -L, also when the folder is a word of its own."""
    found = [word[2:] for word in words if word.startswith(letter) and len(word) > 2]
    found += [after for word, after in zip(words, words[1:]) if word == letter]
    return list(dict.fromkeys(os.path.abspath(folder) for folder in found))


def run_folders(words, directories):
    """Folders with libraries that the dynamic loader does not search anyway."""
    libraries = [f"lib{word[2:]}.so.*" for word in words if word.startswith("-l")]
    wanted = [folder for folder in directories if any(any(pathlib.Path(folder).glob(name)) for name in libraries)]
    named = " ".join(words).replace("-Wl,-rpath -Wl,", "-Wl,-rpath,").replace("-Wl,-rpath=", "-Wl,-rpath,")
    wanted += re.findall(r"-Wl,-rpath,([^, ]+)", named)
    wanted = [os.path.abspath(folder) for folder in wanted if os.path.isdir(folder)]
    return list(dict.fromkeys(folder for folder in wanted if not SYSTEM_FOLDERS.fullmatch(os.path.realpath(folder))))


def launcher_beside(mpicc, family):
    place = pathlib.Path(mpicc).parent
    for name in (family["mpirun"], *LAUNCHERS):
        if os.access(place / name, os.X_OK) and not (place / name).is_dir():
            return str(place / name)
    return ""


def examine(command, facts):
    """The MPI of a compiler command.      errors: Unfit"""
    mpicc = executable(command)
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        check_machine(mpicc, folder)
        family, version, standard = mpi_header(mpicc, facts, folder)
        check_link(mpicc, family, folder)
    words = shown_words(mpicc)
    directories = folders_of(words, "-L")
    return Mpi(mpicc, family["name"], version, standard, str(pathlib.Path(mpicc).parent.parent), launcher_beside(mpicc, family),
               folders_of(words, "-I"), directories, [word for word in words if word.startswith("-l")], run_folders(words, directories))


def name_for(mpi, taken):
    """The family's name for its first MPI; for others with the version behind it; for others of one version with a number."""
    names = [mpi.family, f"{mpi.family}-{re.sub(r'[^a-z0-9._-]', '-', mpi.version.lower())}"]
    names += [f"{names[1]}-{number}" for number in range(2, len(taken) + 3)]
    return next(name for name in names if name not in taken)


def name_all(mpis):
    """Gives names. errors: Unfit: one compiler command is named twice"""
    by_name = {}
    for mpi in mpis:
        if any(mpi.compiler == other.compiler for other in by_name.values()):
            raise Unfit(f"{mpi.compiler} is named twice", "name it once")
        mpi.name = name_for(mpi, by_name)
        by_name[mpi.name] = mpi
    return mpis


def declared(names, values, compiler):
    """Those of some names that <mpi.h> declares.

    in:  names     of functions and data; a macro does not count
         values    names of constants
         compiler  a C++ compiler and the arguments with which it finds mpi.h
    errors: RuntimeError, if mpi.h itself does not compile
    """
    asked = [*names, *values]
    lines = [*INCLUDES, *(f"auto* const address_of_{name} = &{name};" for name in names),
             *(f"const auto value_of_{name} = {name};" for name in values)]
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory) / "declared.cpp"
        source.write_text("\n".join(lines) + "\n")
        # All errors, each where a macro is used and not where it is defined.
        is_clang = "clang" in said_by([compiler[0], "--version"])[1]
        how = ["-ferror-limit=0"] if is_clang else ["-fmax-errors=0", "-ftrack-macro-expansion=0"]
        status, said = said_by([*compiler, "-std=c++20", "-w", "-fsyntax-only", *how, str(source)])
    wrong = re.findall(r"(?m)^(\S+?):(\d+):\d+: (?:fatal )?error: (.*)", said)
    if elsewhere := [f"{file}:{line}: {text}" for file, line, text in wrong if file != str(source) or int(line) <= len(INCLUDES)]:
        raise RuntimeError("mpi.h does not compile: " + elsewhere[0])
    if status != 0 and not wrong:
        raise RuntimeError(f"{compiler[0]}: {said}")
    lacking = {int(line) - len(INCLUDES) - 1 for _, line, _ in wrong}
    return [name for place, name in enumerate(asked) if place not in lacking]


def declared_header(found):
    rows = "".join(f"#define MANA_DECLARES_{name} 1\n" for name in found)
    return f"// Generated: the functions and constants that this mpi.h declares.\n#pragma once\n{rows}"


def description(mpi, facts):
    """What mana-lower-NAME.json says."""
    return json.dumps({"name": mpi.name, "family": mpi.family, "version": mpi.version, "standard": mpi.standard, "place": mpi.place,
                       "compiler": mpi.compiler, "launcher": mpi.launcher, "mana": facts.get("mana", "")}) + "\n"


def cmake_lines(mpis, facts):
    def put(name, value):
        return f"set({name} [==[{';'.join(value) if isinstance(value, list) else value}]==])"
    yield put("MANA_LIVE_MPIS", [mpi.name for mpi in mpis])
    yield put("MANA_MPIS", list(dict.fromkeys(mpi.family for mpi in mpis)))
    for mpi in mpis:
        for key, value in (("LIVE_FAMILY", mpi.family), ("MPICC", mpi.compiler), ("MPIRUN", mpi.launcher), ("VERSION", mpi.version),
                           ("INCLUDES", mpi.includes), ("DIRECTORIES", mpi.directories), ("LIBRARIES", mpi.libraries),
                           ("RUN_DIRECTORIES", mpi.run_directories), ("DESCRIPTION", description(mpi, facts).strip())):
            yield put(f"MANA_{key}_{mpi.name}", value)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=pathlib.Path, required=True)
    parser.add_argument("--cmake", type=pathlib.Path, required=True)
    parser.add_argument("compilers", nargs="*")
    options = parser.parse_args(arguments)
    facts = json.loads(options.facts.read_text())
    try:
        mpis = name_all([examine(command, facts) for command in options.compilers])
    except Unfit as unfit:
        print(f"{unfit}\n{unfit.remedy}", file=sys.stderr)
        return 1
    options.cmake.write_text("# Generated: what the MPIs' compiler commands say.\n" + "\n".join(cmake_lines(mpis, facts)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
