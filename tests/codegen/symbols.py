"""The wrapper library has every symbol, function or data, that the MPI library exports to programs: symbols.py FAMILY MPICC WRAPPERS

What it lacks is in mpis/FAMILY/internal_symbols.toml, with the reason; no header of the MPI library names it, and no library of
its bindings needs it. What it has besides is none of MPI's names, unless mpi.h declares it (MPICH 4.0.2 declares two functions that
it does not have), or data_symbols.toml or [[besides]] has it for another version: a program that asks the dynamic linker hears
what it hears natively. No data is larger than in the MPI library: a program copies as many bytes, and the dynamic linker warns of
more.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "codegen"))
import families  # noqa: E402

OF_MPI = re.compile(r"^(P?MPIX?|OMPI|QMPI|MPIR|MPII)_[A-Z]")


def symbols(library, which="--defined-only"):
    """{name: (kind of nm, bytes)}"""
    done = subprocess.run(["nm", "-D", "-S", which, library], capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        *numbers, kind, name = line.split()
        found[name.split("@")[0]] = (kind, int(numbers[1], 16) if len(numbers) == 2 else 0)
    return found


def soname(library):
    done = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    return re.search(r"soname: \[(.+)\]", done.stdout)[1]


def installed(mpicc, name):
    """Where the compiler's command finds the library `name`."""
    words = subprocess.run([mpicc, "-show"], capture_output=True, text=True, check=True).stdout.split()
    folders = [word[2:] for word in words if word.startswith("-L")] + ["/usr/lib/x86_64-linux-gnu"]
    return next(path for folder in folders if (path := pathlib.Path(folder) / name).exists())


def words_of_headers(mpicc):
    """All words that a program sees which includes the MPI library's headers for programs."""
    program = '#include <mpi.h>\n#if __has_include(<mpi-ext.h>)\n#include <mpi-ext.h>\n#endif\n'
    done = subprocess.run([mpicc, "-E", "-dD", "-x", "c", "-"], input=program, capture_output=True, text=True, check=True)
    return set(re.findall(r"\w+", done.stdout))


class Internals:
    """The rows of internal_symbols.toml for one MPI library."""

    def __init__(self, family):
        table = family.toml("internal_symbols.toml")
        self.rows, self.besides = table.get("internal", []), table.get("besides", [])
        self.used = set()

    def row_of(self, name):
        for number, row in enumerate(self.rows):
            if re.fullmatch(row["names"], name):
                self.used.add(number)
                return row
        return None

    def is_besides(self, name):
        return any(re.fullmatch(row["names"], name) for row in self.besides)

    def unused(self):
        return [row["names"] for number, row in enumerate(self.rows) if number not in self.used and not row.get("some_versions")]


def faults_of_missing(missing, internals, declared, needed):
    for name in sorted(missing):
        row = internals.row_of(name)
        if row is None:
            yield f"no {name}: describe it in codegen/api, data_symbols.toml, or internal_symbols.toml with the reason"
        elif name in declared:
            yield f"no {name}, which a header declares: it is no internal ({row['why']})"
        elif name in needed and not row.get("bindings"):
            yield f"no {name}, which {needed[name]} needs ({row['why']})"
    for names in internals.unused():
        yield f"internal_symbols.toml: {names}: no such symbol"


def faults_of_extra(extra, known, internals, bindings):
    for name in sorted(extra - known):
        if OF_MPI.match(name) and not any(name in library for library in bindings) and not internals.is_besides(name):
            yield f"{name} is no symbol of the MPI library: a program that looks it up takes it for one"


def faults_of_data(native, ours):
    for name in sorted(native.keys() & ours.keys()):
        (kind, size), (our_kind, our_size) = native[name], ours[name]
        is_data, ours_is_data = (k.upper() in "BDRV" for k in (kind, our_kind))
        if is_data != ours_is_data or (is_data and our_size > size):
            yield f"{name}: {our_kind} of {our_size} bytes, in the MPI library {kind} of {size}"


def main(name, mpicc, wrappers):
    family = next(family for family in families.load() if family.name == name)
    library = installed(mpicc, soname(wrappers))
    native, ours = symbols(library), symbols(wrappers)
    bindings = {name: path for name in family.bindings if (path := library.parent / name).exists()}
    needed = {symbol: name for name, path in bindings.items() for symbol in symbols(path, "--undefined-only")}
    internals = Internals(family)
    declared = words_of_headers(mpicc)
    of_some_version = family.toml("data_symbols.toml").keys()
    faults = [*faults_of_missing(native.keys() - ours.keys(), internals, declared, needed),
              *faults_of_extra(ours.keys() - native.keys(), declared | of_some_version, internals,
                               [symbols(path) for path in bindings.values()]),
              *faults_of_data(native, ours)]
    assert len(native) > 1000, f"only {len(native)} symbols found in {library}"
    for fault in faults:
        print(f"{wrappers}: {fault}")
    print(f"{library}: {len(native)} symbols, {len(native.keys() & ours.keys())} of them here, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
