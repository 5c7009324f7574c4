"""What Odoo fills into a new record by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import TO_MANY
from odoo_toolkit.form_view import main_form
from odoo_toolkit.records.arguments import describe


def new_record_values(odoo: Odoo, model: str, names: Iterable[str]) -> dict[str, Any]:
    """Return the values that a new record's form would show: defaults and what is computed.

    ``default_get`` does not tell what is computed, such as the journal of a new journal entry;
    the ``onchange`` of an empty form does. Nothing is written; two round trips, or one where the
    form is known already. What is empty is left out; relations are ids or ``[id, name]``.

    Args:
        odoo: the connection.
        model: such as ``account.move``.
        names: fields to be told of; lists of records are not.
    """
    fields = describe(odoo, model, "fields_get", {}, None)
    asked = [name for name in names if name in fields and fields[name].type not in TO_MANY]
    if not asked or odoo.policy.defaults_write(model):
        return {}
    # All fields of the form are named, as the web client does: what is computed from the default of
    # a field that is not named, such as the journal from move_type, stays empty on 16 to 18.
    named = dict.fromkeys(name for name in (*asked, *_form_fields(odoo, model)) if name in fields)
    # To 16 the third argument maps a field to whether it has onchange methods, from 17 on to
    # what is to be told of it.
    mark: Any = {} if odoo.version.major >= 17 else "1"
    arguments: dict[str, Any] = {
        "values": {},
        "field_names": [],
        "fields_spec": dict.fromkeys(named, mark),
    }
    call = Call(
        model=model,
        method="onchange",
        ids=(),
        arguments=arguments,
        access="read",
        internal=True,
    )
    try:
        values = odoo.call(call)["value"]
    except (OdooError, KeyError, TypeError):
        return {}
    return {name: values[name] for name in asked if values.get(name) not in (None, False, "", [])}


def _form_fields(odoo: Odoo, model: str) -> tuple[str, ...]:
    try:
        form = main_form(odoo, model)
    except OdooError:
        return ()
    return (*form.fields, *form.hidden)
