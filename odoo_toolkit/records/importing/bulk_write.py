"""Different values written to many records in one request, which Odoo makes one transaction.

From 19 on Odoo has a method for that. Before, there are its own import (``load``), which takes
most values, and commands through a field that leads from a model to itself. Such a command changes
a record whether it is linked or not, and links none; the record that it goes through is one of
those that change. Through a record of another model it would do as well, but that one's
``write_date`` and ``write_uid`` would say that it was changed.

Each way does to a record what a ``write`` does; where one does more, or less, it is not taken. The
tables have what was seen in the databases: every row of every table, after a write of each record
and after one of all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from odoo_toolkit.arguments.load_cells import fits
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import or_seen, seen_written
from odoo_toolkit.change_history.recording import note_lines
from odoo_toolkit.client import Odoo
from odoo_toolkit.policy.owners import is_owned
from odoo_toolkit.records.importing.loading import PATIENCE, judge
from odoo_toolkit.records.results import Record

Way = Literal["web_save_multi", "load", "commands"]

#: The version that brought ``web_save_multi``: it writes each record, one after the other.
_SAVES_MANY = 19

#: Models of which ``load`` does otherwise than ``write``, and the versions where it was seen, or
#: all: of most, the code for imports does more.
_LOADED_OTHERWISE: dict[str, frozenset[int]] = {
    **dict.fromkeys(
        (
            *("account.account", "event.registration", "hr.leave.type", "ir.ui.view"),
            *("mail.template", "sms.template", "stock.quant"),
        ),
        frozenset(range(14, _SAVES_MANY)),
    ),
    # It logs the new total on the order, which a write of the line does not.
    "sale.order.line": frozenset({17}),
}

#: model -> its own field that leads to the same model; of several, the first that a version has.
_OWN_FIELDS: dict[str, tuple[str, ...]] = {
    "hr.employee": ("child_ids",),
    "product.template": ("optional_product_ids",),
    "project.task": ("child_ids",),
    "res.partner": ("child_ids",),
    "stock.picking": ("backorder_ids",),
}


def can_load(odoo: Odoo, model: str, rows: Sequence[Record]) -> bool:
    """Whether Odoo's own import takes rows in one request, and does with them what ``write`` does.

    Args: as of :func:`way_of`.
    """
    described = odoo.schema.fields(model)
    return (
        not is_owned(model)
        and odoo.version.major not in _LOADED_OTHERWISE.get(model, ())
        and all(row.keys() == rows[0].keys() and fits(row, described) for row in rows)
    )


def own_field(odoo: Odoo, model: str) -> str | None:
    """Return the field through which commands reach other records of a model; None for none."""
    described = odoo.schema.fields(model)
    for name in _OWN_FIELDS.get(model, ()):
        field = described.get(name)
        if field is not None and field.relation == model and field.store:
            return None if odoo.policy.field_blocked(name) else name
    return None


def way_of(odoo: Odoo, model: str, rows: Sequence[Record]) -> Way | None:
    """Return how rows of different values are written in one request; None where nothing does it.

    Args:
        odoo: the connection.
        model: of the records.
        rows: values as they are written to Odoo.
    """
    # The connection keeps writes off records of closed models, but not what these ways do.
    if is_owned(model):
        return None
    if odoo.version.major >= _SAVES_MANY:
        return "web_save_multi"
    if can_load(odoo, model, rows):
        return "load"
    name = own_field(odoo, model)
    if name is not None and not any(name in row for row in rows):
        return "commands"
    return None


def write_together(
    odoo: Odoo,
    model: str,
    ids: Sequence[int],
    rows: Sequence[Record],
    context: Mapping[str, Any],
    warnings: list[str],
) -> None:
    """Write values of its own to each record, in one request: all of them or none.

    The policy judges each row as the write that it is; the request is then made of these.

    Args:
        odoo: the connection.
        model: of the records.
        ids: of the records, each once.
        rows: values of each as they are written to Odoo, for which :func:`way_of` gives one of
            these two ways.
        context: of the call.
        warnings: is told when the answer was lost and the write was seen.

    Raises:
        OdooError: nothing was written; which row is wrong is not known.
        OdooConnectionError: the answer was lost and nothing was seen.
    """
    judge(odoo, model, ids, rows, context)
    if odoo.version.major >= _SAVES_MANY:
        method, called = "web_save_multi", tuple(ids)
        # Nothing of the records is asked back.
        arguments: Record = {"vals_list": list(rows), "specification": {}}
    else:
        method, called = "write", (ids[0],)
        others = [[1, number, row] for number, row in zip(ids[1:], rows[1:], strict=True)]
        name = own_field(odoo, model)
        arguments = {"vals": {**rows[0], str(name): others}}
    call = Call(
        model=model,
        method=method,
        ids=called,
        arguments=arguments,
        context=context,
        timeout=PATIENCE,
        step=True,
    )
    # Of changes in one request, all are stored or none: two of them tell of all.
    told = {ids[place]: rows[place] for place in (0, -1)}

    def seen() -> bool | None:
        return seen_written(odoo, model, told) or None

    before = len(warnings)
    or_seen(lambda: odoo.call(call), seen, warnings, safe=True)
    if len(warnings) > before:
        note_lines(odoo, call)
