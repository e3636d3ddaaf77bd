#!/usr/bin/python3
"""Names of the families of MPI libraries that mana is built for, or, with `packages`, of Debian's packages of them: one a line.
For tests and measurements, what holds over them."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "codegen"))
import families  # noqa: E402

BUILT = [family for family in families.supported(families.load()) if not family.declared]      # those that are installed
FAMILIES = [family.name for family in BUILT]
BY_NAME = {family.name: family for family in BUILT}


def of_tests(mpi, key):
    """A fact of a family's table [tests]. One whose folder is not in mpis/ gets what holds for a family that does not say."""
    return BY_NAME[mpi].of_tests(key) if mpi in BY_NAME else families.TESTS[key]


if __name__ == "__main__":
    print("\n".join(package for family in BUILT for package in family.packages) if "packages" in sys.argv else "\n".join(FAMILIES))
