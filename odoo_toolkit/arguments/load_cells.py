"""Values in the form in which ``load`` reads them as nothing else.

Odoo's own import reads texts in its own way: names where ids belong, moments in the user's time
zone, labels of selections in any language. Here is the one form of each value that leaves it no
choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odoo_toolkit.arguments.commands import read_commands
from odoo_toolkit.fields import Field

_SAME = frozenset(
    {"char", "text", "html", "integer", "float", "monetary", "date", "datetime", "binary"}
)

#: Context keys by which ``load`` leaves rows or values out, or makes records of names.
OTHERWISE = frozenset(
    {
        *("_import_limit", "import_file", "import_set_empty_fields", "import_skip_records"),
        *("module", "name_create_enabled_fields"),
    }
)


def fits(values: Mapping[str, Any], described: Mapping[str, Field]) -> bool:
    """Whether ``load`` can be given values in such a form that it reads the same in them."""
    try:
        for name, value in values.items():
            cell(value, described[name])
    except ValueError:
        return False
    return True


def column(field: Field) -> str:
    """Return how the column of a field is called; records are given by their ids."""
    return f"{field.name}/.id" if field.type in ("many2one", "many2many") else field.name


def cell(value: Any, field: Field) -> Any:
    """Return a value in the one form that ``load`` reads as that value.

    Raises:
        ValueError: it has none.
    """
    if field.type == "boolean":
        return "1" if value else "0"
    if field.type == "many2many" and isinstance(value, list):
        commands = read_commands(value, field.name)
        if all(command.kind == "set" for command in commands):
            return ",".join(str(record_id) for command in commands for record_id in command.ids)
    if value is False or value == "":
        return ""
    if field.type == "many2one":
        return str(value)
    if field.type == "selection":
        text = str(value)
        same = [str(key) for key, label in field.selection if text.lower() in _said(key, label)]
        if same != [text]:
            raise ValueError(
                f"{text!r} is also the label of other values, and Odoo may use one of them"
            )
        return text
    if field.type not in _SAME:
        raise ValueError(
            f"a new record with an external id cannot get this value of a {field.type} field: "
            "omit it, and write it afterwards"
        )
    return value


def _said(key: Any, label: Any) -> tuple[str, str]:
    return str(key).lower(), str(label).lower()
