"""The standard ABI's header of each MPI that is installed has the values and sizes that mana has: installed_abi.py C_COMPILER

Exit status 77: no MPI here has one."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "codegen"))
import families  # noqa: E402
import values  # noqa: E402

PLACES = ("/usr/lib/*/mpich/include/mpi_abi.h", "/usr/include/*/mpich/mpi_abi.h", "/usr/lib/*/openmpi/include/standard_abi/mpi.h",
          "/usr/local/include/mpi_abi.h")
SIZES = {"MPI_Status": 32, "MPI_Aint": 8, "MPI_Count": 8, "MPI_Offset": 8, "MPI_Comm": 8}


def program(header):
    """C code that compiles if a header has mana's values. A constant that the header lacks is none of its mistakes."""
    standard = next(family for family in families.load() if family.name == "standard")
    lines = [f'#include "{header}"', "#include <stdint.h>"]
    lines += [f'_Static_assert(sizeof({name}) == {size}, "{name}");' for name, size in SIZES.items()]
    checks = [f'#ifdef {name}\nif ((intptr_t){name} != {value}) return 1;\n#endif' for name, _, value in
              values.typed(standard.toml("constants.toml"))]
    return "\n".join([*lines, "int main(void) {", *checks, "return 0; }", ""])


def main(compiler):
    found = [str(path) for place in PLACES for path in pathlib.Path("/").glob(place[1:])]
    if not found:
        print("skipped: no MPI of this system has a header of the standard ABI")
        return 77
    for header in found:
        with tempfile.TemporaryDirectory() as folder:
            source, binary = pathlib.Path(folder) / "values.c", pathlib.Path(folder) / "values"
            source.write_text(program(header))
            subprocess.run([compiler, "-w", "-I", str(pathlib.Path(header).parent), str(source), "-o", str(binary)], check=True)
            subprocess.run([str(binary)], check=True)
            print(f"{header}: the same values")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
