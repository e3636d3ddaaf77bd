"""The neutral values of the boundary: reads and checks predefined.toml, and prepares its values for templates."""
import re
import tomllib

import model

# Kinds whose values have names in C++, and their enumerations.
ENUMERATIONS = {
    "comm": "comm_code", "group": "group_code", "message": "message_code", "info": "info_code",
    "errhandler": "errhandler_code", "request": "request_code", "op": "op_code", "datatype": "datatype_code",
    "bind_type": "bind_type_code", "thread_level": "thread_level_code", "split_type": "split_type_code",
}
# Of these, only values that have an `id` have a name.
SELDOM_NAMED = ("datatype", "split_type")


def read():
    """The contents of predefined.toml: {section: {name: rows}}"""
    return tomllib.loads((model.HERE / "predefined.toml").read_text())


def standard():
    """{name in mpi.h: value} of the MPI 5.0 standard ABI."""
    return tomllib.loads((model.HERE / "mpi_5_0_values.toml").read_text())


def typed(types):
    """[(name, C type, value)] of the standard ABI's constants. in: types  {C type: names}; "none": no constants of C"""
    type_of = {name: kind for kind, names in types.items() for name in names}
    return [(name, "" if name not in type_of else type_of[name], value) for name, value in standard().items()
            if type_of.get(name) != "none"]


def rows(given):
    """{kind: rows} of the values that are looked up in an mpi.h."""
    return given["handles"] | given["classes"] | given["constants"]


def looked_for(given):
    """The names of all rows. In one mpi.h a name is a macro, in another an enumerator, which the preprocessor does not see."""
    return sorted({row["name"] for some in rows(given).values() for row in some})


def asked(given):
    """rows() with the condition under which an mpi.h has each, `when`."""
    return {kind: [row | {"when": f"defined({row['name']}) || defined(MANA_DECLARES_{row['name']})"} for row in some]
            for kind, some in rows(given).items()}


def identifier(row):
    """MPI_T_BIND_MPI_COMM → bind_comm; MPI_T_ERR_MEMORY → err_t_memory; MPI_COMM_NULL → comm_null"""
    if "id" in row:
        return row["id"]
    name = row["name"].lower()
    name = re.sub("^mpi_t_err_", "err_t_", name)
    name = re.sub("^mpi_t_bind_(mpi_)?", "bind_", name)
    return re.sub("^mpi_", "", name)


def named(kind, all_rows):
    """[(identifier, row)] of a kind's rows that have a name in C++."""
    return [(identifier(r), r) for r in all_rows if kind not in SELDOM_NAMED or "id" in r]


def enumerations(given):
    """[(enumeration, [(identifier, row)])]"""
    by_kind = rows(given)
    return [(name, named(kind, by_kind[kind])) for kind, name in ENUMERATIONS.items()]


def faults():
    """The differences between predefined.toml and the standard, as texts."""
    given, right = read(), standard()
    every = [r for kind in rows(given).values() for r in kind] + list(given["values"].values())
    found = []
    for row in every:
        name = row.get("name")
        if name in right and right[name] != row["code"]:
            found.append(f"{name} is {row['code']}, in the standard ABI {right[name]}")
        if (name in right) == row.get("ours", False):
            found.append(f"{name or row} is {'' if name in right else 'not '}in the standard ABI: `ours` says otherwise")
    known = {row.get("name") for row in every}
    return found + [f"{name} is no class of ours" for name in right if "_ERR_" in name and name not in known]
