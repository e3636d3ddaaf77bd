"""The lists of tests that stand in the folders of MPICH's test suite, as its script runtests reads them."""
import dataclasses
import pathlib
import re

CATEGORIES = ("attr", "basic", "coll", "comm", "datatype", "errhan", "errors", "group", "info", "init", "mpi_t", "part",
              "perf", "pt2pt", "rma", "session", "threads", "topo")
# Of Fortran what is about windows. Those of mpi_f08 the suite builds only within MPICH's own build.
FORTRAN = ("f77/rma", "f90/rma")
# Of a folder: its tests, and those that are repeated with many datatypes. testlist.cvar, which is left out, repeats the
# collectives with hundreds of MPICH's own settings.
LISTS = ("testlist", "testlist.dtp")
# The suite has no list of these, which print what they do; name: ranks. A good end is status 0.
BASIC = {"adapt": 3, "patterns": 2, "self": 1, "sendrecv": 2, "simple": 2, "srtest": 2, "wtime": 2}
# Folders of what mana refuses as a whole, and of what is not C. FORTRAN has what is run of the latter.
LEFT_OUT = {"io", "spawn", "f77", "f90", "f08", "cxx", "impls", "faults"}
DEFAULT_RANKS, DEFAULT_LIMIT_S = 2, 180

STATUS = "status 0"


def category_of(folder):
    """The folder's first part. Windows have tests in many folders, which are categories of their own."""
    return folder if folder.endswith("/rma") else folder.partition("/")[0]


@dataclasses.dataclass(frozen=True)
class Test:
    folder: str                 # below the suite's root
    program: str
    ranks: int = DEFAULT_RANKS
    arguments: tuple = ()
    environment: tuple = ()     # of NAME=VALUE
    mpirun_words: tuple = ()
    limit_s: float = DEFAULT_LIMIT_S
    good_end: str = ""          # the suite's resultTest; "": "No Errors" and status 0; or STATUS
    memory_gb: float = 0.0
    strict: bool = True         # the standard asks for what is tested

    @property
    def category(self):
        return category_of(self.folder)

    @property
    def name(self):
        return " ".join([f"{self.folder}/{self.program}", str(self.ranks), *self.arguments, *self.environment])


def parse_line(folder, line):
    """The test of a line, None for one that names none or wants a GPU. ValueError for a word that is not understood."""
    words = line.partition("#")[0].split()
    if not words or words[0].startswith("!"):
        return None
    path = pathlib.PurePosixPath(folder) / words[0]
    values = {"arg": [], "env": [], "mpiexecarg": []}
    rest = words[1:]
    ranks = int(rest.pop(0)) if rest and rest[0].isdigit() else DEFAULT_RANKS
    for word in rest:
        name, equal, value = word.partition("=")
        if not equal:
            continue
        if name in ("gpu", "hasgpu"):
            return None
        if name in ("arg", "env", "mpiexecarg"):
            values[name].append(value)
        elif name in ("timeLimit", "resultTest", "mem", "strict", "mpix", "xfail", "lock", "init", "mpiversion"):
            values[name] = value
        else:
            raise ValueError(f"{folder}: {word!r} is not understood")
    return Test(str(path.parent), path.name, ranks, tuple(values["arg"]), tuple(values["env"]),
                tuple(values["mpiexecarg"]), float(values.get("timeLimit", DEFAULT_LIMIT_S)),
                values.get("resultTest", ""), float(values.get("mem", 0)),
                values.get("strict", "").lower() != "false" and values.get("mpix", "").lower() != "true")


def read_folder(built, source, folder):
    """Tests of this folder and those that its lists name. Lists that configure made stand in `built`."""
    for name in LISTS:
        file = next((root / folder / name for root in (built, source) if (root / folder / name).exists()), None)
        for line in file.read_text().splitlines() if file else ():
            entry = line.partition("#")[0].split()
            if entry and (source / folder / entry[0]).is_dir():
                if entry[0] not in LEFT_OUT:
                    yield from read_folder(built, source, f"{folder}/{entry[0]}")
            elif test := parse_line(folder, line):
                yield test


def tests(built, source):
    """All tests of the categories, in the lists' order, each once."""
    found = [Test("basic", program, ranks, good_end=STATUS) for program, ranks in BASIC.items()]
    for category in CATEGORIES:
        found += read_folder(built, source, category)
    for folder in FORTRAN:
        found += read_folder(built, source, folder)
    return list(dict.fromkeys(found))


NO_ERRORS = re.compile(r"^\s*No [Ee]rrors\s*$")
EXPECTED = re.compile(r"^\s*(No [Ee]rrors|Test [Pp]assed)?\s*$")


def judge(test, status, lines):
    """What is wrong with a run that ended by itself, None if nothing. Its exit status must tell of errors where the test
    makes some."""
    if test.good_end in ("TestStatus", "TestErrFatal"):
        return "status 0 after an error" if status == 0 else None
    if test.good_end == STATUS:
        return None if status == 0 else f"ended with status {status}"
    unexpected = [line.strip() for line in lines if not EXPECTED.match(line)]
    if unexpected:
        return unexpected[0]
    if not any(NO_ERRORS.match(line) for line in lines):
        return f"ended with status {status} and without 'No Errors'"
    if status != 0 and test.good_end != "TestStatusNoErrors":
        return f"ended with status {status}"
    return None
