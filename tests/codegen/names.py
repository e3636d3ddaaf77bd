"""Predefined objects are called what the MPI library calls them: names.py MPICC MPI MANA WORK

All datatypes that mpi.h defines, with sizes and extents, and communicators: a program that prints them is made from
mpi.h's own macros, and run natively and by `mana run`. Both print the same.
"""
import difflib
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from mana_job import mpi_environment, mpirun  # noqa: E402

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
static void datatype(const char* macro, MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = -1, size = -1;
  MPI_Aint low = -1, extent = -1;
  if (type == MPI_DATATYPE_NULL) { printf("%s is MPI_DATATYPE_NULL\n", macro); return; }
  MPI_Type_get_name(type, name, &length);
  MPI_Type_size(type, &size);
  MPI_Type_get_extent(type, &low, &extent);
  printf("%s: \"%s\" %d, %d bytes, from %ld, %ld\n", macro, name, length, size, (long)low, (long)extent);
}
static void comm(const char* what, MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = -1;
  MPI_Comm_get_name(comm, name, &length);
  printf("%s: \"%s\" %d\n", what, name, length);
}
int main(int argc, char** argv) {
  MPI_Comm made;
  MPI_Datatype type;
  MPI_Init(&argc, &argv);
@TYPES@
  comm("world", MPI_COMM_WORLD), comm("self", MPI_COMM_SELF);
  MPI_Comm_dup(MPI_COMM_WORLD, &made), comm("copy", made);
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made), comm("part", made);
  MPI_Comm_set_name(MPI_COMM_WORLD, "mine"), comm("named", MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &made), comm("copy of a named one", made);
  MPI_Type_contiguous(2, MPI_INT, &type), datatype("two", type);
  MPI_Type_dup(MPI_INT, &type), datatype("copy of a predefined one", type);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int classes[] = {MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL, MPI_TYPECLASS_COMPLEX};
  for (int i = 0; i < 3; ++i)
    for (int bytes = 1; bytes <= 32; bytes *= 2)
      if (MPI_Type_match_size(classes[i], bytes, &type) == MPI_SUCCESS) datatype("of that size", type);
      else printf("none of %d\n", bytes);
  MPI_Type_set_name(MPI_INT, "number"), datatype("renamed", MPI_INT);
  MPI_Finalize();
  return 0;
}
"""
A_TYPE = re.compile(r"#define (\w+) (?:\(*MPI_Datatype\b|OMPI_PREDEFINED_GLOBAL\( ?MPI_Datatype)")


def types(mpicc):
    """Macros of mpi.h that are datatypes; those that a program may not name any more are left out."""
    done = subprocess.run([mpicc, "-E", "-dM", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True,
                          text=True, check=True)
    found = sorted(m[1] for line in done.stdout.splitlines() if (m := A_TYPE.match(line)))
    return [name for name in found if name not in ("MPI_DATATYPE_NULL", "MPI_Datatype")]


def main(mpicc, mpi, mana, work):
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    names = types(mpicc)
    assert len(names) > 60, f"mpi.h of {mpicc} has only {len(names)} datatypes"
    source, program = work / "names.c", work / "names"
    source.write_text(PROGRAM.replace("@TYPES@", "".join(f'  datatype("{name}", {name});\n' for name in names)))
    subprocess.run([mpicc, "-w", "-o", program, source], check=True)
    native, ours = (subprocess.run([*mpirun(mpi, 1), *words, program], cwd=work, env=mpi_environment(), timeout=240,
                                   capture_output=True, text=True, check=True).stdout.splitlines()
                    for words in ([], [mana, "run"]))
    difference = list(difflib.unified_diff(native, ours, "native", "mana run", n=0, lineterm=""))
    print("\n".join(difference), f"{len(names)} datatypes of mpi.h", sep="\n")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
