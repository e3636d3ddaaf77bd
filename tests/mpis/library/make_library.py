#!/usr/bin/python3
"""A toy MPI for one process: mpi.h, libtoympi.so.1 and mpicc.toy from the description of MPI's functions.

make_library.py FOLDER: the functions of toympi.c do something, every other one returns MPI_ERR_OTHER.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "codegen"))
import families  # noqa: E402
import generate  # noqa: E402
import model  # noqa: E402
import values  # noqa: E402

CLASSES = 100            # error classes are numbered below this


def constants():
    for kind, rows in values.rows(values.read()).items():
        known = {}
        for row in rows:
            if row["name"].startswith(("OMPI_", "MPIX_", "MPI_SESSION")) or row["name"] == "MPI_SUCCESS":
                continue
            value = known.setdefault(row["code"], len(known) + 1 if kind == "error" else row["code"])
            assert kind != "error" or value < CLASSES
            handle = f"(MPI_{kind.capitalize()})" if model_has_handle(kind) else ""
            yield f"#define {row['name']} ({handle}{value})"


def model_has_handle(kind):
    return kind in ("comm", "group", "win", "file", "message", "info", "errhandler", "request", "op", "datatype")


def functions():
    toy = families.load([HERE.parent / "toy"])[-1]      # with what it has as another
    return [function for function in model.load(mpis=[toy]) if function.libraries]


def header(described):
    lines = [(HERE / "types.h").read_text(), *constants()]
    for f in described:
        lines += [f"{f.signature};", f"{f.returns} P{f.name}({f.parameter_list});"]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "#endif", ""])


def defaults(described):
    lines = ["/* Generated: what the toy does not do. */", "#include <mpi.h>"]
    for f in described:
        answer = "MPI_ERR_OTHER" if f.reports_errors else f"({f.returns})0"
        for name in (f.name, f"P{f.name}"):
            lines.append(f"__attribute__((weak)) {f.returns} {name}({f.parameter_list}) {{ return {answer}; }}")
    return "\n".join([*lines, "MPI_Fint *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;", ""])


def main(folder):
    folder = pathlib.Path(folder).resolve()
    (folder / "include").mkdir(parents=True, exist_ok=True)
    described = functions()
    generate.write(folder / "include" / "mpi.h", header(described))
    generate.write(folder / "defaults.c", defaults(described))
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-Wl,-soname,libtoympi.so.1", f"-I{folder / 'include'}", "-o",
                    folder / "libtoympi.so.1", HERE / "toympi.c", folder / "defaults.c"], check=True)
    link = folder / "libtoympi.so"
    if not link.exists():
        link.symlink_to("libtoympi.so.1")
    words = f"-I{folder / 'include'} -L{folder} -Wl,-rpath,{folder} -ltoympi"
    command = folder / "mpicc.toy"
    command.write_text(f'#!/bin/sh\nif [ "$1" = -show ]; then echo "cc {words}"; else exec cc "$@" {words}; fi\n')
    command.chmod(0o755)


if __name__ == "__main__":
    main(sys.argv[1])
