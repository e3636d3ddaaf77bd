"""Runs a program natively and in the window, and compares what it printed and how it ended.

usage: run_both.py --driver SPLIT_DRIVER [--user] [--times N] -- PROGRAM [ARGUMENT...]
       run_both.py --driver SPLIT_DRIVER --refused CODE --says TEXT -- PROGRAM [ARGUMENT...]

Programs learn from MANA_LOADER_TEST (native or split) where they run: what only holds in the window is checked there.
--user: as an ordinary user. --refused: the loader must end with CODE and name the cause, nothing runs natively.
exit status: 0 alike, 1 not, 77 cannot be tested here.
"""
import argparse
import difflib
import os
import subprocess
import sys
import tempfile

NOBODY = 65534
SKIPPED = 77


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", required=True)
    parser.add_argument("--user", action="store_true")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--refused", type=int)
    parser.add_argument("--says", default="")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def run(where, command, as_user):
    identity = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if as_user else {}
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o777)
        return subprocess.run(command, cwd=directory, env={**os.environ, "MANA_LOADER_TEST": where},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=240, **identity)


def differences(native, window):
    """Of what two runs printed, the lines that differ."""
    lines = difflib.unified_diff(as_text(native).splitlines(), as_text(window).splitlines(), "native", "window",
                                 lineterm="", n=1)
    return "\n".join(lines)


def as_text(result):
    return f"ended with {result.returncode}\n--- stdout\n{result.stdout.decode(errors='replace')}" \
           f"--- stderr\n{result.stderr.decode(errors='replace')}"


def user_can_run(program):
    return subprocess.run(["test", "-r", program, "-a", "-x", program], user=NOBODY, group=NOBODY,
                          extra_groups=[]).returncode == 0


def main():
    options = parse()
    if options.user and (os.geteuid() != 0 or not user_can_run(options.driver)):
        print("needs root, and a build directory that everyone may read")
        return SKIPPED
    split = [options.driver, *options.command]
    if options.refused is not None:
        result = run("split", split, options.user)
        good = result.returncode == options.refused and options.says in result.stderr.decode()
        print("" if good else as_text(result))
        return 0 if good else 1
    native = run("native", options.command, options.user)
    for turn in range(options.times):
        result = run("split", split, options.user)
        if (result.returncode, result.stdout) != (native.returncode, native.stdout):
            print(f"run {turn + 1} in the window differs\n{differences(native, result)}")
            return 1
    return 0


sys.exit(main())
