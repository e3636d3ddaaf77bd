#!/usr/bin/python3
"""The families of MPI libraries: mpis/<name>/family.toml, and folders outside the tree that the caller names.

families.py --cmake FILE [--facts FILE --version VERSION] [FOLDER…] writes the lists that CMake needs, and the facts that
mpi_compiler.py needs. `generate.py` has the rest.
"""
import argparse
import dataclasses
import json
import pathlib
import re
import sys
import tomllib

MPIS = pathlib.Path(__file__).resolve().parent.parent / "mpis"
KEYS = {"long_name", "versions", "sonames", "soname_patterns", "version_symbol", "version_macros", "standard", "packages", "bindings", "sources",
        "supported", "declared", "live_sources", "functions_as", "lacks", "compiler", "launcher", "tests"}
COMPILER = {"c", "fortran", "definitions", "options"}
LISTS = ("certain", "likely", "rank", "size", "node_rank", "ends_jobs", "manager", "processes")      # of a launcher
LAUNCHER = {"program", "order", *LISTS, "srun"}
# Key: default.
TESTS = {"spins": False, "mpirun": [], "fortran_warnings": False, "communicators": 10 ** 4, "requests": 10 ** 6,
         "unreceived": 50000, "swaps": True, "own_suite": False, "suite_options": [], "native_settings": []}


LARGE_COUNTS_SINCE = "4.0"       # of the standard
OLDEST_SINCE = "3.1"             # a function without `since` is in this standard


def _version(text):
    return tuple(int(part) for part in text.split("."))


class FamilyError(Exception):
    """An error in a family.toml; the text names the file and the error."""


@dataclasses.dataclass
class Family:
    """One family.toml. Its keys: docs/developer/add-an-mpi.md."""
    name: str
    folder: pathlib.Path
    long_name: str
    sonames: list
    soname_patterns: list = dataclasses.field(default_factory=list)
    version_symbol: str = ""
    version_macros: list = dataclasses.field(default_factory=list)
    versions: list = dataclasses.field(default_factory=list)
    standard: str = ""
    packages: list = dataclasses.field(default_factory=list)
    bindings: list = dataclasses.field(default_factory=list)
    sources: list = dataclasses.field(default_factory=list)
    supported: bool = True
    declared: bool = False                 # mpi.h is generated
    live_sources: list = dataclasses.field(default_factory=list)
    functions_as: str = ""
    lacks: dict = dataclasses.field(default_factory=dict)
    inherited_lacks: dict = dataclasses.field(default_factory=dict)      # of the family in functions_as
    compiler: dict = dataclasses.field(default_factory=dict)
    launcher: dict = dataclasses.field(default_factory=dict)
    tests: dict = dataclasses.field(default_factory=dict)

    def has(self, function, facts, large):
        """Whether the family has this form of a function. in: facts  of codegen/api"""
        named = facts.get("in")                # of an extension: the families that have it
        if named and (self.functions_as or self.name) not in named:
            return False
        if any(re.fullmatch(name, function) for name in (*self.lacks, *self.inherited_lacks)):
            return False
        since = max(facts.get("since", OLDEST_SINCE), LARGE_COUNTS_SINCE if large else OLDEST_SINCE, key=_version)
        return bool(named) and not large or _version(since) <= _version(self.standard)

    def toml(self, name):
        """out: contents of another file of the folder; {} if it does not exist"""
        file = self.folder / name
        return tomllib.loads(file.read_text()) if file.exists() else {}

    def of_tests(self, key):
        return self.tests.get(key, TESTS[key])

    @property
    def order(self):
        return self.launcher.get("order", 100)

    @property
    def lists(self):
        """The lists in families.hpp, in the order of mpi_family's members."""
        return {"versions": self.versions, "sonames": self.sonames, "soname_patterns": self.soname_patterns} | {key: self.launcher.get(key, []) for key in LISTS}

    @property
    def headers(self):
        return sorted(path.name for path in self.folder.glob("*.hpp"))


def read(folder):
    file = pathlib.Path(folder).resolve() / "family.toml"
    try:
        facts = tomllib.loads(file.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise FamilyError(f"{file}: {error}") from error
    for known, given in ((KEYS, facts), (COMPILER, facts.get("compiler", {})), (LAUNCHER, facts.get("launcher", {})),
                         (set(TESTS), facts.get("tests", {}))):
        if unknown := set(given) - known:
            raise FamilyError(f"{file}: unknown: {', '.join(sorted(unknown))}")
    needed = ["long_name", "sonames"] + (["version_symbol"] if facts.get("supported", True) else []) + \
        (["standard"] if facts.get("supported", True) and not facts.get("functions_as") else [])
    if lacking := [key for key in needed if not facts.get(key)]:
        raise FamilyError(f"{file}: no {', '.join(lacking)}")
    family = Family(file.parent.name, file.parent, **facts)
    if family.supported and not ((family.declared or family.compiler.get("c")) and family.launcher.get("program")):
        raise FamilyError(f"{file}: no compiler.c, or no launcher.program")
    for name in family.lacks:
        try:
            re.compile(name)
        except re.error as error:
            raise FamilyError(f"{file}: [lacks] {name}: this is no pattern: {error}") from error
    if wrong := [pattern for pattern in family.soname_patterns if pattern.count("*") != 1]:
        raise FamilyError(f"{file}: soname_patterns: {', '.join(wrong)}: a pattern has one *")
    for header in ("abi.hpp", "quirks.hpp") if family.supported else ():
        if not (family.folder / header).exists():
            raise FamilyError(f"{file}: there is no {header} beside it")
    return family


def load(more=()):
    """All families, by name; those outside the tree last."""
    found = [read(file.parent) for file in sorted(MPIS.glob("*/family.toml"))] + [read(folder) for folder in more]
    names = [family.name for family in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise FamilyError(f"two families are called {', '.join(sorted(twice))}")
    by_name = {family.name: family for family in found}
    for family in found:
        if family.functions_as:
            if family.functions_as not in by_name:
                raise FamilyError(f"{family.folder / 'family.toml'}: functions_as {family.functions_as}: there is no such family")
            like = by_name[family.functions_as]
            family.standard = family.standard or like.standard
            family.inherited_lacks = like.lacks
    return found


def check_lacks(families, described):
    """Checks that [lacks] names existing functions. in: described  names of all functions   errors: FamilyError"""
    for family in families:
        for name in family.lacks:
            if not any(re.fullmatch(name, function) for function in described):
                raise FamilyError(f"{family.folder / 'family.toml'}: [lacks] {name}: no function of codegen/api has this name")


def supported(families):
    return [family for family in families if family.supported]


def stems(families):
    """Beginnings of the names of the families' C libraries: libmpich.so"""
    return sorted({re.match(r".*?\.so", soname)[0] for family in families for soname in family.sonames})


def cmake_lines(families):
    def put(name, value):
        if isinstance(value, bool):
            value = "ON" if value else "OFF"
        text = ";".join(map(str, value)) if isinstance(value, list) else value
        return f"set({name} [==[{text}]==])"
    built = supported(families)
    yield put("MANA_FAMILIES", [family.name for family in built if not family.declared])
    yield put("MANA_DECLARED_FAMILIES", [family.name for family in built if family.declared])
    yield put("MANA_FAMILY_SYMBOLS", [f"{family.name}={family.version_symbol}" for family in built])
    for family in built:
        values = {"DIR": family.folder, "LONG_NAME": family.long_name, "SONAME": family.sonames[0],
                  "FURTHER_SONAMES": family.sonames[1:], "MPICC": family.compiler.get("c", ""),
                  "DECLARED": family.declared, "VERSIONS": family.versions, "LIVE_SOURCES": [family.folder / name for name in family.live_sources],
                  "MPIRUN": family.launcher["program"],
                  "VERSION_MACROS": family.version_macros or [family.version_symbol],
                  "MPIFC": family.compiler.get("fortran", ""), "DEFINITIONS": family.compiler.get("definitions", []),
                  "OPTIONS": family.compiler.get("options", []), "SOURCES": [family.folder / name for name in family.sources],
                  "HEADERS": [family.folder / name for name in family.headers], "STANDARD": family.standard}
        values |= {f"TEST_{key.upper()}": family.of_tests(key) for key in TESTS}
        for key, value in values.items():
            yield put(f"MANA_FAMILY_{family.name}_{key}", value)


def facts_of(families, version):
    """What mpi_compiler.py needs to know of the families, as JSON. in: version  mana's"""
    rows = [{"name": family.name, "long_name": family.long_name, "version_symbol": family.version_symbol,
             "version_macros": family.version_macros or [family.version_symbol], "mpirun": family.launcher["program"],
             "definitions": family.compiler.get("definitions", []), "options": family.compiler.get("options", []),
             "live_sources": [f"mpis/{family.name}/{name}" for name in family.live_sources]}
            for family in supported(families) if not family.declared]
    return json.dumps({"mana": version, "families": rows}, indent=1) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", type=pathlib.Path, required=True)
    parser.add_argument("--facts", type=pathlib.Path)
    parser.add_argument("--version", default="")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args(arguments)
    try:
        families = load(options.folders)
    except FamilyError as error:
        print(error, file=sys.stderr)
        return 1
    options.cmake.parent.mkdir(parents=True, exist_ok=True)
    options.cmake.write_text("# Generated from mpis/*/family.toml.\n" + "\n".join(cmake_lines(families)) + "\n")
    if options.facts is not None:
        options.facts.write_text(facts_of(families, options.version))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
