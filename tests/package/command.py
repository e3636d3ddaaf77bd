"""The command's answers to bad input: each has its own exit status and names the cause; arguments survive as they are."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

USAGE, NOT_FOUND, NOT_EXECUTABLE, NOT_ELF, FOREIGN, STATIC, _, MISMATCH, _, MISSING = range(64, 74)
UNWRITABLE, NO_CHECKPOINT = 75, 80
DAMAGED, UNREADABLE = 81, 85
OUTPUT_LOST, UNKNOWN_LAUNCHER = 99, 100
LAUNCHERS = ("PMI_", "PMIX_", "OMPI_", "HYDI_", "MPI_LOCAL", "SLURM_")


def clean_environment(**more):
    """The caller's environment as if no launcher had been there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith((*LAUNCHERS, "MANA_CONFIG"))}
    return {**kept, "XDG_CONFIG_HOME": "/no-configuration", **more}


class Checks:
    def __init__(self, mana, directory):
        self.mana, self.directory, self.failed = mana, directory, 0

    def expect(self, status, text, *words, env=None, mana=None):
        process = subprocess.Popen([mana or self.mana, *words], cwd=self.directory, env=env or clean_environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, err = process.communicate(timeout=240)
        if process.returncode != status or text not in err + out:
            self.failed += 1
            print(f"mana {words}: status {process.returncode}, expected {status} and \"{text}\":\n{err}{out}")
        return out

    def require(self, holds, said):
        if not holds:
            self.failed += 1
            print(said)


def programs(directory, cc):
    """Makes the bad programs in `directory`."""
    (directory / "text").write_text("no program\n")
    (directory / "text").chmod(0o755)
    (directory / "plain").write_text("no program\n")
    (directory / "main.c").write_text("int main(void) { return 0; }\n")
    subprocess.run([cc, "-static", "-o", "static", "main.c"], cwd=directory, check=True)
    subprocess.run([cc, "-o", "dynamic", "main.c"], cwd=directory, check=True)
    image = bytearray((directory / "dynamic").read_bytes())
    image[18] = 0xb7   # e_machine: AArch64
    (directory / "arm").write_bytes(image)
    (directory / "cut").write_bytes((directory / "dynamic").read_bytes()[:100])
    (directory / "script").write_text("#!/bin/sh\nexec true\n")
    for name in ("arm", "cut", "script"):
        (directory / name).chmod(0o755)


def check_programs(checks):
    checks.expect(NOT_FOUND, "no such program in PATH", "run", "no-such-program")
    checks.expect(NOT_FOUND, "./dynamic", "run", "dynamic")
    checks.expect(NOT_FOUND, "no such file", "run", "./none")
    checks.expect(NOT_EXECUTABLE, "directory", "run", "/")
    checks.expect(NOT_EXECUTABLE, "chmod +x", "run", "./plain")
    checks.expect(NOT_ELF, "neither an ELF program nor a script", "run", "./text")
    checks.expect(NOT_ELF, "damaged", "run", "./cut")
    checks.expect(FOREIGN, "AArch64", "run", "./arm")
    checks.expect(STATIC, "statically linked", "run", "./static")


def check_words(checks):
    checks.expect(USAGE, "--nonsense", "run", "--nonsense", "./dynamic")
    checks.expect(USAGE, "no program given", "run")
    checks.expect(USAGE, "", "run", "--interval", "-1", "./dynamic")
    checks.expect(USAGE, "no-such-command", "no-such-command")
    for rate in ("-1", "0", "99999999999999999999"):
        checks.expect(USAGE, "--max-rate", "run", "--max-rate", rate, "./dynamic")
    checks.expect(USAGE, "--generation", "verify", "--generation", "-1", "nowhere")
    checks.expect(0, "mana ", "--version")
    checks.expect(0, "--ckpt-dir", "run", "--help")
    checks.expect(0, "slurm", "help")
    checks.expect(0, "--signal=USR1@600", "help", "slurm")
    checks.expect(0, "--ckpt-dir", "help", "run")
    checks.expect(USAGE, "similar: slurm;", "help", "slrum")
    for page in checks.expect(0, "topic", "help").splitlines()[1:-2]:
        text = checks.expect(0, "==", "help", page.split()[0])
        checks.require("](" not in text and "|---" not in text, f"{page}: Markdown in the terminal:\n{text}")


def check_mpi(checks, heat2d):
    """Against a lower half that prints its arguments, in a copy of the installation."""
    tree = checks.directory / "tree"
    (tree / "bin").mkdir(parents=True)
    shutil.copy(checks.mana, tree / "bin" / "mana")
    libexec, library = tree / "libexec" / "mana", tree / "lib" / "mana"
    for mpi in ("none", "mpich", "openmpi"):
        libexec.mkdir(parents=True, exist_ok=True)
        library.mkdir(parents=True, exist_ok=True)
        lower = libexec / f"mana-lower-{mpi}"
        lower.write_text(f"#!{sys.executable}\nimport sys\nprint({mpi!r}, sys.argv[1:])\n")
        lower.chmod(0o755)
        (library / f"libmana-{mpi}.so").touch()
        if mpi != "none":
            (libexec / f"mana-lower-{mpi}.json").write_text(json.dumps({"name": mpi, "family": mpi}))
    mana = str(tree / "bin" / "mana")
    for mpi, other in (("mpich", {"OMPI_COMM_WORLD_SIZE": "1"}), ("openmpi", {"PMI_FD": "9", "PMI_RANK": "0"})):
        program = heat2d / f"heat2d_{mpi}"
        if not program.exists():
            continue
        hard = ["a b", "c\nd", "\"e'", "", "--interval", "--", "$HOME"]
        shown = checks.expect(0, mpi, "run", "--interval", "2.5", str(program), *hard, mana=mana)
        if repr(["--", str(program), *hard])[1:-1] not in shown or "'--interval', '2.5'" not in shown:
            checks.failed += 1
            print(f"arguments did not survive: {shown}")
        over = "openmpi" if mpi == "mpich" else "mpich"
        checks.expect(0, over, "run", str(program), env=clean_environment(**other), mana=mana)
        checks.expect(MISMATCH, "was started by", "run", "--mpi", mpi, str(program), env=clean_environment(**other), mana=mana)
        checks.expect(0, over, "run", "--mpi", over, str(program), mana=mana)
        checks.expect(MISSING, "it has mpich, openmpi", "run", "--mpi", "intel", str(program), mana=mana)
        checks.expect(UNWRITABLE, "/proc/none", "run", "--ckpt-dir", "/proc/none/x", str(program), mana=mana)
        checks.expect(UNWRITABLE, "plain", "run", "--ckpt-dir", "plain", str(program), mana=mana)
        checks.expect(UNWRITABLE, "--clock-trace", "run", "--clock-trace", "plain", str(program), mana=mana)
        checks.expect(0, str(checks.directory / "t"), "run", "--clock-trace", "t", str(program), mana=mana)
    check_unknown_launcher(checks, tree)
    checks.expect(0, "mpich", "run", "./script", env=clean_environment(PMI_FD="9", PMI_RANK="0"), mana=mana)
    checks.expect(0, "openmpi", "run", "--mpi", "openmpi", "./dynamic", mana=mana)
    for words in (["./dynamic"], ["./script"], ["--mpi", "none", "./script"]):
        checks.expect(0, "none", "run", *words, env=clean_environment(), mana=mana)


def check_unknown_launcher(checks, tree):
    """Its name, those known, and the command that adds it; the other MPI is put aside meanwhile."""
    description = tree / "libexec" / "mana" / "mana-lower-openmpi.json"
    kept = description.read_text()
    description.unlink()
    words = ("run", "./dynamic")
    env = clean_environment(OMPI_COMM_WORLD_SIZE="1")
    checks.expect(UNKNOWN_LAUNCHER, "the launcher is Open MPI's, but this installation has no live MPI of that family; it has mpich", *words, env=env,
                  mana=str(tree / "bin" / "mana"))
    checks.expect(UNKNOWN_LAUNCHER, "mana add-mpi ", *words, env=env, mana=str(tree / "bin" / "mana"))
    description.write_text(kept)


def check_planted(checks):
    """What stands for a manifest is no file: nobody waits for it."""
    generation = checks.directory / "planted" / "gen-000001"
    manifest = generation / "manifest.json"
    generation.mkdir(parents=True)
    for command, status in (("verify", DAMAGED), ("list", 0)):
        os.mkfifo(manifest)
        checks.expect(status, "it is a FIFO in place of a file", command, "planted")
        manifest.unlink()
    checks.expect(NO_CHECKPOINT, "incomplete", "verify", "planted")      # nothing there restarts
    checks.expect(NO_CHECKPOINT, "incomplete", "verify", "planted", "--generation", "1")
    manifest.write_text("{}")
    checks.expect(DAMAGED, "manifest", "verify", "planted")


def check_output(checks):
    """What cannot be said is no success, and no defect; what cannot be said of a failure leaves its status."""
    (checks.directory / "said" / "gen-000001").mkdir(parents=True)
    closed = {"preexec_fn": lambda: os.close(1)}
    with open("/dev/full", "w", encoding="utf-8") as full:
        for how, why in (({"stdout": full}, "No space left on device"), (closed, "Bad file descriptor")):
            for words in (("list", "said"), ("run", "--help"), ("--version",), ("completion", "bash")):
                done = subprocess.run([checks.mana, *words], cwd=checks.directory, env=clean_environment(), check=False,
                                      stderr=subprocess.PIPE, text=True, **how)
                checks.require(done.returncode == OUTPUT_LOST and f"standard output: {why}" in done.stderr,
                               f"{words} to nowhere ends with {done.returncode}: {done.stderr}")
    silent = subprocess.run([checks.mana, "list", "nowhere"], cwd=checks.directory, env=clean_environment(), check=False,
                            preexec_fn=lambda: os.close(2))
    checks.require(silent.returncode == NO_CHECKPOINT, f"without standard error: {silent.returncode}")


def check_looks(checks):
    """What the system refuses, and what is no directory of checkpoints, is no defect and no success."""
    long_name = "x" * 300
    for words in (("list", long_name), ("verify", long_name), ("inspect", long_name), ("diff", long_name, long_name)):
        checks.expect(UNREADABLE, "File name too long", *words)
    (checks.directory / "bare").mkdir()
    checks.expect(NO_CHECKPOINT, "there is no checkpoint", "prune", "bare")
    checks.expect(NO_CHECKPOINT, "there is no checkpoint", "prune", "bare", "--dry-run")
    left = checks.directory / "left\x1b[2J" / "gen-000001"
    left.mkdir(parents=True)
    shown = checks.expect(0, "incomplete", "list", str(left.parent)) + checks.expect(0, "would be removed", "prune", "--dry-run", left.parent)
    checks.require("\x1b" not in shown and not (left.parent / "lock").exists(), f"names of directories: {shown!r}")
    checks.expect(0, "checkpoint 1 is removed", "prune", left.parent)
    checks.expect(NO_CHECKPOINT, "\\x1b[2J", "list", left)


def check_configuration(checks):
    """The file of the user's own; of what is in it, tests/unit/tools tells."""
    tree = str(checks.directory / "tree" / "bin" / "mana")
    home = checks.directory / "home" / "mana"
    home.mkdir(parents=True)
    config = home / "config"
    config.write_text("[run]\ninterval = 77\n")
    config.chmod(0o600)
    run = ("run", "--mpi", "mpich", "./dynamic")
    with_file = clean_environment(XDG_CONFIG_HOME=str(home.parent))
    checks.expect(0, "'--interval', '77'", *run, env=with_file, mana=tree)
    checks.expect(0, "'--interval', '5'", run[0], "--interval", "5", *run[1:], env=with_file, mana=tree)
    for words, environment in (((run[0], "--no-config", *run[1:]), with_file), (run, None)):
        shown = checks.expect(0, "'--ckpt-dir'", *words, env=environment, mana=tree)
        if "--interval" in shown:                  # what nobody asked for is not passed on
            checks.failed += 1
            print(f"mana {words}: {shown}")
    checks.expect(USAGE, "/none", *run, env=clean_environment(MANA_CONFIG=str(home / "none")), mana=tree)
    config.write_text("[run]\n\ninterval = 7\nforks = true\n")
    checks.expect(USAGE, f"{config}:4: forks: ", *run, env=with_file, mana=tree)
    config.chmod(0o622)
    checks.expect(USAGE, "is writable by others", *run, env=with_file, mana=tree)
    checks.expect(NO_CHECKPOINT, "no such directory", "list", "nowhere", env=with_file)


def check_permissions(checks):
    """What only an ordinary user meets."""
    if os.geteuid() == 0:
        return
    (checks.directory / "secret").write_text("")
    (checks.directory / "secret").chmod(0o100)
    checks.expect(NOT_EXECUTABLE, "cannot be read", "run", "./secret")
    (checks.directory / "closed").mkdir(mode=0o500)
    checks.expect(UNWRITABLE, "closed", "run", "--mpi", "mpich", "--ckpt-dir", "closed", "./dynamic",
                  mana=str(checks.directory / "tree" / "bin" / "mana"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mana", required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--cc", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        checks = Checks(options.mana, pathlib.Path(directory))
        programs(checks.directory, options.cc)
        check_programs(checks)
        check_words(checks)
        check_mpi(checks, options.programs)
        check_planted(checks)
        check_output(checks)
        check_looks(checks)
        check_configuration(checks)
        check_permissions(checks)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
