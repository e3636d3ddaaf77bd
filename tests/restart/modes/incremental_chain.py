"""A chain of incremental checkpoints of one run, and restarts from some of them: each ends as the undisturbed run does.

Takes --checkpoints checkpoints at random moments, all of which are kept, lets the program end, verifies all, and restarts
--restarts of them, drawn at random, in turn eagerly and lazily.
"""
import json
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed  # noqa: E402
from workplace import main  # noqa: E402


def counted(job):
    """All lines of the job that count, to a good end."""
    job.end()
    return [line for line in job.said if line.startswith(("step", "checksum"))]


def take_all(place, options, chance, program, how):
    job = place.run(*program, options=how)
    for taken in range(options.checkpoints):
        time.sleep(chance.uniform(0, 2e-3 * options.pause))      # at any moment of a step
        if not job.checkpoint(place.command, place.ckpt):
            raise Failed(f"the program ended after {taken} checkpoints: give it more steps")
    return counted(job)


def check_chain(place, options):
    """All bytes, and that no image refers to more than the chain's bound. Returns (whole ones, bytes of all)."""
    generations = sorted(place.ckpt.glob("gen-*"))
    place.require("generations", len(generations), options.checkpoints)
    place.mana("verify", place.ckpt)
    built = [json.loads((g / "manifest.json").read_text())["builds_on"] for g in generations]
    if (longest := max(map(len, built))) >= options.full_every:
        raise Failed(f"a checkpoint builds on {longest} others")
    return sum(not b for b in built), sum(f.stat().st_size for f in place.ckpt.rglob("*.mana"))


def restart(place, number, expected, *words):
    found = counted(place.restart(*words, ckpt=f"ckpt/gen-{number:06}"))
    if not found or found != expected[-len(found):]:
        raise Failed(f"restarted from {number}: the output is not the end of the undisturbed one's, see {place.log}")
    return len(found)


def tell(place, options):
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    program = (place.program("stress"), str(options.steps), str(options.pause))
    how = ["--incremental", "--full-every", str(options.full_every), "--compress", "none", "--keep", "all"]
    expected = counted(place.start(*program))
    begin = time.monotonic()
    place.require("resumed", take_all(place, options, chance, program, how), expected)
    took = time.monotonic() - begin
    whole, size = check_chain(place, options)
    drawn = sorted(chance.sample(range(1, options.checkpoints + 1), options.restarts))
    left = [restart(place, n, expected, *(["--lazy"] if i % 2 else []), *how) for i, n in enumerate(drawn)]
    if left != sorted(left, reverse=True):
        raise Failed(f"later checkpoints have more left to do: {dict(zip(drawn, left))}")
    print(f"{options.checkpoints} checkpoints in {took:.1f} s, {whole} whole, {size / 1e6:.1f} MB; restarted "
          f"{len(drawn)}: {drawn}: all equal")


def arguments(parser):
    parser.add_argument("--checkpoints", type=int, default=12)
    parser.add_argument("--restarts", type=int, default=2)
    parser.add_argument("--full-every", type=int, default=5)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--pause", type=int, default=2, help="of the program after each step, in ms")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)


if __name__ == "__main__":
    sys.exit(main(__doc__, "incremental_chain", tell, arguments))
