"""The functions that start or initialise an operation, as C calls whose arguments are a test's variables."""
import dataclasses


@dataclasses.dataclass
class Operation:
    name: str             # MPI_Isend
    id: str
    form: str             # how it completes: see form_of()
    is_persistent: int
    has_neighbours: int
    arguments: str        # in C
    libraries: list


def is_operation(function):
    """Whether it returns a request for communication. Generalized requests name no objects."""
    gives_request = any(p.tag == "request" and p.direction == "out" and not p.is_array for p in function.params)
    return gives_request and function.shape != "refuse" and any(p.tag in ("comm", "message") for p in function.params)


def form_of(function):
    """What an operation needs to complete: a partner, a receive that is posted (ready sends), or a matched message."""
    names = {p.name for p in function.params}
    if any(p.tag == "comm" and p.direction == "out" for p in function.params):
        return "duplicate"
    if "partitions" in names:
        return "parts_out" if "dest" in names else "parts_in"
    if any(p.tag == "message" for p in function.params):
        return "matched"
    if {"dest", "source"} <= names:
        return "exchange"
    if "dest" in names:
        return "ready" if "rsend" in function.id else "out"
    return "in" if "source" in names else "collective"


def argument(function, param, seen):
    """One argument. in: seen  how many datatypes precede it"""
    wide = "wide_" if "MPI_Aint" in param.declaration or "MPI_Count" in param.declaration else ""
    has_type_arrays = any(p.tag == "datatype" and p.is_array for p in function.params)
    if param.tag == "buffer":
        is_sent = param.direction == "in" and form_of(function) != "parts_in"
        return "k->sent" if is_sent else "k->got"
    if param.tag == "count" and param.is_array:
        return f"{wide}counts"
    if param.tag == "displacement":
        return f"{wide}{'bytes' if has_type_arrays else 'places'}"
    if param.tag == "datatype":
        return f"k->types[{seen}]" if param.is_array else f"k->type[{seen}]"
    if param.tag == "rank":
        return {"dest": "right", "source": "left"}.get(param.name, "root")
    by_tag = {"count": "1", "integer": "1", "tag": "tag", "op": "k->op", "info": "k->info", "request": "&k->request",
              "message": "&k->message", "comm": "&k->made" if param.direction == "out" else "k->comm"}
    return by_tag[param.tag]


def operations(functions):
    found = []
    for f in filter(is_operation, functions):
        arguments, seen = [], 0
        for param in f.params:
            arguments.append(argument(f, param, seen))
            seen += param.tag == "datatype"
        found.append(Operation(f.name, f.id, form_of(f), int(f.id.removesuffix("_c").endswith("_init")),
                               int(f.neighbours), ", ".join(arguments), f.libraries))
    return found
