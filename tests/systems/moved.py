#!/usr/bin/python3
"""This build, installed and moved to another system: it learns that system's MPIs, and checkpoints cross between the systems.

    moved.py --build build/test

`mana add-mpi` builds the lower halves there, with that system's compiler and MPIs. heat2d and two other programs are built there,
too. Each is saved over each live MPI, here and there, and restarted over each (tests/restart/crossing/square.py). The other
system is Debian 13, or testing if this is Debian 13. Exit status: 77 if this machine cannot lay out or enter a root directory of it.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from live_mpis import codename  # noqa: E402

DEBIAN_13, TESTING = "trixie", "forky"
SEED = "5"      # of the one random program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree")
    build = parser.parse_args().build.resolve()
    system = TESTING if codename() == DEBIAN_13 else DEBIAN_13
    systems = build / "systems"

    def there(*words):
        print(f"{system}: {' '.join(words)}", flush=True)
        subprocess.run([TREE / "scripts" / "support" / "system_root.py", "--systems", systems, system, "--", *words], check=True)

    def here(*words, quietly=False):
        print(" ".join(map(str, words)), flush=True)
        done = subprocess.run(list(map(str, words)), check=False, text=True, stderr=subprocess.STDOUT,
                              stdout=subprocess.PIPE if quietly else None)
        if done.returncode != 0:
            print(done.stdout or "", flush=True)
            done.check_returncode()

    try:
        there("scripts/install-deps")
        installed = systems / system / "build" / "moved"
        shutil.rmtree(installed, ignore_errors=True)
        here("cmake", "--install", build, "--prefix", installed, quietly=True)
        for mpi in FAMILIES:
            there("build/moved/bin/mana", "add-mpi", "--replace", f"mpicc.{mpi}")
        results = systems / "moved.json"
        results.unlink(missing_ok=True)
        here(TREE / "tests" / "restart" / "crossing" / "square.py", "page", build, f"{system}={installed}",
             "--seeds", f"{SEED}..{SEED}", "--jobs", 2, "--results", results, "--check")
    except subprocess.CalledProcessError as failed:
        print(failed)
        return failed.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
