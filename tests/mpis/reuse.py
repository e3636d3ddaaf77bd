#!/usr/bin/python3
"""A compiler launcher that takes objects from another build tree of the same sources.

An object is taken if both trees compile it with the same words and from the same bytes, generated files included. What
differs between two families of MPI libraries is compiled.

reuse.py INDEX COMPILER WORDS…: INDEX is the folder that write_index() wrote.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

TREE = "@tree@"                       # in place of a build tree's path
TAKEN = "taken"                       # of the index: a line for each object that was taken
TREES = "trees"                       # of the index: both trees; the other files are about one object each


def from_compiler(words):
    """out: the words from the compiler on: launchers may come before it"""
    return words[next(i for i, word in enumerate(words) if word.startswith("-")) - 1:]


def commands_of(built):
    """out: by object: the words that compile it; a launcher before the compiler is none of them"""
    text = subprocess.run(["ninja", "-C", built, "-t", "compdb"], capture_output=True, text=True, check=True).stdout
    for row in json.loads(text):
        words = shlex.split(row["command"]) if row["output"].endswith(".o") else []
        if "-o" not in words:
            continue
        yield row["output"], " ".join(from_compiler(words)).replace(str(built), TREE)


def sources_of(built):
    """out: by object that is up to date, as ninja knows: the files that it was compiled from; those of the tree by their
    place in it"""
    text = subprocess.run(["ninja", "-C", built, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    for block in text.split("\n\n"):
        head, *files = block.splitlines() or [""]
        found = re.fullmatch(r"(.*\.o): #deps .*\(VALID\)", head)
        if found:
            paths = [os.path.normpath(built / file.strip()) for file in files]
            yield found[1], [path.removeprefix(f"{built}/") for path in paths]


def place_of(index, name):
    return index / name.replace("/", "%")


def write_index(index, built, tree):
    """in: index  a folder, made again; built  the tree to take from; tree  the one that is being built; all absolute"""
    shutil.rmtree(index, ignore_errors=True)
    index.mkdir(parents=True)
    (index / TREES).write_text(json.dumps([str(built), str(tree)]))
    (index / TAKEN).write_text("")
    sources = dict(sources_of(built))
    for name, words in commands_of(built):
        if name in sources:
            place_of(index, name).write_text(json.dumps({"words": words, "from": sources[name]}))


def same_sources(row, built, tree, made):
    """out: no source is newer than the object, and generated ones have the same bytes in both trees"""
    for name in row["from"]:
        file = built / name
        if not file.exists() or file.stat().st_mtime > made:
            return False
        if not os.path.isabs(name) and (not (tree / name).exists() or (tree / name).read_bytes() != file.read_bytes()):
            return False
    return True


def take(index, words):
    """out: whether the object was taken, and its list of dependencies written"""
    name = words[words.index("-o") + 1] if "-o" in words else ""
    if not name.endswith(".o") or not place_of(index, name).exists():
        return False
    built, tree = map(pathlib.Path, json.loads((index / TREES).read_text()))
    row = json.loads(place_of(index, name).read_text())
    if row["words"] != " ".join(from_compiler(words)).replace(str(tree), TREE):
        return False
    have = built / name
    if not have.exists() or not same_sources(row, built, tree, have.stat().st_mtime):
        return False
    shutil.copyfile(have, tree / name)
    if "-MF" in words:
        files = " ".join(str(tree / file).replace(" ", "\\ ") for file in row["from"])
        (tree / words[words.index("-MF") + 1]).write_text(f"{name}: {files}\n")
    with open(index / TAKEN, "a", encoding="utf-8") as taken:
        taken.write(name + "\n")
    return True


def main():
    index, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if not take(index, words):
        os.execvp(words[0], words)


if __name__ == "__main__":
    main()
