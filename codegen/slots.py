"""The append-only order of lower::mpi_slots. Reads slots.lock, compares it with the description, appends to it."""
import pathlib

import model

LOCK = model.HERE / "slots.lock"


def read(lock):
    """{minor: [names]} in the order of the file. Raises DescriptionError."""
    minors = {}
    for number, line in enumerate(pathlib.Path(lock).read_text().splitlines(), 1):
        where = f"{pathlib.Path(lock).name}:{number}"
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "minor":
            if len(words) != 2 or not words[1].isdigit() or int(words[1]) <= max(minors, default=-1):
                raise model.DescriptionError(f"{where}: {line!r} is not \"minor N\" with an N above those before it")
            minors[int(words[1])] = []
        elif len(words) != 1 or not minors:
            raise model.DescriptionError(f"{where}: {line!r} is neither \"minor N\" nor a function of one")
        elif any(words[0] in names for names in minors.values()):
            raise model.DescriptionError(f"{where}: {words[0]} has a slot already")
        else:
            minors[max(minors)].append(words[0])
    return minors


def in_order(functions, minors):
    """The functions with a slot, in the order of the lock. Raises DescriptionError if lock and description differ."""
    by_name = {f.name: f for f in model.slots(functions)}
    locked = [name for names in minors.values() for name in names]
    missing = [name for name in by_name if name not in locked]
    if missing:
        raise model.DescriptionError(f"slots.lock lacks {', '.join(missing)}: run generate.py --append")
    gone = [name for name in locked if name not in by_name]
    if gone:
        raise model.DescriptionError(f"slots.lock has {', '.join(gone)}, which policy.toml gives no slot: images of this major "
                                     "may call it, so give it back its slot")
    return [by_name[name] for name in locked]


def counts(minors):
    """[(minor, number of slots with it)]"""
    total, result = 0, []
    for minor, names in minors.items():
        total += len(names)
        result.append((minor, total))
    return result


def append(lock, functions, minor):
    """Appends a slot for each function that has none. Returns the functions' names.
    minor: the minor of the new slots; None: the newest in the lock
    """
    minors = read(lock)
    locked = [name for names in minors.values() for name in names]
    added = [f.name for f in model.slots(functions) if f.name not in locked]
    newest = max(minors)
    minor = newest if minor is None else minor
    if minor < newest:
        raise model.DescriptionError(f"slots.lock has slots of minor {newest} already: no more can come with minor {minor}")
    if added:
        heading = [f"minor {minor}"] if minor > newest else []
        text = pathlib.Path(lock).read_text()
        pathlib.Path(lock).write_text(text + "\n".join(heading + added) + "\n")
    return added
