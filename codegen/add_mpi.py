#!/usr/bin/python3
"""`mana add-mpi`: builds a lower half for another MPI, from what the installation has (cmake/ManaAddMpi.cmake). If the installation has
no wrapper library of the MPI's family, or one with fewer functions, it builds that too.

add_mpi.py [--name NAME] [--replace] [--into FOLDER] [--taken NAME]… MPICC

FOLDER is where the lower half goes: libexec/mana of the installation if it is left out. Nothing there changes before all is built
and has started once. Then the program and its description come by a rename each, the description last: without it, mana knows
nothing of the program.
"""
import argparse
import concurrent.futures
import contextlib
import errno
import fcntl
import itertools
import json
import os
import pathlib
import shlex
import shutil
import signal
import sys
import tempfile

NOT_ADDED = 101                          # runtime/words/exit_status.hpp
OLDEST_PYTHON = (3, 8)
if sys.version_info < OLDEST_PYTHON:     # before anything is imported that such a Python cannot read
    print("mana: error: python3 is version %d.%d, and mana add-mpi needs %d.%d or later; nothing is added\n"
          "      put a newer python3 first in PATH" % (sys.version_info[:2] + OLDEST_PYTHON), file=sys.stderr)
    sys.exit(NOT_ADDED)

sys.dont_write_bytecode = True           # an installation stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mpi_compiler  # noqa: E402
from mpi_compiler import Unfit  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PREFIX, SUFFIX, NEW = "mana-lower-", ".json", ".new-"
COMPILERS = ("c++", "g++", "clang++")    # if the one that built mana is not there
LIMIT_S = 3600                           # for one run of the compiler, on a busy machine
SHOWN_LINES = 30                         # of a compiler that fails
PUBLIC_PROGRAM, PUBLIC_FILE = 0o755, 0o644


def known(folder):
    """Descriptions of the lower halves in a folder, by name."""
    found = {}
    for file in sorted(folder.glob(f"{PREFIX}*{SUFFIX}")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            description = json.loads(file.read_text())
            found[description["name"]] = description
    return found


def check_writable(folder):
    if os.access(folder, os.W_OK | os.X_OK):
        return
    raise Unfit(f"{folder}: you may not write there", "add it as the owner of the installation, or for yourself alone: mana add-mpi --user")


@contextlib.contextmanager
def alone_in(folder):
    """One at a time, and without what one that was killed has left."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno == errno.EWOULDBLOCK:      # other errors: a file system without such locks, where two disturb each other
                raise Unfit(f"{folder}: another mana add-mpi is at work there", "wait until it has ended") from error
        for left in folder.glob(f"{NEW}*"):
            left.unlink()
        yield
    finally:
        os.close(opened)


def choose_name(mpi, have, options):
    """Gives the MPI its name.      errors: Unfit: taken, or no name"""
    taken = {**dict.fromkeys(options.taken, {}), **have}
    if options.name and not mpi_compiler.NAME.fullmatch(options.name) or options.name == "none":
        raise Unfit(f"--name {options.name}: this is not a valid name", "use letters, digits, and . _ - between them")
    same = [name for name, description in taken.items() if description.get("compiler") == mpi.compiler]
    mpi.name = options.name or (same[0] if same else mpi_compiler.name_for(mpi, taken))
    if options.replace:
        if mpi.name not in have:
            raise Unfit(f"--replace: there is no live MPI {mpi.name}",
                        f"name the one to replace with --name ({', '.join(sorted(have)) or 'there is none'}), or leave --replace out")
        if not have[mpi.name].get("compiler"):
            raise Unfit(f"--replace --name {mpi.name}: this lower half is for the library of any MPI, and no MPI's compiler command makes it",
                        "choose another name")
        return
    if same:
        whose = "--user " if options.into else ""
        raise Unfit(f"{mpi.compiler}: mana has this MPI already: {same[0]}", f"to build it again: mana add-mpi {whose}--replace {mpi.compiler}")
    if mpi.name in taken:
        raise Unfit(f"--name {mpi.name}: this name is taken", f"choose another; taken are {', '.join(sorted(taken))}")


def works(command):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "try.cpp"
        source.write_text("#include <string>\n#include <concepts>\nint main() { return std::string().size() != 0; }\n")
        return mpi_compiler.said_by([*command, "-std=c++20", "-o", pathlib.Path(folder) / "try", source])[0] == 0


def find_compiler(recipe):
    """The compiler of $CXX; else the one that built mana; else one in PATH."""
    wanted = [shlex.split(os.environ["CXX"])] if os.environ.get("CXX") else [[recipe["compiler"]], *([name] for name in COMPILERS)]
    for command in wanted:
        if shutil.which(command[0]) and works(command):
            return command
    raise Unfit(f"there is no compiler for C++20: tried {', '.join(' '.join(command) for command in wanted)}",
                "install g++ or clang++, or name one: CXX=/path/to/g++ mana add-mpi …")


def family_of(mpi, recipe):
    return next(family for family in recipe["facts"]["families"] if family["name"] == mpi.family)


def compiler_words(mpi, recipe, folder):
    """Words with which each file is compiled."""
    family = family_of(mpi, recipe)
    source = HERE / "source"
    words = [*recipe["flags"], "-w", f"-DMANA_MPI_{mpi.family}", f"-DMANA_VERSION=\"{recipe['version']}\""]
    words += [f"-D{definition}" for definition in family["definitions"]] + family["options"]
    words += [f"-I{place}" for place in (source, source / "generated", HERE / recipe["include"])]
    for place in (HERE / "others", *mpi.includes, folder):
        words += ["-isystem", str(place)]
    return words


def compile_unit(command):
    status, said = mpi_compiler.said_by(command, LIMIT_S)
    return (status, said, command[-1])


def fail(what, said):
    print("\n".join(said.splitlines()[:SHOWN_LINES]), file=sys.stderr)
    raise Unfit(f"{what}: {mpi_compiler.first_line(said)}", "use the compiler that built mana, or a newer one: CXX=/path/to/g++ mana add-mpi …; if "
                "that fails too, report it with these lines and the output of mana --version")


def write_declared(mpi, recipe, compiler, folder):
    """<mana/gen/declared.hpp>: the functions and constants of this mpi.h, which are returned."""
    words = compiler_words(mpi, recipe, folder)
    (folder / "mana" / "gen").mkdir(parents=True)
    includes = [word for place in mpi.includes for word in ("-I", place)] + [word for word in words if word.startswith("-D")]
    try:
        names = mpi_compiler.declared(recipe["names"], recipe["values"], [*compiler, *includes, *family_of(mpi, recipe)["options"]])
    except RuntimeError as error:
        raise Unfit(str(error), "its mpi.h must compile as C++20") from error
    (folder / "mana" / "gen" / "declared.hpp").write_text(mpi_compiler.declared_header(names))
    return names


def compile_all(units, kind, words, compiler, folder):
    """out: the objects. in: kind  a word for their names; words  for each"""
    commands, objects = [], []
    for number, unit in enumerate(units):
        first = HERE / "source" / unit["sources"][0]
        objects.append(str(folder / f"{kind}_{number}.o"))
        if first.suffix == ".S":
            commands.append([*compiler, *words, "-c", "-o", objects[-1], str(first)])
            continue
        source = folder / f"{kind}_{number}.cpp"
        source.write_text("".join(f'#include "{HERE / "source" / name}"\n' for name in unit["sources"]))
        commands.append([*compiler, *words, "-std=c++20", *unit["options"], "-c", "-o", objects[-1], str(source)])
    with concurrent.futures.ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)))) as pool:
        for status, said, source in pool.map(compile_unit, commands):
            if status != 0:
                fail(f"{source} does not compile", said)
    return objects


def exported(library):
    """Functions and data of a library, by name."""
    status, said = mpi_compiler.said_by(["nm", "-D", "--defined-only", library])
    if status != 0:
        raise Unfit(f"nm cannot read {library}: {mpi_compiler.first_line(said)}", "install binutils; or install mana again")
    return {words[-1].split("@")[0] for words in map(str.split, said.splitlines()) if words}


def has_fewer(wrappers, declared, recipe):
    """Whether a family's wrapper library has fewer functions of MPI than this mpi.h. The library that is made then may lack some that the
    older one had, which this version of the MPI has dropped: these are named."""
    present, wanted = exported(wrappers) & set(recipe["names"]), set(declared) & set(recipe["names"])
    if len(present) >= len(wanted):
        return False
    gained, dropped = wanted - present, sorted(present - wanted)
    print(f"mana: {wrappers.name} gets {len(gained)} more function{'' if len(gained) == 1 else 's'}" +
          (f", and loses {', '.join(dropped)}" if dropped else ""), file=sys.stderr)
    return True


def build_wrappers(mpi, recipe, compiler, folder):
    """The library for programs that were built with this family."""
    family = recipe["wrappers"][mpi.family]
    words = [*compiler_words(mpi, recipe, folder), "-fPIC", "-fno-stack-protector"]
    objects = compile_all(family["units"], "wrappers", words, compiler, folder)
    status, said = mpi_compiler.said_by([*compiler, *recipe["flags"], "-shared", *recipe["wrapper_link_options"], f"-Wl,-soname,{family['soname']}",
                                         "-o", folder / "library", *objects])
    if status != 0:
        fail("the wrapper library cannot be linked", said)
    return folder / "library"


def build(mpi, recipe, compiler, folder):
    """The lower half, in this folder."""
    words = [*compiler_words(mpi, recipe, folder), "-fPIE"]
    live_sources = family_of(mpi, recipe)["live_sources"] or recipe["no_live_sources"]
    objects = compile_all([*recipe["units"], {"sources": live_sources, "options": []}], "lower", words, compiler, folder)
    link = [*compiler, *recipe["flags"], *recipe["link_options"], "-Wl,--whole-archive", str(HERE / recipe["whole_archive"]),
            "-Wl,--no-whole-archive", *objects, "-o", str(folder / "program"), *(f"-L{place}" for place in mpi.directories), *mpi.libraries]
    if mpi.run_directories:
        link += ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{':'.join(mpi.run_directories)}"]
    link += ["-Wl,--start-group", *(str(HERE / archive) for archive in recipe["archives"]), "-Wl,--end-group", *recipe["libraries"]]
    status, said = mpi_compiler.said_by(link)
    if status != 0:
        fail("the lower half cannot be linked", said)
    return folder / "program"


def check_start(program):
    """out: what it says of its MPI's library, such as "MPICH 4.0.2\""""
    status, said = mpi_compiler.said_by([program, "mpi-version"])
    if status != 0:
        raise Unfit(f"the lower half does not start: {mpi_compiler.first_line(said)}",
                    "install the MPI's libraries, or name their directory in LD_LIBRARY_PATH")
    return said.strip()


def place_file(content, mode, target):
    """By a rename: the file has its name when it is whole."""
    handle, name = tempfile.mkstemp(prefix=NEW, dir=target.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(name, mode)
    os.rename(name, target)


def keep(library):
    """An older wrapper library stays beside the new one: images that refer to it (mana run --by-reference) need it at a restart."""
    kept = next(name for name in (library.with_name(f"{library.name}.{number}") for number in itertools.count(1)) if not name.exists())
    place_file(library.read_bytes(), PUBLIC_PROGRAM, kept)
    print(f"mana: the older {library.name} stays as {kept.name}; an image of --by-reference that refers to it restarts with\n"
          f"      --map {library}={kept}", file=sys.stderr)


def place_all(mpi, recipe, program, libexec):
    place_file(program.read_bytes(), PUBLIC_PROGRAM, libexec / f"{PREFIX}{mpi.name}")
    place_file(mpi_compiler.description(mpi, recipe["facts"]).encode(), PUBLIC_FILE, libexec / f"{PREFIX}{mpi.name}{SUFFIX}")


def add(options):
    recipe = json.loads((HERE / "recipe.json").read_text())
    libexec = pathlib.Path(options.into) if options.into else (HERE / recipe["libexec"]).resolve()
    check_writable(libexec)
    with alone_in(libexec), tempfile.TemporaryDirectory(prefix="mana-add-mpi-") as directory:
        mpi = mpi_compiler.examine(options.mpicc, recipe["facts"])
        choose_name(mpi, known(libexec), options)
        compiler = find_compiler(recipe)
        print(f"mana: compiling for {family_of(mpi, recipe)['long_name']} {mpi.version} of {mpi.place}; this takes a minute or two", file=sys.stderr,
              flush=True)
        folder = pathlib.Path(directory)
        declared = write_declared(mpi, recipe, compiler, folder)
        wrappers = HERE.parent / f"libmana-{mpi.family}.so"
        needs_wrappers = not options.into and (not wrappers.exists() or has_fewer(wrappers, declared, recipe))
        if needs_wrappers:
            check_writable(wrappers.parent)
            library = build_wrappers(mpi, recipe, compiler, folder)
        program = build(mpi, recipe, compiler, folder)
        version = check_start(program)
        if needs_wrappers:
            if wrappers.exists():
                keep(wrappers)
            place_file(library.read_bytes(), PUBLIC_PROGRAM, wrappers)
        place_all(mpi, recipe, program, libexec)
    print(f"mana: {mpi.name} is added: {version}, in {mpi.place}, " + (f"launched by {mpi.launcher}" if mpi.launcher else "without a launcher beside it"))


def end(*_):
    raise SystemExit(128 + signal.SIGTERM)      # and folders are removed on the way


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="")
    parser.add_argument("--replace", action="store_true")
    parser.add_argument("--into", default="")
    parser.add_argument("--taken", action="append", default=[])
    parser.add_argument("mpicc")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, end)
    try:
        add(options)
    except Unfit as unfit:
        print(f"mana: error: {unfit}; nothing is added\n      {unfit.remedy}", file=sys.stderr)
        return NOT_ADDED
    except OSError as error:
        print(f"mana: error: {error.filename or 'a file of the installation, or in TMPDIR'}: {error.strerror}; nothing is added\n"
              "      make room there, or allow yourself to write there; then run it again", file=sys.stderr)
        return NOT_ADDED
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


if __name__ == "__main__":
    sys.exit(main())
