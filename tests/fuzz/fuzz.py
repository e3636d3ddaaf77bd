#!/usr/bin/python3
"""Runs one fuzzer: first all that is in its corpus, then changed bytes for MANA_TEST_FUZZ_S seconds (default 10).

The short run begins with the same seed always; a long one with one of its own, which it prints. An input that fails is kept
in the directory of runs: it goes to the corpus with what mends it.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

SHORT_S = 10
LEAVES = "abort_on_error=1:detect_leaks=1:allocator_may_return_null=0"


def run(words, directory):
    environment = {**os.environ, "ASAN_OPTIONS": LEAVES, "UBSAN_OPTIONS": "print_stacktrace=1"}
    done = subprocess.run(words, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def figures(text):
    """What a run says of itself: inputs that were tried, edges that were reached."""
    tried = re.findall(r"(?:#|stat::number_of_executed_units: +)(\d+)", text)
    reached = re.findall(r"cov: (\d+)", text)
    return f"{tried[-1] if tried else '?'} inputs, {reached[-1] if reached else '?'} edges"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("--fuzzer", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path, action="append", required=True, help="a directory of inputs")
    parser.add_argument("--runs", type=pathlib.Path, required=True)
    options = parser.parse_args()
    seconds = int(os.environ.get("MANA_TEST_FUZZ_S", SHORT_S))
    seed = 1 if seconds <= SHORT_S else time.time_ns() % 1_000_000 + 1
    directory = options.runs / options.target
    shutil.rmtree(directory, ignore_errors=True)
    (directory / "found").mkdir(parents=True)
    seeds = sorted(file.resolve() for corpus in options.corpus for file in corpus.iterdir() if file.is_file())
    if not seeds:
        print(f"{options.target}: its corpus is empty")
        return 1
    status, text = run([options.fuzzer.resolve(), *seeds], directory)
    if status == 0:
        print(f"{options.target}: {len(seeds)} inputs of the corpus")
        status, text = run([options.fuzzer.resolve(), f"-max_total_time={seconds}", f"-seed={seed}", "-timeout=60", "-rss_limit_mb=2048",
                            "-max_len=131072", "-print_final_stats=1", "found", *(corpus.resolve() for corpus in options.corpus)],
                           directory)
    print(text[-6000:] if status else f"{options.target}: seed {seed}, {seconds} s: {figures(text)}")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
