"""docs/coverage.md is what the description says: coverage.py FILE"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

with tempfile.TemporaryDirectory() as folder:
    fresh = pathlib.Path(folder) / "coverage.md"
    subprocess.run([sys.executable, ROOT / "codegen" / "generate.py", folder, "--coverage", fresh], check=True)
    if fresh.read_text() != pathlib.Path(sys.argv[1]).read_text():
        sys.exit(f"{sys.argv[1]} is old: codegen/generate.py OUTPUT --coverage {sys.argv[1]}")
