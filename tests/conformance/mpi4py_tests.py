"""mpi4py's own test suite: a test is one of its files, run by its script runtests.py with the installed python3-mpi4py."""
import pathlib
import re
import subprocess
import sys

import obtain
import testlists

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from known_mpis import BY_NAME  # noqa: E402

PYTHON = "/usr/bin/python3"       # the one for which Debian's package is
RANKS = (1, 2, 3)
# mpi4py asks for MPI_THREAD_MULTIPLE, for which Open MPI 4.1 has no windows of one rank, and the tests of windows leave all out.
SETTINGS = ("MPI4PY_RC_THREAD_LEVEL=serialized",)
GOOD = "OK"       # the ranks' lines may be one
LEFT_OUT = re.compile("spawn|dynproc|_io|file|package|doc")      # refused as a whole, or not about MPI


def suite(options, place, selected):
    """(tree, tests, judge, version), as conformance.py wants them."""
    version = obtain.source_version("python3-mpi4py")
    if version is None or links_with() != options.mpi:
        raise obtain.Unavailable(f"there is no python3-mpi4py for {options.mpi}")
    source = options.source or obtain.source_package("mpi4py", version, place)
    return prepared(source.resolve(), place / "suite-mpi4py"), selected(tests(source)), judge, version.partition("-")[0]


def links_with():
    """The MPI of the installed mpi4py, None if it cannot be told."""
    text = subprocess.run([PYTHON, "-c", "import mpi4py.MPI as m; print(m.Get_library_version())"], capture_output=True,
                          text=True, check=False).stdout
    return next((name for name, family in BY_NAME.items() if family.long_name in text), None)


def prepared(source, tree):
    """A tree in which the interpreter stands beside the tests."""
    tree.mkdir(parents=True, exist_ok=True)
    for name, target in (("test", source / "test"), ("python3", pathlib.Path(PYTHON))):
        if not (tree / name).is_symlink():
            (tree / name).symlink_to(target)
    return tree


def tests(source):
    """A test for each file and number of ranks. The suite's script looks for the expression in a module's name, or in its path."""
    names = sorted(file.stem for file in (source / "test").glob("test_*.py"))
    return [testlists.Test(".", "python3", ranks, ("test/runtests.py", "--no-builddir", "-q", "-i", rf"\b{name}(\.py)?$"), SETTINGS)
            for name in names if not LEFT_OUT.search(name) for ranks in RANKS]


def judge(test, status, lines):
    """What is wrong with a run that ended by itself, None if nothing: each rank says OK."""
    good = sum(line.count(GOOD) for line in lines)
    if bad := [line.strip() for line in lines if re.match(r"\s*(FAILED|FAIL:|ERROR:|Traceback)", line)]:
        return bad[0]
    if good < test.ranks:
        return f"{good} of {test.ranks} ranks said OK"
    return None if status == 0 else f"ended with status {status}"
