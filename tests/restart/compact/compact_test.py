"""mana compact and mana prune: the newest of a chain of incremental checkpoints is made whole, the others go, and a restart ends
with the same result; also beside a job that runs there."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed  # noqa: E402
from workplace import main  # noqa: E402

STEPS = ("300", "5")
CHAIN = 4


def tell(place, _):
    def command(*words):
        return json.loads(place.mana(*words, "--json"))

    program, c = (place.program("stress"), *STEPS), place.ckpt
    expected, _ = place.result(*program)
    job = place.run(*program, options=("--incremental", "--full-every", "100", "--keep", "all"))
    for _ in range(CHAIN):
        place.checkpoint()
    beside = command("compact", c)
    place.stop(job)
    if beside["from"] != CHAIN or beside["to"] != CHAIN + 1:
        raise Failed(f"beside a job: {beside}")
    done = command("compact", c, "--compress", "zstd:3")
    newest = CHAIN + 2
    if done["from"] != newest or done["to"] != newest + 1 or not done["builds_on"]:
        raise Failed(f"not compacted: {done}")
    would = command("prune", c, "--keep", "1", "--dry-run")
    gone = command("prune", c, "--keep", "1")
    if would["removed"] != list(range(1, newest + 1)) or would["removed"] != gone["removed"] or would["bytes"] != gone["bytes"]:
        raise Failed(f"not what was to go: {would}, {gone}")
    place.require("left", [g.name for g in c.glob("gen-*")], [f"gen-{newest + 1:06}"])
    place.mana("verify", c)
    place.result(place.command, "restart", "ckpt", "--incremental", "--interval", "0.2", "--keep", "3", expected=expected)
    place.mana("verify", c)
    print(f"{place.mpi}: a chain of {CHAIN} made whole twice, pruned, restarted: {expected}")


if __name__ == "__main__":
    sys.exit(main(__doc__, "compact", tell))
