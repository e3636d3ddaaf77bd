"""Traces of the clock: the jobs of a test write them, mana-clock-replay checks them when the jobs have ended."""
import collections
import re
import shutil
import subprocess

from mana_job import Failed

LIMIT_S = 240


class ClockTraces:
    """Of all jobs that are started with options(), from one check() to the next."""

    def __init__(self, build, directory):
        self.replayer = build / "tests" / "replay" / "mana-clock-replay"
        self.directory = directory / "clock-traces"
        self.checked = collections.Counter()

    def options(self):
        """Words for mana run and mana restart."""
        return ["--clock-trace", str(self.directory)]

    def check(self):
        """No job that writes traces may be running. Those that break no rule are removed."""
        done = subprocess.run([self.replayer, self.directory], capture_output=True, text=True, timeout=LIMIT_S,
                              check=False)
        if done.returncode != 0:
            raise Failed(f"the clock's traces (status {done.returncode}): {done.stdout}{done.stderr}"
                         f"(they are in {self.set_aside()})")
        self.checked.update({what: int(count) for what, count in re.findall(r"(\w+) (\d+)", done.stdout)})
        shutil.rmtree(self.directory)

    def set_aside(self):
        """What was looked at does not fail again."""
        kept = self.directory.with_name(f"broken-traces-{len(list(self.directory.parent.glob('broken-traces-*')))}")
        return self.directory.rename(kept) if self.directory.exists() else self.directory

    def __str__(self):
        return "traces: " + ", ".join(f"{count} {what}" for what, count in self.checked.items())
