#!/usr/bin/python3
"""Another distribution of Debian in a directory of the build tree, and commands that run in it with this tree.

    scripts/support/system_root.py trixie -- scripts/install-deps
    scripts/support/system_root.py forky -- scripts/test --quick

The first call lays out the root directory, build/systems/NAME/root, with the packages of this machine's own mirror. A command
finds this tree at /mana: the source is read-only, and /mana/build is build/systems/NAME/build. It runs as root of that system.
The namespaces of the command hold all mounts and processes: they end with it, also when somebody kills it.

mmdebstrap lays out the directory, as root and as an ordinary user with subordinate ids (/etc/subuid). debootstrap can replace
it for root. Exit status: the command's; 77 if this machine can neither lay out nor enter such a directory.
"""
import argparse
import fcntl
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
COMPONENTS = "main"
SCRIPTS = pathlib.Path("/usr/share/debootstrap/scripts")
# A mirror's copy of a suite that changes may be older than the suite allows.
APT = 'Acquire::Check-Valid-Until "false";\nAcquire::Languages "none";\nAPT::Install-Recommends "false";\n'

# The first process of the namespaces. It is a parent of each process there whose own parent has ended, so it stays and waits.
ENTER = """
set -e
root=$1 tree=$2 build=$3; shift 3
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 none "$root/dev/shm"
mount --rbind /sys "$root/sys"
mount -t proc none "$root/proc"
for place in tmp run; do mount -t tmpfs -o mode=1777 none "$root/$place"; done
for file in hosts resolv.conf; do
  [ ! -e "/etc/$file" ] || { : >> "$root/etc/$file"; mount --bind "/etc/$file" "$root/etc/$file"; }
done
mkdir -p "$root/mana"
mount --bind "$tree" "$root/mana"
mount --bind "$build" "$root/mana/build"
mount -o remount,bind,ro "$root/mana"
chroot "$root" /bin/sh -c 'cd /mana && "$@"' enter "$@" && status=0 || status=$?
exit $status
"""


class Impossible(Exception):
    """This machine cannot do it; the text says why."""


def said_by(command):
    """What a command prints, or None if it fails or is missing."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def entries(directory):
    """The entries of apt's list of sources, each as (URI, suites, components).

    in:  directory  as /etc/apt
    out: entries of binary packages that are not switched off, in their order
    """
    for path in [directory / "sources.list", *sorted(directory.glob("sources.list.d/*.list"))]:
        for line in path.read_text().splitlines() if path.is_file() else ():
            if words := re.sub(r"\[.*?\]|#.*", "", line).split():
                if words[0] == "deb" and len(words) > 2:
                    yield words[1], [words[2]], words[3:]
    for path in sorted(directory.glob("sources.list.d/*.sources")):
        for stanza in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n?", "", path.read_text())):
            fields = {name.lower(): value.split() for name, value in re.findall(r"(?m)^([\w-]+):\s*(.*(?:\n[ \t].*)*)", stanza)}
            if fields.get("uris") and "deb" in fields.get("types", ()) and fields.get("enabled", ["yes"]) != ["no"]:
                yield fields["uris"][0], fields.get("suites", []), fields.get("components", [])


def own_suite():
    release = dict(re.findall(r'(?m)^(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text()))
    return release.get("VERSION_CODENAME", "")


def mirror(directory, suite):
    """The URI from which apt takes a suite. directory: as /etc/apt"""
    for uri, suites, components in entries(directory):
        if COMPONENTS in components and suite in suites:
            return uri
    raise Impossible(f"{directory} names no mirror of {suite or 'this distribution'}")


def as_root_of_namespaces():
    """The command, without its arguments, that runs another as root with mounts and processes of its own."""
    if os.geteuid() == 0:
        command = ["unshare"]
    else:
        command = ["unshare", "--user", "--map-root-user", "--map-auto"]
    return [*command, "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child=KILL"]


def require_namespaces():
    command = [*as_root_of_namespaces(), "mount", "-t", "tmpfs", "none", "/mnt"]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Impossible("no namespaces: " + (tried.stderr.strip().splitlines() or [shlex.join(command)])[-1])


def apt_settings():
    """The settings of apt in the root directory: those above and this machine's proxies."""
    found = re.findall(r"(?m)^Acquire::https?::Proxy.*$", said_by(["apt-config", "dump"]) or "")
    return APT + "".join(line + "\n" for line in found)


def lay_out(suite, root):
    """Makes the root directory of a suite. root: does not exist."""
    uri = mirror(pathlib.Path("/etc/apt"), own_suite())
    if shutil.which("mmdebstrap"):
        options = [f"--aptopt={line.rstrip(';')}" for line in apt_settings().splitlines()]
        command = ["mmdebstrap", "--variant=apt", f"--keyring={KEYRING}", "--components=" + COMPONENTS, *options]
        if os.geteuid() == 0:
            steps = [[*command, "--mode=root", suite, str(root), uri]]
        else:
            # Through an archive the files become those of the namespace of as_root_of_namespaces, where root is this user.
            root.mkdir()
            archive = root.with_name("root.tar")
            unpack = [*as_root_of_namespaces(), "tar", "--numeric-owner", "-C", str(root), "--exclude=./dev/*", "-xf", str(archive)]
            steps = [[*command, "--mode=unshare", suite, str(archive), uri], unpack, ["rm", str(archive)]]
    elif os.geteuid() == 0 and shutil.which("debootstrap"):
        known = () if (SCRIPTS / suite).exists() else (str(SCRIPTS / "sid"),)
        steps = [["debootstrap", "--variant=minbase", f"--keyring={KEYRING}", "--components=" + COMPONENTS,
                  suite, str(root), uri, *known]]
    else:
        raise Impossible("mmdebstrap is not installed" + (", nor debootstrap" if os.geteuid() == 0 else ""))
    for step in steps:
        if subprocess.run(step, check=False, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
            raise Impossible(f"{step[0]} cannot lay out {suite}")
    if (settings := root / "etc/apt/apt.conf.d/99mana").parent.is_dir():
        settings.write_text(apt_settings())


def remove(path):
    """Removes a root directory, or a part of one. Its files may belong to subordinate ids."""
    if path.exists():
        subprocess.run([*as_root_of_namespaces(), "rm", "-rf", "--one-file-system", str(path)], check=True)


def prepared(suite, place):
    """The root directory of a suite below place, laid out if it is not yet."""
    require_namespaces()
    place.mkdir(parents=True, exist_ok=True)
    (place / "build").mkdir(exist_ok=True)
    root, partial = place / "root", place / "root.partial"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not root.exists():
            remove(partial)
            lay_out(suite, partial)
            partial.rename(root)
    return root


def entered(root, build, command, tree=TREE):
    """The words of a process that runs a command in a root directory."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("MANA_", "OMPI_", "PRTE_", "CTEST_", "CCACHE_"))}
    kept |= {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
             "DEBIAN_FRONTEND": "noninteractive", "USER": "root", "LOGNAME": "root", "TERM": os.environ.get("TERM", "dumb")}
    settings = [f"{name}={value}" for name, value in kept.items()]
    return [*as_root_of_namespaces(), "/bin/sh", "-c", ENTER, "enter", str(root), str(tree), str(build), "env", "-i", *settings, *command]


def run(words):
    """Exit status of a process whose end is also that of all its namespaces. It ends with this process at the latest."""
    process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *words])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):      # unshare blocks them
        signal.signal(number, lambda *_: process.kill())
    status = process.wait()
    return status if status >= 0 else 128 - status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", help="as the mirror names it: bookworm, trixie, forky, …")
    parser.add_argument("--systems", type=pathlib.Path, default=TREE / "build" / "systems", help="the directory of all of them")
    parser.add_argument("--remove", action="store_true", help="remove the root directory, and keep what was built in it")
    parser.add_argument("command", nargs="*", help="after --; nothing: only lay out the directory")
    options = parser.parse_intermixed_args()
    place = options.systems.resolve() / options.suite
    try:
        if options.remove:
            remove(place / "root")
            return
        root = prepared(options.suite, place)
    except Impossible as why:
        print(f"system_root: {options.suite}: skipped: {why}", file=sys.stderr)
        sys.exit(SKIPPED)
    if options.command:
        (TREE / "build").mkdir(exist_ok=True)      # a place to mount on
        sys.exit(run(entered(root, place / "build", options.command)))


if __name__ == "__main__":
    main()
