#!/usr/bin/python3
"""Writes the generated files:
generate.py OUTPUT_DIRECTORY [--coverage FILE] [--values FILE] [--lock FILE] [--family FOLDER]…
It writes only files that changed. --family: another family of MPI libraries, whose folder is not in mpis/.

generate.py --declarations NAME FILE: writes the mpi.h of a family whose mpi.h is generated.

generate.py --append [--minor N]: appends slots for new functions of MPI to slots.lock, as of minor N.
"""
import argparse
import pathlib
import re
import sys
import tomllib

import jinja2

import families
import model
import operations
import slots
import values

TEMPLATES = model.HERE.parent / "templates"
ENVIRONMENT = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), undefined=jinja2.StrictUndefined, trim_blocks=True,
                                 lstrip_blocks=True, keep_trailing_newline=True)
# Output name → template. Each template's first line names its input.
OUTPUTS = {
    "mana/gen/function_tags.hpp": "function_tags.hpp.j2",
    "mana/gen/lower_slots.hpp": "lower_slots.hpp.j2",
    "mana/gen/app_predefined.hpp": "app_predefined.hpp.j2",
    "mana/gen/real_predefined.hpp": "real_predefined.hpp.j2",
    "mana/gen/refused_functions.hpp": "refused_functions.hpp.j2",
    "mana/gen/calls.hpp": "calls.hpp.j2",
    "mana/gen/family.hpp": "family.hpp.j2",
    "mana/gen/families.hpp": "families.hpp.j2",
    "mana/gen/message_calls.h": "message_calls.h.j2",
    "library_calls.cpp": "library_calls.cpp.j2",
    "lower_table.cpp": "lower_table.cpp.j2",
    "wrappers.cpp": "wrappers.cpp.j2",
    "data_symbols.cpp": "data_symbols.cpp.j2",
    "every_function.hpp": "every_function.hpp.j2",
    "freed_arguments.h": "freed_arguments.h.j2",
}


def write_headers(output, built):
    """Writes <mana/mpis/NAME/…>, which include the families' own headers. An installation has the headers there."""
    for family in built:
        for header in family.headers:
            write(output / "mana" / "mpis" / family.name / header,
                  f'// Generated: the header of this name in the family\'s folder.\n#include "{family.folder / header}"\n')


def find_tests(functions):
    """Sets each function's `test` to the first test program that calls it."""
    programs = sorted((model.HERE.parent / "tests" / "mpi" / "programs").rglob("*.c"))
    programs += sorted((model.HERE.parent / "examples").glob("*/*.c"))
    texts = [(program.stem, program.read_text()) for program in programs]
    for function in functions:
        call = re.compile(rf"\b{function.name}\b")
        function.test = next((name for name, text in texts if call.search(text)), "")


def write_declarations(family, functions, file):
    """Writes the mpi.h of a family that has no other."""
    write(file, ENVIRONMENT.get_template("declared_mpi.h.j2").render(
        family=family, constants=values.typed(family.toml("constants.toml")),
        functions=[function for function in functions if family.name in function.libraries]))


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=pathlib.Path, nargs="?")
    parser.add_argument("--coverage", type=pathlib.Path)
    parser.add_argument("--lock", type=pathlib.Path, default=slots.LOCK)
    parser.add_argument("--values", type=pathlib.Path)
    parser.add_argument("--append", action="store_true")
    parser.add_argument("--declarations", nargs=2, metavar=("NAME", "FILE"))
    parser.add_argument("--minor", type=int)
    parser.add_argument("--family", type=pathlib.Path, action="append", default=[])
    options = parser.parse_args(arguments)
    if not options.append and not options.declarations and options.output is None:
        parser.error("where do the generated files go? OUTPUT_DIRECTORY is missing")
    try:
        known = families.load(options.family)
        built = families.supported(known)
        functions = model.load(mpis=built)
        families.check_lacks(known, {f.name for f in functions})
        if options.append:
            added = slots.append(options.lock, functions, options.minor)
            print("\n".join(added) or "each function has its slot already")
            return 0
        if options.declarations:
            name, file = options.declarations
            write_declarations(next(family for family in built if family.name == name), functions, pathlib.Path(file))
            return 0
        minors = slots.read(options.lock)
        in_order = slots.in_order(functions, minors)
    except (model.DescriptionError, families.FamilyError) as error:
        print(f"codegen: {error}", file=sys.stderr)
        return 1
    find_tests(functions)
    by_name = {function.name: function for function in functions}
    given_values = values.read()
    given = {"given": given_values, "enumerations": values.enumerations(given_values),
             "classes": values.named("error", given_values["classes"]["error"]), "functions": functions,
             "slots": in_order, "small_of": {f.name: by_name[f.name[:-2]] for f in in_order if f.name.endswith("_c") and f.name[:-2] in by_name},
             "slot_counts": slots.counts(minors), "predefined": values.asked(given_values),
             "data_symbols": {family.name: family.toml("data_symbols.toml") for family in built},
             "families": built, "stems": families.stems(known),
             "operations": operations.operations(functions)}
    write_headers(options.output, built)
    for name, template in OUTPUTS.items():
        write(options.output / name, ENVIRONMENT.get_template(template).render(given))
    if options.values:
        write(options.values, ENVIRONMENT.get_template("values.hpp.j2").render(given))
    if options.coverage:
        write(options.coverage, ENVIRONMENT.get_template("coverage.md.j2").render(given))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
