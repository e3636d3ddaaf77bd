"""mana run --cpu LEVEL: libc chooses nothing beyond it, before and after a restart, and the images ask for nothing more."""
import argparse
import pathlib
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, has_ended_well, mpi_environment, mpirun  # noqa: E402

LIMIT_S = 240
FEATURES_AT = 56                 # of the header (include/mana/image/format.hpp), four words
AVX, SSE4_2 = 1 << 28, 1 << 20   # of the first word
AVX2 = 1 << 5                    # of the second


def run(options, directory, *words):
    """What mana says on standard output."""
    done = subprocess.run([*mpirun(options.mpi, 1), str(options.build.resolve() / "bin" / "mana"), *words], cwd=directory,
                          env={**mpi_environment(), "FIDELITY": "s"}, capture_output=True, text=True, timeout=LIMIT_S)
    if not has_ended_well(done.returncode, done.stderr):
        raise Failed(f"mana {words[0]} ended with status {done.returncode}:\n{done.stderr}")
    return done.stdout


def features(directory):
    """The words of the newest image's header."""
    image = max(directory.glob("ckpt/gen-*/rank-*"))
    return struct.unpack_from("<4Q", image.read_bytes()[:FEATURES_AT + 32], FEATURES_AT)


def check(options):
    directory = options.build.resolve() / "restart-runs" / f"processor-{options.mpi}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    wanted = "sse4_2 1, avx2 0\n"
    first = run(options, directory, "run", "--cpu", "x86-64-v2", "--ckpt-dir", "ckpt", "--", options.program)
    if first != wanted:
        raise Failed(f"limited to x86-64-v2, the program says {first!r}")
    found = features(directory)
    if found[0] & AVX or found[1] & AVX2 or not found[0] & SSE4_2:
        raise Failed(f"the image needs {found}")
    second = run(options, directory, "restart", "ckpt")
    if second != wanted + "1 lines met, 0 wrong\n":
        raise Failed(f"restarted, the program says {second!r}")
    shutil.rmtree(directory / "ckpt")
    free = run(options, directory, "run", "--ckpt-dir", "ckpt", "--", options.program)
    found = features(directory)
    if free == wanted and found[1] & AVX2:
        raise Failed("without a level libc uses no more: the test tests nothing")
    if bool(found[1] & AVX2) != ("avx2 1" in free):
        raise Failed(f"without a level the program says {free!r}, and the image needs {found}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("program", help="levels.c")
    try:
        check(parser.parse_args())
    except (Failed, subprocess.TimeoutExpired) as failed:
        print(f"FAILED: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
