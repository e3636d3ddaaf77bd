#!/usr/bin/python3
"""Which functions and constants of the description an mpi.h declares, as its compiler says: declared.py HEADER -- COMPILER ARGUMENT…

declared.py --names and declared.py --values print the names that are looked for, as JSON's texts.

Writes a header that defines MANA_DECLARES_<name> for each of them, and for data that only some versions have. Versions of a
family differ in their functions and constants, so nobody else says which there are.
"""
import json
import pathlib
import sys

import families
import generate
import model
import mpi_compiler
import values


def names():
    """Names of all functions, and of data that a data_symbols.toml has only where mpi.h does."""
    data = [name for family in families.load() for name, row in family.toml("data_symbols.toml").items()
            if isinstance(row, dict) and row.get("declared")]
    return [function.name for function in model.load()] + data


def constants():
    return values.looked_for(values.read())


def main():
    asked = {"--names": names, "--values": constants}.get(" ".join(sys.argv[1:]))
    if asked:
        print(", ".join(map(json.dumps, asked())), end="")
        return
    header, separator, *compiler = sys.argv[1:] if len(sys.argv) > 3 else ("", "")
    if separator != "--" or not compiler:
        sys.exit(__doc__)
    try:
        found = mpi_compiler.declared(names(), constants(), compiler)
    except (RuntimeError, model.DescriptionError, families.FamilyError) as error:
        sys.exit(f"codegen: {error}")
    generate.write(pathlib.Path(header), mpi_compiler.declared_header(found))


if __name__ == "__main__":
    main()
