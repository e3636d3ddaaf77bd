"""The wrapper library has every function of the MPI library that a C program can name: symbols.py MPICC WRAPPERS"""
import pathlib
import re
import subprocess
import sys

# Names of Open MPI that its mpi.h does not declare: extensions of mpi-ext.h, and C entries of its Fortran modules.
NOT_IN_MPI_H = re.compile(r"^P?MPIX_|_F90$|_FN$|^MPI_CONVERSION_FN_NULL$|^MPI_F_STATUS")


def names(library):
    done = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}


def soname(library):
    done = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    return re.search(r"soname: \[(.+)\]", done.stdout)[1]


def main(mpicc, wrappers):
    words = subprocess.run([mpicc, "-show"], capture_output=True, text=True, check=True).stdout.split()
    folders = [word[2:] for word in words if word.startswith("-L")] + ["/usr/lib/x86_64-linux-gnu"]
    native = next(path for folder in folders if (path := pathlib.Path(folder) / soname(wrappers)).exists())
    wanted = {name for name in names(native) if re.match(r"^P?MPIX?_[A-Z]", name)}
    if "mpich" not in mpicc:
        wanted = {name for name in wanted if not NOT_IN_MPI_H.search(name)}
    missing = sorted(wanted - names(wrappers))
    assert len(wanted) > 600, f"only {len(wanted)} names found in {native}"
    for name in missing:
        print(f"{wrappers}: no {name}: describe it in codegen/api")
    print(f"{len(wanted)} names of {native}, {len(missing)} missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
