"""What Odoo fills into a new record by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from odoo_toolkit.call import asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.model_guide.usage import may_be_given
from odoo_toolkit.records import default_get
from odoo_toolkit.records.arguments import describe
from odoo_toolkit.wizards.form_view import main_form


@attrs.frozen(kw_only=True)
class NewRecord:
    """What a new record of a model needs.

    Attributes:
        must_give: required, and Odoo fills nothing in.
        settled: required, and Odoo fills something in.
        defaults: what it would have now.
    """

    must_give: list[Field]
    settled: list[Field]
    defaults: Mapping[str, Any]


def new_record(odoo: Odoo, model: str) -> NewRecord:
    """Return what a new record of a model needs, and what it would have now.

    Two round trips; up to two more where a required field has no default.

    Args:
        odoo: the connection.
        model: such as ``account.move``.

    Raises:
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    fields = describe(odoo, model, "fields_get", {}, None)
    defaults = default_get(odoo, model).defaults
    required = [field for field in fields.values() if field.required and field.name != "id"]
    unset = [field.name for field in required if _is_empty(defaults.get(field.name))]
    if unset:
        defaults = {**defaults, **new_record_values(odoo, model, unset)}
    missing = [f for f in required if _is_empty(defaults.get(f.name)) and may_be_given(f)]
    settled = [field for field in required if field not in missing]
    return NewRecord(must_give=missing, settled=settled, defaults=defaults)


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [])


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
    spec = dict.fromkeys(named, mark)
    call = asking(model, "onchange", (), values={}, field_names=[], fields_spec=spec)
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
