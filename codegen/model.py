"""Loads and checks the description of the MPI functions, and computes all that templates print."""
import dataclasses
import pathlib
import re
import tomllib

import families

HERE = pathlib.Path(__file__).resolve().parent
PARAM = re.compile(r"^(\w+): (\w+)(?:\((\w+)\))? (inout|in|out)( const\??)?(?: \[([^\]]+)\])?( large_only)?$")
SHAPES = ("manual", "collective", "icollective", "pcollective", "refuse")


class DescriptionError(Exception):
    """An error in the description; the text names the file, the function and the error."""


@dataclasses.dataclass
class Param:
    """One parameter of one form (int or MPI_Count counts) of a function."""
    name: str
    declaration: str      # in the program's mpi.h: "const void* buf"
    tag: str              # kind of function.hpp or kind.hpp
    direction: str
    is_array: bool
    neutral: str          # type on the boundary: "real<kind::comm>"
    real_type: str        # type of the argument in the lower half's mpi.h: "MPI_Comm*"


@dataclasses.dataclass
class Function:
    """One function name as mpi.h declares it."""
    name: str             # MPI_Comm_split
    id: str               # comm_split
    params: list
    returns: str          # C type
    reports_errors: bool  # it returns an error code
    libraries: list
    shape: str
    slot: object          # True; "kept": it has a slot, but no wrapper calls it; False
    why: str
    source: str
    test: str = ""        # a test program that calls it
    no_pmpi: tuple = ()   # libraries where it has no PMPI name
    neighbours: bool = False   # a collective on a topology's neighbours
    tool: bool = False         # of the tools interface
    waits_for_all: str = "no"  # no, always, when_count: the call returns when all ranks have begun it

    @property
    def signature(self):
        return f"{self.returns} {self.name}({self.parameter_list})"

    @property
    def parameter_list(self):
        return ", ".join(p.declaration for p in self.params) or "void"

    @property
    def declared_list(self):
        """As parameter_list, for an mpi.h of our own: without what only another mpi.h's declaration can tell."""
        return re.sub(r"mana::call::declared_array<.*?, (\w+)> (\w+)", r"const \1* \2", self.parameter_list)

    @property
    def args(self):
        return ", ".join(p.name for p in self.params if p.name != "varargs")

    @property
    def tags(self):
        return ", ".join(f"param<kind::{p.tag}, dir::{p.direction}{', true' if p.is_array else ''}>" for p in self.params)

    @property
    def neutral_types(self):
        return ", ".join(p.neutral for p in self.params)

    @property
    def real_tags(self):
        return self.tags

    @property
    def call(self):
        if self.reports_errors:
            return f"mana::object::finish({self.wrapper})"
        if self.shape == "refuse":
            return f"(static_cast<void>(mana::object::finish({self.wrapper})), static_cast<{self.returns}>(0))"
        return self.wrapper

    @property
    def wrapper(self):
        if self.shape == "refuse":
            return f"mana::refuse<mana::fn::{self.id}>({self.args})"
        if self.shape == "manual":
            call = f"[](auto... a) {{ return mana::manual::{self.id}(a...); }}"
            return f"mana::call_manual<mana::fn::{self.id}>({', '.join(filter(None, [call, self.args]))})"
        if self.shape == "pcollective":
            return f"mana::initialise_collective<mana::fn::{self.id}>({self.args})"
        return f"mana::interposed<mana::fn::{self.id}>({self.args})"

    @property
    def moves_data(self):
        """Whether it moves a buffer on a communicator, with the local size in its first count and datatype."""
        first = {}
        for p in self.params:
            first.setdefault(p.tag, p)
        plain = all(tag in first and not first[tag].is_array for tag in ("buffer", "count", "datatype", "comm"))
        return plain and self.shape != "refuse" and self.reports_errors

    @property
    def slot_name(self):
        """Function of the lower half that the wrapper's template calls. A persistent collective starts as MPI_I…"""
        if self.shape == "pcollective":
            collective, suffix = self.name.split("_", 1)[1].split("_init")
            return f"MPI_I{collective.lower()}{suffix}"
        return self.name if self.slot is True else ""

    @property
    def not_profiled(self):
        return [f"!defined(MANA_MPI_{library})" for library in self.no_pmpi]

    @property
    def in_text(self):
        return ", ".join(self.libraries)


def load(api=HERE / "api", kinds=HERE / "kinds.toml", policy=HERE / "policy.toml", mpis=None):
    """All functions, sorted by name. mpis: the families.Family that are built. Raises DescriptionError."""
    mpis = families.supported(families.load()) if mpis is None else mpis
    names = {family.name for family in mpis} | {family.name for family in families.load()}
    kind_rows = tomllib.loads(pathlib.Path(kinds).read_text())
    policies = tomllib.loads(pathlib.Path(policy).read_text())
    functions, seen = [], set()
    for file in sorted(pathlib.Path(api).glob("*.toml")):
        for name, facts in tomllib.loads(file.read_text()).items():
            where = f"{file.name}: {name}"
            if name in seen:
                raise DescriptionError(f"{where}: described twice")
            if name not in policies:
                raise DescriptionError(f"{where}: no policy")
            seen.add(name)
            _check_names_of_mpis(facts, names, where)
            functions.append(_function(name, facts, policies[name], kind_rows, mpis, False, where))
            if facts.get("large"):
                functions.append(_function(name + "_c", facts, policies[name], kind_rows, mpis, True, where))
            if "mpix_in" in facts:                       # under its former name, from before the standard
                older = facts | {"in": facts["mpix_in"], "source": "extension"}
                functions.append(_function("MPIX_" + name[4:], older, policies[name], kind_rows, mpis, False, where))
    for name in policies:
        if name not in seen:
            raise DescriptionError(f"policy.toml: {name}: no such function in the description")
    return sorted(functions, key=lambda f: f.name)


def _check_names_of_mpis(facts, names, where):
    """in: names  of all families"""
    for key in ("in", "mpix_in", "no_pmpi"):
        if unknown := set(facts.get(key, ())) - names:
            raise DescriptionError(f"{where}: {key}: there is no family {', '.join(sorted(unknown))} in mpis/")


def _function(name, facts, policy, kinds, mpis, large, where):
    shape = policy.get("shape")
    if shape not in SHAPES:
        raise DescriptionError(f"{where}: shape {shape!r} is none of {', '.join(SHAPES)}")
    if (shape == "refuse") != ("why" in policy):
        raise DescriptionError(f"{where}: `why` belongs to shape refuse, and to no other")
    if facts.get("waits_for_all", "no") not in ("no", "always", "when_count"):
        raise DescriptionError(f"{where}: waits_for_all is always or when_count")
    if "c_params" in facts:
        params = [_plain(text, name, place) for place, text in enumerate(facts["c_params"])]
    else:
        params = [p for place, text in enumerate(facts["params"])
                  if (p := _param(text, kinds, large, where, facts.get("cancels", False), name, place))]
    returns = facts.get("returns", "ERROR_CODE")
    return Function(name=name, id=identifier(name), params=params, returns=_return_type(returns, kinds),
                    reports_errors=returns == "ERROR_CODE",
                    libraries=[m.name for m in mpis if m.has(name, facts, large)], shape=shape,
                    slot=policy.get("slot", shape in ("collective", "icollective")), why=policy.get("why", ""),
                    source=facts["source"], no_pmpi=tuple(facts.get("no_pmpi", ())), neighbours=facts.get("neighbours", False),
                    tool=facts.get("tool", False), waits_for_all=facts.get("waits_for_all", "no"))


def identifier(name):
    """MPI_Comm_split → comm_split; MPI_T_init_thread → t_init_thread; MPIX_Foo → mpix_foo"""
    return ("mpix_" if name.startswith("MPIX_") else "") + name.split("_", 1)[1].lower()


def _return_type(kind, kinds):
    return {"WALL_TIME": "double", "TICK_RESOLUTION": "double"}.get(kind) or (
        "MPI_Fint" if kind.startswith("F90_") else _row(kind, kinds)["c"])


def _row(kind, kinds):
    return kinds.get(kind, kinds["default"])


def _plain(text, function, place):
    """A parameter of an extension, in C: only its name and declaration are known. `const? T name[]`: as this mpi.h has it."""
    name = re.search(r"(\w+)(?:\[\])?$", text).group(1)
    if match := re.match(r"const\? (.*) \w+\[\]$", text):
        text = _as_declared(function, place, match.group(1), name)
    return Param(name, text, "integer", "in", False, "int", "int")


def _as_declared(function, place, c, name):
    """Declaration of an array, or a place, that is read, with the qualifier that the function's parameter has in this mpi.h."""
    return f"mana::call::declared_array<decltype({function}), {place}, {c}> {name}"


def _param(text, kinds, large, where, cancels, function, place):
    match = PARAM.match(text)
    if not match:
        raise DescriptionError(f"{where}: parameter {text!r} is not \"name: KIND direction [length]\"")
    name, kind, function_type, direction, const, length, large_only = match.groups()
    if large_only and not large:
        return None
    row = _row(kind, kinds)
    c = row["large"] if large and "large" in row else row["c"]
    if function_type:
        c = c.replace("@", function_type)
    if c == "...":
        return Param("varargs", "...", "integer", direction, False, "int", "int")
    constant = "const " if const == " const" else ""
    is_array = length is not None or row.get("always_array", False)
    by_address = row.get("address", False)
    if kind == "ARGUMENT_LIST" and direction == "in":
        is_array = True
    if kind == "ARGUMENT_LIST" and direction == "inout":
        is_array = False
    if is_array and length and re.fullmatch(r"\w+x3", length):                       # int ranges[][3]
        declaration, pointer = f"{constant}{c} {name}[][3]", f"{c}(*)[3]"
    elif is_array and not by_address:
        declaration, pointer = f"{constant}{c} {name}[]", f"{constant}{c}*"
    elif is_array:
        declaration, pointer = f"{row.get('c_array', c)} {name}[]", f"{row.get('c_array', c)}*"
    elif by_address:
        declaration, pointer = f"{constant}{c} {name}", f"{constant}{c}"
    elif direction == "in" and not row.get("pointer_in") and kind != "STATUS":
        declaration, pointer = f"{constant}{c} {name}", c
    else:
        declaration, pointer = f"{constant}{c}* {name}", f"{constant}{c}*"
    if kind == "REQUEST" and direction == "in" and cancels:
        declaration, pointer = f"{c}* {name}", f"{c}*"
    if const == " const?":
        declaration, pointer = _as_declared(function, place, c, name), f"const {c}*"
    return Param(name, declaration, row["tag"], direction, is_array, _neutral(row, pointer), pointer)


def _neutral(row, real):
    """The type of this argument on the boundary. It must not depend on an mpi.h."""
    text = real
    if row.get("handle", False):
        text = text.replace(row["c"], f"real<kind::{row['tag']}>")
    if row["tag"] == "status":
        text = text.replace("MPI_Status", "neutral::status")
    for mpi, neutral in (("MPI_Aint", "std::intptr_t"), ("MPI_Count", "std::int64_t"), ("MPI_Offset", "std::int64_t"),
                         ("MPI_Fint", "std::int32_t")):
        text = text.replace(mpi, neutral)
    return text


def slots(functions):
    return [f for f in functions if f.slot]
