"""How people use a model: the fields they read and give, the filters they set, what they know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from odoo_toolkit.app_models import known
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.model_guide.methods import state_field
from odoo_toolkit.model_guide.states import ModelStates
from odoo_toolkit.operations.lines import today
from odoo_toolkit.policy.tables import is_read_unasked
from odoo_toolkit.records.arguments import describe
from odoo_toolkit.search_help.meanings import first_of, main_amount, main_date
from odoo_toolkit.wizards.form_view import main_form

#: What every record that has it is shown with.
_ALWAYS = ("id", "display_name", "name", "active", "create_date", "write_date")

#: Lists of what surrounds a record: messages, followers, activities, ...
_AROUND = ("message_", "activity_", "website_message_", "rating_")

#: Fields that people usually give, where the model has them and does not require them.
_USUALLY_GIVEN = (
    *("name", "partner_id", "email", "phone", "user_id", "project_id", "product_id", "date_order"),
    *("invoice_date", "date_deadline", "order_line", "invoice_line_ids", "list_price", "type"),
    *("description", "tag_ids"),
)

#: An example by the type of a field.
_EXAMPLES: Mapping[str, Any] = {
    "boolean": True,
    "char": "text",
    "date": "2025-02-09",
    "datetime": "2025-02-09T14:30:00Z",
    "float": 1.5,
    "html": "<p>text</p>",
    "integer": 1,
    "many2many": [[6, 0, [1]]],
    "many2one": 1,
    "monetary": 99.9,
    "one2many": [[0, 0, {}]],
    "text": "text",
}


def _among(names: Iterable[str], fields: Mapping[str, Field]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name in fields]


def listed_fields(model: str, fields: Mapping[str, Field]) -> list[str]:
    """Return the few fields that a list of records is worth reading with."""
    return _among(known(model).key_fields, fields)


def key_fields(model: str, fields: Mapping[str, Field]) -> list[str]:
    """Return the fields that tell most of a record: those of a list, its state, its lines, ..."""
    names = [
        *known(model).key_fields,
        *("name", "state", "stage_id", "partner_id", "user_id", "company_id", "active"),
        main_date(model, fields) or "",
        main_amount(fields) or "",
        *(n for n, f in fields.items() if f.type == "one2many" and f.relation == f"{model}.line"),
    ]
    return _among(names, fields)


def shown_fields(odoo: Odoo, model: str, fields: Mapping[str, Field]) -> list[str]:
    """Return the fields by which a record is known, and those that its form shows.

    The form is asked for once and kept; a model without one is shown with what is stored.

    Args:
        odoo: the connection.
        model: technical name.
        fields: those of the model that may be read.

    Raises:
        OdooConnectionError: Odoo cannot be reached.
    """
    try:
        shown = main_form(odoo, model).fields
    except OdooConnectionError:
        raise
    except OdooError:
        shown = ()
    if not shown:
        shown = tuple(name for name, field in fields.items() if field.store)
    return [
        name
        for name in _among((*_ALWAYS, *known(model).key_fields, *shown), fields)
        if is_read_unasked(model, fields[name])
        and not (fields[name].type in TO_MANY and name.startswith(_AROUND))
    ]


def may_be_given(field: Field) -> bool:
    """Whether somebody may give a value; to 16, a field may be read-only in later states only."""
    return not field.readonly or field.state_dependent


def usually_given(model: str, fields: Mapping[str, Field]) -> list[Field]:
    """Return the fields that people usually give a new record, though they need not."""
    left_out = {"name"} if known(model).numbered else set()
    return [
        fields[name]
        for name in _among(_USUALLY_GIVEN, fields)
        if name not in left_out and may_be_given(fields[name]) and not fields[name].required
    ]


def example_value(field: Field) -> Any:
    """Return a value that shows how one for the field is written."""
    return field.selection[0][0] if field.selection else _EXAMPLES.get(field.type, "value")


def usual_filters(
    odoo: Odoo, model: str, fields: Mapping[str, Field], states: ModelStates
) -> list[tuple[str, list[Any]]]:
    """Return domains that people often search by, each of which runs on this server.

    Args:
        odoo: the connection, of the user who is meant by "mine".
        model: technical name.
        fields: of the model.
        states: of the model.

    Returns:
        What each domain finds, and the domain; ``<id>`` in one stands for the id of a contact.
    """
    found: list[tuple[str, list[Any]]] = []
    state = state_field(fields)
    if state and first_of(fields, [state.name]):
        found += [(s.label, [[state.name, "=", s.value]]) for s in states.states[:8]]
    elif states.states and states.state_field:
        first = states.states[0]
        found.append((f"in stage {first.label}", [[states.state_field, "=", first.value]]))
    if first_of(fields, ["user_ids"]):
        found.append(("mine", [["user_ids", "in", [odoo.uid]]]))
    elif first_of(fields, ["user_id"]):
        found.append(("mine", [["user_id", "=", odoo.uid]]))
    if day := main_date(model, fields):
        first_day = f"{today(odoo)[:7]}-01"
        found.append(("since the first of this month", [[day, ">=", first_day]]))
    if first_of(fields, ["partner_id"]) and fields["partner_id"].relation == "res.partner":
        found.append(("of a company and its contacts", [["partner_id", "child_of", "<id>"]]))
    if "name" in fields and fields["name"].searchable:
        found.append(("by name", [["name", "ilike", "text"]]))
    return found


def tips(model: str, fields: Mapping[str, Field]) -> list[str]:
    """Return what one should know of a model besides what the server says of it."""
    found = list(known(model).tips)
    if state_field(fields):
        found.append("Do not write the state. Call the action that changes it, then read it again.")
    if "active" in fields:
        found.append(
            "Searches omit archived records. To find them, use a domain with active = false."
        )
    if "company_id" in fields:
        found.append(
            "Records belong to companies. This user sees only the records of their own companies."
        )
    return found


def related_models(odoo: Odoo, model: str) -> dict[str, list[str]]:
    """Return the models that the relations of a model lead to, each with the names of the fields.

    Those with most fields come first. Discussion, activities and the like, which nearly every model
    has, are left out.

    Args:
        odoo: the connection.
        model: such as ``sale.order``.

    Raises:
        NotFoundError: there is no such model.
        AccessError: the policy does not allow it.
    """
    found: dict[str, list[str]] = {}
    for field in describe(odoo, model, "fields_get", {}, None).values():
        aside = field.name.startswith((*_AROUND, "create_uid", "write_uid"))
        if field.relation and not aside and odoo.policy.model_allowed(field.relation):
            found.setdefault(field.relation, []).append(field.name)
    return {name: sorted(found[name]) for name in sorted(found, key=lambda n: (-len(found[n]), n))}


def has_chatter(fields: Mapping[str, Field]) -> bool:
    """Whether records have a discussion: messages and followers."""
    return "message_ids" in fields and fields["message_ids"].relation == "mail.message"
