#!/usr/bin/python3
"""A handle crosses the boundary in the register of a 64-bit number, or in its memory: wrappers in images may know it as one.

    registers.py COMPILER INCLUDE lower_slots.hpp
Functions that pass their arguments on to a slot or a service, one for each, are compiled with the types that the headers have and
with numbers for handles: the same code comes out, so callers and callees of both kinds fit together.
"""
import pathlib
import re
import subprocess
import sys

import check


def callers(members, struct):
    """C++: the table as a struct, and a caller of each of its functions."""
    table = "".join(f"  {result} (*{name})({given});\n" for result, name, given in members)
    text = f"struct {struct} {{\n{table}}};\n"
    for result, name, given in members:
        types = given.split(", ") if given else []
        names = [f"a{i}" for i in range(len(types))]
        parameters = ", ".join([f"const {struct}& table"] + [f"{t} {n}" for t, n in zip(types, names)])
        text += f'extern "C" {result} {struct}_{name}({parameters}) {{ return table.{name}({", ".join(names)}); }}\n'
    return text


def code(compiler, include, text):
    source = f"#include <mana/lower/abi.hpp>\nnamespace mana::lower {{\n{text}}}\n"
    return subprocess.run([compiler, "-std=c++20", "-O2", "-S", "-o", "-", "-x", "c++", f"-I{include}", "-"], input=source,
                          text=True, capture_output=True, check=True).stdout


def main(compiler, include, slots):
    members = check.members(pathlib.Path(slots), "mpi_slots")
    services = [(result, name, re.sub(r" ?\w+(?=,|$)", "", given))      # their parameters have names
                for result, name, given in check.members(pathlib.Path(include) / "mana/lower/abi.hpp", "services")]
    text = callers(members, "all_slots") + callers(services, "all_services")
    handles = len(check.HANDLE.findall(text))
    if handles == 0:
        return "registers: no handle crosses the boundary?"
    if code(compiler, include, text) != code(compiler, include, check.HANDLE.sub("std::uint64_t", text)):
        return "registers: a handle does not cross the boundary as a 64-bit number does: see mana::real in core/handle.hpp"
    return print(f"{len(members)} slots and {len(services)} services, {handles // 2} handles")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
