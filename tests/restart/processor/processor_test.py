"""mana run --cpu LEVEL: libc chooses nothing beyond it, before and after a restart, and the images ask for nothing more."""
import pathlib
import shutil
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, has_ended_well  # noqa: E402
from workplace import main  # noqa: E402

FEATURES_AT = 56                 # of the header (include/mana/image/format.hpp), four words
AVX, SSE4_2 = 1 << 28, 1 << 20   # of the first word
AVX2 = 1 << 5                    # of the second


def said(place, *words):
    """By a job that ends well, on standard output."""
    done = place.ended(place.command, *words, FIDELITY="s")
    if not has_ended_well(done.status, done.errors):
        raise Failed(f"mana {words[0]} ended with status {done.status}:\n{done.errors}")
    return done.output


def features(place):
    """The words of the newest image's header."""
    image = max(place.ckpt.glob("gen-*/rank-*"))
    return struct.unpack_from("<4Q", image.read_bytes()[:FEATURES_AT + 32], FEATURES_AT)


def tell(place, options):
    wanted = "sse4_2 1, avx2 0\n"
    first = said(place, "run", "--cpu", "x86-64-v2", "--ckpt-dir", "ckpt", "--", options.program)
    place.require("limited to x86-64-v2, the program says", first, wanted)
    found = features(place)
    if found[0] & AVX or found[1] & AVX2 or not found[0] & SSE4_2:
        raise Failed(f"the image needs {found}")
    place.require("restarted, the program says", said(place, "restart", "ckpt"), wanted + "1 lines met, 0 wrong\n")
    shutil.rmtree(place.ckpt)
    free = said(place, "run", "--ckpt-dir", "ckpt", "--", options.program)
    found = features(place)
    if free == wanted and found[1] & AVX2:
        raise Failed("without a level libc uses no more: the test tests nothing")
    if bool(found[1] & AVX2) != ("avx2 1" in free):
        raise Failed(f"without a level the program says {free!r}, and the image needs {found}")


if __name__ == "__main__":
    sys.exit(main(__doc__, "processor", tell, ranks=1, program="levels.c"))
