"""The source of stubs: from the fields of models to Python, the same for the same fields.

Names and labels come from a database, where anybody may have made them up: what is no plain
identifier never becomes code, and every text is a literal in quotes.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from odoo_toolkit.fields import Field

#: The first words of each file: by them a file is known as one that may be overwritten.
MARK = '"""Written by odoo-toolkit stubs: '

#: With so many values or more a selection is a text to type checkers: a list of time zones.
_MOST_VALUES = 100

#: What Odoo sets itself.
_SET_BY_ODOO = frozenset(
    {"id", "display_name", "create_uid", "create_date", "write_uid", "write_date", "__last_update"}
)

#: Types of fields as they are read, see ``values.shown``, and as they are written.
_READ = {
    "boolean": "bool",
    "char": "str",
    "date": "str | None",
    "datetime": "str | None",
    "float": "float",
    "html": "str",
    "integer": "int",
    "many2many": "list[int]",
    "many2one": "typed.Many2one | None",
    "many2one_reference": "int | None",
    "monetary": "float",
    "one2many": "list[int]",
    "binary": "str | None",
    "reference": "str | None",
    "text": "str",
}
_WRITTEN = {
    "binary": "typed.Content",
    "boolean": "bool",
    "char": "typed.Text",
    "date": "typed.Date",
    "datetime": "typed.Moment",
    "float": "typed.Number",
    "html": "typed.Text",
    "integer": "int | None",
    "many2many": "typed.RecordIds",
    "many2one": "typed.RecordId",
    "many2one_reference": "int | None",
    "monetary": "typed.Number",
    "one2many": "typed.RecordIds",
    "reference": "typed.Text",
    "text": "typed.Text",
}
#: What is not known, such as json and properties, is anything.
_ANY = "typing.Any"

_PLAIN = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
#: As a name in the body of a class, each would hide what the annotations there mean.
_HIDES = frozenset({"bool", "dict", "float", "int", "list", "str", "typed", "typing"})
#: Names of other things beside the classes of models. No model of Odoo itself is called so.
_TAKEN = frozenset({"Connection", "False", "NoSuchModel", "None", "Odoo", "True"}) | frozenset(
    {"Callable", "Literal", "ParamSpec", "TypeVar"}
)


@attrs.frozen(kw_only=True)
class StubbedModel:
    """A model that gets a stub.

    Attributes:
        name: such as ``sale.order``.
        label: such as ``Sales Order``.
        fields: by name, those that may be read.
        closed: number of fields that may not.
    """

    name: str
    label: str
    fields: Mapping[str, Field]
    closed: int = 0


def package(models: Sequence[StubbedModel], version: int) -> dict[str, str]:
    """Return the files of a package with the stubs of models, by name.

    Args:
        models: in any order.
        version: Odoo's major version.
    """
    models = sorted(models, key=lambda model: model.name)
    names = [model.name for model in models]
    modules, classes = _unique(names, _module_name), _unique(names, _class_name)
    files = {f"{modules[one.name]}.py": _model_module(one, classes[one.name]) for one in models}
    files["__init__.py"] = _RUN_TIME
    files["__init__.pyi"] = _connection(names, modules, classes, version)
    files["py.typed"] = ""
    return files


# Names --------------------------------------------------------------------------------------


def _unique(names: Iterable[str], make: Callable[[str], str]) -> dict[str, str]:
    """Return a name in Python for each name; of several that would be the same, later ones count.

    The first in the alphabet keeps the plain name: a dot comes before an underscore.
    """
    made: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(names):
        plain = found = make(name)
        number = 1
        # Some file systems do not tell capitals apart.
        while found.casefold() in taken:
            number += 1
            found = f"{plain}_{number}"
        taken.add(found.casefold())
        made[name] = found
    return made


def _module_name(model: str) -> str:
    name = re.sub(r"\W", "_", model, flags=re.ASCII)
    fits = _PLAIN.fullmatch(name) and not keyword.iskeyword(name) and name != "connect"
    return name if fits else f"model_{name}"


def _class_name(model: str) -> str:
    parts = re.split(r"[\W_]+", model, flags=re.ASCII)
    name = "".join(part[:1].upper() + part[1:] for part in parts)
    return name if _PLAIN.fullmatch(name) and name not in _TAKEN else f"Model{name}"


def _is_plain(name: str) -> bool:
    """Whether a field can stand in the body of a class as it is."""
    return bool(_PLAIN.fullmatch(name)) and not keyword.iskeyword(name) and name not in _HIDES


def _escaped(text: str) -> str:
    """Return a text as it stands within quotes; nothing in it can end them."""
    # repr escapes what does not print, such as marks that turn the direction of writing.
    inner = repr('"' + text)[2:-1].replace("\\'", "'")
    return inner.replace('"', '\\"')


def _literal(text: str) -> str:
    return f'"{_escaped(text)}"'


def _docstring(text: str) -> str:
    return f'"""{_escaped(text)}"""'


# One model ----------------------------------------------------------------------------------


def _model_module(model: StubbedModel, name: str) -> str:
    fields = [model.fields[one] for one in sorted(model.fields)]
    closed = f" Omitted because they are blocked: {model.closed}." if model.closed else ""
    of_rows = [(field, _read(field)) for field in fields]
    of_values = [(field, _written(field)) for field in fields if field.name not in _SET_BY_ODOO]
    listed = "\n".join(f"    {_literal(field.name)}," for field in fields)
    names = f"typing.Literal[\n{listed}\n]" if fields else "typing.NoReturn"
    return "\n".join(
        [
            f"{MARK}{_escaped(f'{model.name}, {model.label}.')}{closed}" + '"""',
            "",
            "from __future__ import annotations",
            "",
            "import typing",
            "",
            "from odoo_toolkit.notebook import typed",
            "",
            f"{name}Field: typing.TypeAlias = {names}",
            "",
            *_typed_dict(f"{name}Row", "A record as it is read.", of_rows, described=True),
            "",
            *_typed_dict(f"{name}Values", "Values to write.", of_values, total=False),
            "",
            "",
            f"class {name}(",
            f"    typed.TypedModel[{name}Field, {name}Row, {name}Values], typing.Protocol",
            "):",
            f"    {_docstring(model.label)}",
            "",
        ]
    )


def _typed_dict(
    name: str,
    meaning: str,
    fields: Sequence[tuple[Field, str]],
    *,
    total: bool = True,
    described: bool = False,
) -> list[str]:
    """Return a TypedDict; fields with names that are no identifiers come by the functional form."""
    partial = "" if total else ", total=False"
    odd = [(field, kind) for field, kind in fields if not _is_plain(field.name)]
    lines, base = [""], "typing.TypedDict"
    if odd:
        base = f"{name}Odd"
        # It is no class with a body: the types are texts, as they are elsewhere by the import.
        items = [f"        {_literal(field.name)}: {_literal(kind)}," for field, kind in odd]
        call = [f'    "{base}",', "    {", *items, "    },", *(["    total=False,"] * (not total))]
        lines += [f"{base} = typing.TypedDict(", *call, ")", "", ""]
    lines += [f"class {name}({base}{partial}):", f"    {_docstring(meaning)}", ""]
    for field, kind in fields:
        if _is_plain(field.name):
            lines.append(f"    {field.name}: {kind}")
            if described:
                lines.append(f"    {_docstring(_meaning(field))}")
    return lines if lines[-1] else lines[:-1]


def _meaning(field: Field) -> str:
    kind = f"{field.type} to {field.relation}" if field.relation else field.type
    return f"{field.string}: {kind}"


def _read(field: Field) -> str:
    if _holds_anything(field):
        return _ANY
    kind = _READ.get(field.type, _ANY)
    if field.type == "selection" and (kind := _selection(field)) != _ANY:
        kind += " | None"
    # A column that is required is never empty.
    if field.required and field.store and not field.company_dependent:
        kind = kind.removesuffix(" | None")
    return kind


def _holds_anything(field: Field) -> bool:
    """Whether a method makes the value of a binary field: the totals of an order are an object."""
    return field.type == "binary" and not field.store and not field.related


def _written(field: Field) -> str:
    if _holds_anything(field):
        return _ANY
    if field.type == "selection":
        kind = _selection(field)
        return f"{kind} | typed.Nothing" if kind != _ANY else kind
    return _WRITTEN.get(field.type, _ANY)


def _selection(field: Field) -> str:
    """Return the type of a selection's values; Odoo makes some selections only when it is asked."""
    values = [value for value, _ in field.selection]
    if not all(isinstance(value, str) for value in values):
        return _ANY
    if not 0 < len(values) < _MOST_VALUES:
        return "str"
    return f"typing.Literal[{', '.join(map(_literal, values))}]"


# The package --------------------------------------------------------------------------------

_RUN_TIME = (
    MARK
    + '''a connection whose models have types."""

from odoo_toolkit import Connection as Odoo
from odoo_toolkit import connect

__all__ = ["Odoo", "connect"]
'''
)


def _connection(
    names: Sequence[str], modules: Mapping[str, str], classes: Mapping[str, str], version: int
) -> str:
    imports = [f"from .{modules[one]} import {classes[one]} as {classes[one]}" for one in names]
    given = [(_literal(one), classes[one]) for one in names]
    ways = [
        f"    @overload\n    def __getitem__(self, model: Literal[{name}], /) -> {kind}: ..."
        for name, kind in given
    ]
    return _CONNECTION.format(
        mark=MARK, version=version, imports="\n".join(imports), ways="\n".join(ways)
    )


#: mypy compares each overload with each other unless errors here are ignored: a minute for 600.
#: There is one for a name that no model has, as mypy else lists all models behind each mistake.
#: It takes no plain "str", in which the names would be lost that an editor is to complete.
_CONNECTION = '''\
{mark}the models of an Odoo {version}, as types."""

# mypy: ignore-errors
# pyright: basic, reportOverlappingOverload=false, reportIncompatibleMethodOverride=false
# pyright: reportInvalidTypeVarUse=false
# ruff: noqa
from collections.abc import Callable
from typing import Literal, ParamSpec, TypeVar, overload

from odoo_toolkit import Connection
from odoo_toolkit import connect as _connect

{imports}

_P = ParamSpec("_P")
_Other = TypeVar("_Other", bound=str)

class NoSuchModel:
    """There are no stubs of this model: its name is wrong, or it was left out."""

class Odoo(Connection):
    """A connection whose models have types."""

{ways}
    @overload
    def __getitem__(self, model: _Other, /) -> NoSuchModel: ...

def _typed(function: Callable[_P, Connection]) -> Callable[_P, Odoo]: ...

connect = _typed(_connect)
'''
