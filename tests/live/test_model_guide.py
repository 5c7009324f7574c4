"""Methods, states and suggested domains against what real servers do."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from odoo_toolkit import AccessError, Odoo, app_models, create, search_read
from odoo_toolkit.call import Call
from odoo_toolkit.fields import TO_MANY
from odoo_toolkit.model_guide import model_methods, model_states, new_record_values, related_models
from odoo_toolkit.search_help import suggest_domain
from odoo_toolkit.wizards.form_view import main_form
from tests.kit.days import today
from tests.kit.live_tapes import Open

MODELS = (
    *("sale.order", "account.move", "account.payment", "stock.picking", "purchase.order"),
    *("crm.lead", "project.task", "project.project", "res.partner", "product.template"),
    *("product.product", "res.users", "res.company", "calendar.event", "stock.warehouse"),
)

QUERIES = {
    "sale.order": [
        "my quotations over 500",
        "confirmed orders not invoiced",
        "draft quotations created in the last 30 days",
        "top 5 confirmed orders of last year",
    ],
    "account.move": [
        "overdue customer invoices",
        "draft vendor bills",
        "paid invoices from last quarter",
        "invoices of Azure Interior",
        "credit notes",
    ],
    "stock.picking": ["late deliveries", "receipts ready today", "transfers done yesterday"],
    "crm.lead": [
        "won opportunities",
        "lost leads",
        "opportunities in stage New",
        "unassigned leads",
    ],
    "project.task": ["open tasks assigned to me", "overdue tasks", "unassigned tasks"],
    "res.partner": ["companies in Germany", "customers", "archived vendors"],
    "product.template": ["storable products", "services cheaper than 100", "out of stock"],
    "purchase.order": ["orders to approve", "late orders"],
}


def readable(odoo: Odoo, model: str) -> bool:
    return odoo.schema.has_model(model) and odoo.schema.may(model, "read")


@pytest.mark.every_version
@pytest.mark.parametrize("model", MODELS)
def test_every_condition_of_the_forms_is_understood(odoo: Odoo, model: str) -> None:
    """An expression that is no Python would silently count as "it depends"."""
    if not readable(odoo, model):
        pytest.skip(f"{model} is not here, or not readable.")

    conditions = [c for button in main_form(odoo, model).buttons for c in button.hidden_when]

    for condition in conditions:
        if isinstance(condition, str):
            ast.parse(condition, mode="eval")
        else:
            assert all(isinstance(item, (str, list)) for item in condition)
    # To 16 they are domains, but for an expression here and there.
    if odoo.version.major >= 17:
        assert all(isinstance(condition, str) for condition in conditions)


@pytest.mark.parametrize("model", MODELS)
def test_methods_and_states_of_every_model_can_be_told(odoo: Odoo, model: str) -> None:
    if not readable(odoo, model):
        pytest.skip(f"{model} is not here, or not readable.")

    methods = model_methods(odoo, model)
    states = model_states(odoo, model)

    values = [state.value for state in states.states]
    assert len(set(values)) == len(values)
    for step in states.transitions:
        assert {step["from"], step["to"]} <= set(values)
        assert step["from"] != step["to"]
    assert all(method.description for method in methods.methods)
    assert all(set(method.states) <= set(values) for method in methods.methods)


@pytest.mark.every_version
@pytest.mark.parametrize("model", [name for name, told in app_models.MODELS.items() if told.moves])
def test_the_table_of_moves_names_states_that_exist(odoo: Odoo, model: str) -> None:
    """A state that no version has would be a mistake that nothing else shows."""
    if not readable(odoo, model):
        pytest.skip(f"{model} is not here, or not readable.")
    values = {value for value, _ in odoo.schema.fields(model)["state"].selection}

    for move in app_models.known(model).moves:
        if move.since <= odoo.version.major <= move.until:
            assert {*move.to, *move.sources, *move.also, *move.never} <= values, move.method


@pytest.mark.parametrize(
    ("model", "methods"),
    [
        ("sale.order", ["action_cancel", "action_draft", "action_confirm", "action_cancel"]),
        ("account.move", ["action_post", "button_cancel", "button_draft", "button_cancel"]),
        ("purchase.order", ["button_confirm", "button_cancel", "button_draft", "button_cancel"]),
    ],
)
def test_a_record_goes_the_ways_that_the_transitions_tell(
    odoo: Odoo, admin: Odoo, suffix: str, model: str, methods: list[str]
) -> None:
    """Each transition is tried on a record that is in the state it begins in."""
    if not readable(odoo, model) or not odoo.schema.may(model, "write"):
        pytest.skip(f"{model} is not here, or this user has no buttons to press.")
    states = model_states(odoo, model)
    steps = {(s["from"], s["method"], s["to"]) for s in states.transitions}
    partner = made(admin, "res.partner", {"name": f"Ways {suffix}"})
    values: dict[str, Any] = {"partner_id": partner}
    if model == "account.move":
        line = {"name": "Work", "quantity": 1, "price_unit": 5.0, "tax_ids": [[6, 0, []]]}
        values |= {"move_type": "out_invoice", "invoice_line_ids": [[0, 0, line]]}
    record = made(admin, model, values)

    assert state_of(admin, model, record) == states.initial
    for method in methods:
        before = state_of(admin, model, record)
        # From 14 to 18 cancelling an order asks first, unless it is told not to.
        context = {"disable_cancel_warning": True}
        admin.call(Call(model=model, method=method, ids=(record,), context=context))
        assert (before, method, state_of(admin, model, record)) in steps


def made(odoo: Odoo, model: str, values: dict[str, Any]) -> int:
    record_id = create(odoo, model, values).id
    assert record_id is not None
    return record_id


def state_of(odoo: Odoo, model: str, record: int) -> str:
    read = Call(model=model, method="read", ids=(record,), arguments={"fields": ["state"]})
    return str(odoo.call(read)[0]["state"])


def test_a_model_that_the_user_may_not_read_is_an_error(opened: Open) -> None:
    odoo = opened("demo")
    closed = [
        model
        for model in ("ir.logging", "ir.sequence", "mail.template.preview", "ir.filters")
        if odoo.schema.has_model(model) and not odoo.schema.may(model, "read")
    ]
    assert closed
    for model in closed:
        with pytest.raises(AccessError):
            model_methods(odoo, model)
        with pytest.raises(AccessError):
            model_states(odoo, model)
        with pytest.raises(AccessError):
            suggest_domain(odoo, model, "anything")


def test_what_a_new_entry_is_filled_with_is_more_than_its_defaults(admin: Odoo) -> None:
    """``default_get`` says nothing of the journal, which is computed."""
    values = new_record_values(admin, "account.move", ["journal_id", "date", "currency_id"])

    assert set(values) == {"journal_id", "date", "currency_id"}


@pytest.mark.every_version
@pytest.mark.parametrize("model", MODELS)
def test_naming_the_whole_form_finds_at_least_what_naming_the_wanted_fields_finds(
    admin: Odoo, model: str
) -> None:
    if not readable(admin, model) or admin.policy.defaults_write(model):
        pytest.skip(f"{model} is not here, or is not asked for its defaults.")
    fields = admin.schema.fields(model)
    wanted = [
        name for name, field in fields.items() if field.required and field.type not in TO_MANY
    ]
    mark: Any = {} if admin.version.major >= 17 else "1"
    call = Call(
        model=model,
        method="onchange",
        ids=(),
        arguments={"values": {}, "field_names": [], "fields_spec": dict.fromkeys(wanted, mark)},
        access="read",
        internal=True,
    )
    plain = admin.call(call)["value"]

    found = new_record_values(admin, model, wanted)

    assert {name for name in wanted if plain.get(name) not in (None, False, "")} <= set(found)


def test_related_models_exist(odoo: Odoo) -> None:
    related = related_models(odoo, "sale.order")

    assert {"res.partner", "sale.order.line"} <= related.keys()


@pytest.mark.parametrize(("model", "query"), [(m, q) for m in QUERIES for q in QUERIES[m]])
def test_suggested_domains_run(odoo: Odoo, model: str, query: str) -> None:
    if not readable(odoo, model):
        pytest.skip(f"{model} is not here, or not readable.")

    suggestion = suggest_domain(odoo, model, query)

    assert suggestion.domain
    # Through the toolkit, whose days begin in the time zone of the user, as those of the count.
    rows = search_read(odoo, model, suggestion.domain, suggestion.fields, limit=20).records
    # Other tests write to the same server: the number is that of before, or of now.
    counts = (suggestion.count, suggest_domain(odoo, model, query).count)
    assert len(rows) in {min(count, 20) for count in counts}


@pytest.mark.every_user
def test_unpaid_invoices_of_a_customer_are_found_and_no_others(
    odoo: Odoo, admin: Odoo, suffix: str
) -> None:
    """Among a draft, a bill, and one of another customer."""
    day = today()
    customer = made(admin, "res.partner", {"name": f"Acme {suffix}", "is_company": True})
    contact = made(admin, "res.partner", {"name": f"Ann {suffix}", "parent_id": customer})
    other = made(admin, "res.partner", {"name": f"Umbrella {suffix}"})

    def invoice(of: int, *, post: bool = True, move_type: str = "out_invoice") -> int:
        line = {"name": "Work", "quantity": 1, "price_unit": 100.0, "tax_ids": [[6, 0, []]]}
        values = {
            "move_type": move_type,
            "partner_id": of,
            "invoice_date": day.isoformat(),
            "date": day.isoformat(),
            # An ordinary user sees his own.
            "invoice_user_id": odoo.uid,
            "invoice_line_ids": [[0, 0, line]],
        }
        invoice_id = made(admin, "account.move", values)
        if post:
            admin.call(Call(model="account.move", method="action_post", ids=(invoice_id,)))
        return invoice_id

    wanted = [invoice(customer), invoice(contact)]
    invoice(customer, post=False)
    invoice(other)
    invoice(customer, move_type="in_invoice")

    suggestion = suggest_domain(odoo, "account.move", f'unpaid invoices of "Acme {suffix}"')

    search = Call(model="account.move", method="search", arguments={"domain": suggestion.domain})
    assert sorted(odoo.call(search)) == sorted(wanted)
    assert suggestion.count == 2
    assert suggestion.not_understood == []
