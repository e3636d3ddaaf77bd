#!/usr/bin/python3
"""Each point of include/mana/core/fault_points.hpp stands in the code: once, or twice where there are two ways."""
import pathlib
import re
import sys

TABLE = "include/mana/core/fault_points.hpp"


def check(root):
    names = re.findall(r"row\{point::(\w+), \"(\w+)\"", (root / TABLE).read_text())
    code = "".join(file.read_text() for folder in ("include", "runtime") for file in sorted((root / folder).rglob("*.?pp"))
                   if file != root / TABLE)
    wrong = [f"{TABLE}: {point} is named {name}" for point, name in names if point != name]
    for point, _ in names:
        uses = len(re.findall(rf"fault::point::{point}\b|fault_point\(\"{point}\"\)", code))
        if uses != 1:
            wrong.append(f"{TABLE}: {point} stands {uses} times in the code")
    wrong += [f"a point that is not in {TABLE}: {name}" for name in set(re.findall(r"fault_point\(\"(\w+)\"\)", code))
              if name not in dict(names)]
    return wrong or ([] if names else [f"{TABLE}: no rows were found"])


if __name__ == "__main__":
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or "fault points: as they should be")
    sys.exit(bool(problems))
