#!/usr/bin/python3
"""Which folder includes which, drawn: includes.py | dot -Tsvg > includes.svg (Debian's graphviz)."""
import argparse
import collections
import pathlib
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)
SOURCES = (".hpp", ".cpp", ".h", ".S")


def arrows(tree: pathlib.Path, prefix: str) -> dict[str, collections.Counter]:
    """Of a tree whose headers are included as <prefix…>: folder -> how many of its includes are of which other folder."""
    graph = collections.defaultdict(collections.Counter)
    for file in sorted(tree.rglob("*")):
        if file.suffix in SOURCES:
            here = (prefix + file.parent.relative_to(tree).as_posix()).removesuffix("/.")
            for name in INCLUDE.findall(file.read_text()):
                there = name.rpartition("/")[0]
                if name.startswith(prefix) and there != here:
                    graph[here][there] += 1
    return graph


def circle(graph: dict[str, collections.Counter]) -> list[str]:
    """One circle of folders, its first one last again; empty: there is none."""
    done = set()

    def walk(folder: str, way: list[str]) -> list[str]:
        if folder in way:
            return [*way[way.index(folder):], folder]
        if folder in done:
            return []
        for other in sorted(graph.get(folder, ())):
            if found := walk(other, [*way, folder]):
                return found
        done.add(folder)
        return []

    return next((found for folder in sorted(graph) if (found := walk(folder, []))), [])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    root = parser.parse_args().root
    print("digraph includes {\n  rankdir=LR; node [shape=box, fontname=sans]; edge [color=gray40]")
    for tree, prefix in ((root / "include/mana", "mana/"), (root / "runtime", "runtime/")):
        for folder, others in sorted(arrows(tree, prefix).items()):
            for other, count in sorted(others.items()):
                print(f'  "{folder}" -> "{other}" [label={count}]')
    print("}")


if __name__ == "__main__":
    main()
