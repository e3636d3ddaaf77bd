"""Source packages of the running Debian system, without privileges and without a change to its configuration.

apt-get gets directories of its own, and lines `deb-src` that stand beside the lines `deb` of the system's mirrors.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from live_mpis import codename  # noqa: E402

UPDATE_S, SOURCE_S = 300, 900


class Unavailable(Exception):
    """The source package cannot be had here; the text says why."""


def stanzas(text):
    """The fields of each stanza of a file *.sources: {name in lower case: value}."""
    for stanza in re.split(r"\n\s*\n", text):
        fields, name = {}, None
        for line in stanza.splitlines():
            if line.startswith("#"):
                continue
            if line[:1] in " \t" and name:
                fields[name] += "\n" + line
            elif ":" in line:
                name, _, value = line.partition(":")
                name = name.strip().lower()
                fields[name] = value.strip()
        if fields:
            yield fields


def sources_of_stanzas(text, release):
    """The stanzas of a file *.sources that belong to this release, for source packages."""
    found = []
    for fields in stanzas(text):
        suites = [suite for suite in fields.get("suites", "").split() if re.split(r"[-/]", suite)[0] == release]
        if fields.get("enabled", "yes") == "no" or not suites:
            continue
        fields.update(types="deb-src", suites=" ".join(suites))
        found.append("".join(f"{name}: {value}\n" for name, value in fields.items()))
    return found


def sources_of_lines(text, release):
    """The lines of a file *.list that belong to this release, for source packages."""
    found = []
    for line in text.splitlines():
        match = re.match(r"\s*deb(?:-src)?\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+(.+)", line)
        if match and re.split(r"[-/]", match[3])[0] == release:
            found.append(f"deb-src {match[1] or ''}{match[2]} {match[3]} {match[4]}\n")
    return found


def own_sources(etc, directory, release):
    """Writes the lines for source packages of this release's mirrors in `etc` into `directory`. Returns their number."""
    lists = [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*.list"))]
    lines = [line for file in lists if file.exists() for line in sources_of_lines(file.read_text(), release)]
    parts = [part for file in sorted((etc / "sources.list.d").glob("*.sources"))
             for part in sources_of_stanzas(file.read_text(), release)]
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "own.list").write_text("".join(dict.fromkeys(lines)))
    (directory / "own.sources").write_text("\n".join(dict.fromkeys(parts)))
    return len(lines) + len(parts)


def apt_get(state, *words, directory, limit_s):
    """apt-get with everything that it writes below `state`. Unavailable, with its last lines, if it fails."""
    for name in ("lists/partial", "cache/archives/partial"):
        (state / name).mkdir(parents=True, exist_ok=True)
    options = {"Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": state / "sources",
               "Dir::State::lists": state / "lists", "Dir::Cache": state / "cache", "APT::Sandbox::User": "root" if
               os.geteuid() == 0 else "", "Acquire::Languages": "none", "Acquire::Retries": "2"}
    command = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items()), *words]
    try:
        done = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit_s, check=False)
    except FileNotFoundError:
        raise Unavailable("this is not a Debian system: there is no apt-get") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"apt-get {words[0]} did not end within {limit_s} s") from None
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-8:])
        raise Unavailable(f"apt-get {words[0]} ended with status {done.returncode}:\n{tail}")


def source_version(package):
    """The version of the source from which the installed binary package was built, None if it is not installed."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${source:Version}", package],
                          capture_output=True, text=True, check=False)
    status, _, version = done.stdout.partition(" ")
    return version if done.returncode == 0 and status == "installed" else None


def source_package(name, version, cache):
    """The unpacked source package; what is there already is not fetched again.

    version: that of the source package, None: the release's newest
    cache:   a directory that holds what is fetched
    """
    place = cache / f"{name}-{(version or 'newest').replace(':', '%')}"
    source = place / "source"
    if source.is_dir():
        return source
    if shutil.which("dpkg-source") is None:
        raise Unavailable("there is no dpkg-source to unpack it with (package dpkg-dev)")
    release = codename()
    if release is None:
        raise Unavailable("/etc/os-release names no release")
    state = cache / "apt"
    if own_sources(pathlib.Path("/etc/apt"), state / "sources", release) == 0:
        raise Unavailable(f"the configuration of apt names no mirror of {release}")
    shutil.rmtree(place, ignore_errors=True)
    unpacked = place / "unpacked"
    unpacked.mkdir(parents=True)
    apt_get(state, "update", directory=unpacked, limit_s=UPDATE_S)
    apt_get(state, "source", "--only-source", f"{name}={version}" if version else name, directory=unpacked,
            limit_s=SOURCE_S)
    found = [entry for entry in unpacked.iterdir() if entry.is_dir()]
    if len(found) != 1:
        raise Unavailable(f"apt-get source {name} left {len(found)} directories in {unpacked}")
    found[0].rename(source)
    return source
