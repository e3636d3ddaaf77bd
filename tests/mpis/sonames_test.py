#!/usr/bin/python3
"""Programs that name the MPI's library as a site's MPI does: each runs, is saved and is restarted, though there is no library of that name. A
program that names libraries of two MPIs is refused by name.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "support"))
from workplace import main  # noqa: E402

SOURCES = [ROOT / "examples" / "heat2d" / name for name in ("heat2d.c", "heat2d_files.c")]
SITES = ("libmpi.so.12", "libmpi_gnu_123.so.12", "libmpi_cray.so.12")
OTHER = "libmpi.so.40"
MISMATCH = 71
PARAMETERS = "rows = {0}\ncols = {0}\nsteps = {1}\nreport = 20\nalpha = 0.2\noutput = heat2d.out\n"
RESULT = "checksum"


def compiled(place, options):
    """Objects of heat2d, and the functions of MPI that they call."""
    shown = subprocess.run([options.mpicc, "-show"], capture_output=True, text=True, check=True).stdout.split()
    objects = [place.directory / f"{source.stem}.o" for source in SOURCES]
    for source, made in zip(SOURCES, objects):
        subprocess.run([options.compiler, "-O2", *(word for word in shown if word.startswith("-I")), "-c", source, "-o", made], check=True)
    said = subprocess.run(["nm", "-u", *objects], capture_output=True, text=True, check=True).stdout
    return objects, sorted(set(re.findall(r"U (MPI_\w+)", said)))


def program(place, options, name, *sonames):
    """heat2d, linked with libraries of these names, which are not there when it runs."""
    objects, functions = compiled(place, options)
    source = place.directory / "functions.c"
    source.write_text("".join(f"void {function}(void) {{}}\n" for function in functions))      # for the linker alone
    libraries = [place.directory / soname for soname in sonames]
    for library in libraries:
        subprocess.run([options.compiler, "-shared", "-fPIC", source, f"-Wl,-soname,{library.name}", "-o", library], check=True)
    file = place.directory / name
    subprocess.run([options.compiler, *objects, "-Wl,--no-as-needed", *libraries, "-lm", "-o", file], check=True)
    for library in libraries:
        library.unlink()
    return file


def result(lines):
    return [line for line in lines if RESULT in line]


def tell(place, options):
    (place.directory / "short.par").write_text(PARAMETERS.format(100, 100))
    (place.directory / "long.par").write_text(PARAMETERS.format(400, 3000))
    native = subprocess.run([options.mpicc, "-O2", *SOURCES, "-lm", "-o", place.directory / "native"], check=False)
    place.require("heat2d is compiled", native.returncode, 0)
    wanted = {name: result(place.start(place.directory / "native", name).end()) for name in ("short.par", "long.par")}
    for soname in SITES:
        named = program(place, options, "heat2d-" + soname.partition(".")[0], soname)
        place.require(f"{soname}: runs", result(place.run(named, "short.par", up=False).end()), wanted["short.par"])
    place.run(named, "long.par")
    place.checkpoint()
    place.jobs[-1].killed()
    place.require(f"{soname}: restarts", result(place.restart().end()), wanted["long.par"])
    both = program(place, options, "both", SITES[1], OTHER)
    said = place.refused(MISMATCH, "run", both)
    place.check("libraries of two MPIs are named", f"({SITES[1]}, {OTHER})" in said and "MPICH and Open MPI" in said, said)


def words(parser):
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--mpicc", required=True)


if __name__ == "__main__":
    sys.exit(main(__doc__, "sonames", tell, words))
