"""INV-93: the neutral values are those of the MPI 5.0 standard ABI, and values.hpp is made from them: values.py VALUES_HPP"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "codegen")        # not this file
import values  # noqa: E402

for fault in values.faults():
    print(fault)
if values.faults():
    sys.exit("predefined.toml has values that are not the standard ABI's (mpi_5_0_values.toml)")
with tempfile.TemporaryDirectory() as folder:
    fresh = pathlib.Path(folder) / "values.hpp"
    subprocess.run([sys.executable, ROOT / "codegen" / "generate.py", folder, "--values", fresh], check=True)
    if fresh.read_text() != pathlib.Path(sys.argv[1]).read_text():
        sys.exit(f"{sys.argv[1]} is old: codegen/generate.py OUTPUT --values {sys.argv[1]}")
