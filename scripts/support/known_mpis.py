#!/usr/bin/python3
"""Names of the families of MPI libraries that mana is built for, or, with `packages`, of Debian's packages of them: one a line."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "codegen"))
import families  # noqa: E402

BUILT = families.supported(families.load())
FAMILIES = [family.name for family in BUILT]

if __name__ == "__main__":
    print("\n".join(package for family in BUILT for package in family.packages) if "packages" in sys.argv else "\n".join(FAMILIES))
