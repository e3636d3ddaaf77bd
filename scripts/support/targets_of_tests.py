#!/usr/bin/python3
"""What a build tree must have before tests whose names match can run: targets, one a line.

    cmake --build build/test --target $(scripts/support/targets_of_tests.py --build build/test '^unit/')

These are what running programs takes, the checker of the clocks' traces, and each file of the build tree that the command
of such a test names. What a test's script finds by itself is not among them: the tests of scripts/test --systems have none.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ALWAYS = ["mana_tree", "tests/replay/mana-clock-replay"]


def said_by(*command):
    """What a command prints. ctest says of each test which program does not exist yet, and that is left out."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"targets_of_tests: {command[0]} failed:\n{done.stderr}")
    return done.stdout


def tests_of(build, *selection):
    return json.loads(said_by("ctest", "--test-dir", build, "--show-only=json-v1", *selection))["tests"]


def words_of(test, build):
    """Paths in the build tree, relative, that a test has as words.

    ctest tells no command of a test whose program does not exist yet. What its directory has is built then.
    """
    properties = {each["name"]: each["value"] for each in test["properties"]}
    for word in test.get("command") or [properties["WORKING_DIRECTORY"] + "/all"]:
        if word.startswith(f"{build}/"):
            yield word.removeprefix(f"{build}/")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a configured build tree, of Ninja")
    parser.add_argument("regex", help="as for ctest -R")
    options = parser.parse_args()
    build = options.build.resolve()
    tests = tests_of(build, "-R", options.regex)
    if not tests:
        sys.exit(f"targets_of_tests: no test of {build} matches {options.regex}")
    print(f"targets_of_tests: {len(tests)} of {len(tests_of(build))} tests match {options.regex}", file=sys.stderr)
    known = {line.partition(":")[0] for line in said_by("ninja", "-C", build, "-t", "targets", "all").splitlines()}
    needed = {word for test in tests for word in words_of(test, build)} & known
    print("\n".join([*ALWAYS, *sorted(needed)]))


if __name__ == "__main__":
    main()
