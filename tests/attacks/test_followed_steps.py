"""The toolkit's own steps follow fields as free calls do: undo, history, business tools."""

from __future__ import annotations

import contextlib
import xmlrpc.client
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit import (
    History,
    Odoo,
    OdooError,
    Policy,
    aggregate,
    create,
    execute,
    history,
    read,
    search_read,
    undo,
    write,
)
from odoo_toolkit.apps.hr import find_people
from odoo_toolkit.apps.products import get_customer_price
from odoo_toolkit.call import Call
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit.fields import Field
from odoo_toolkit.policy.tables import WRITING_FIELDS
from odoo_toolkit.undoing.overview import details, overview
from tests.attacks.fuzz import models_of
from tests.attacks.policies import Attack, Raw, connected, leaks, raw
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server, credentials

__all__ = ["admin", "raw", "server", "suffix"]

pytestmark = pytest.mark.every_version  # which fields lead to other models differs

Opening = Callable[..., Odoo]


@pytest.fixture
def journalled(server: Server, tmp_path: Path) -> Iterator[Opening]:
    """Open connections of one user under other rules, which share a journal."""
    journal = History(tmp_path / "history.sqlite")
    settings = connection_settings(**credentials(server, server.user("admin")))
    with contextlib.ExitStack() as stack:
        yield lambda **rules: stack.enter_context(
            Odoo(settings, policy=Policy(**rules), history=journal)
        )


# What undo writes ------------------------------------------------------------------------------

#: model, its fields that are another model's (not all on each version), and that model.
THROUGH = (
    ("product.product", ("description_sale", "name"), "product.template"),
    ("crm.team", ("alias_name",), "mail.alias"),
    ("hr.employee", ("private_street",), "hr.version"),
)
RULES: dict[str, Callable[[str, str], dict[str, str]]] = {
    "restricted": lambda model, other: {"mode": "restricted", "write_allowlist": model},
    "blocklist": lambda model, other: {"model_blocklist": other},
    "allowlist": lambda model, other: {"model_allowlist": model},
}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("model", "fields", "other"), THROUGH, ids=lambda value: str(value))
def test_undo_writes_no_field_of_a_closed_model(
    raw: Raw,
    journalled: Opening,
    suffix: str,
    model: str,
    fields: tuple[str, ...],
    other: str,
    rules: str,
) -> None:
    opened, closed = journalled(), journalled(**RULES[rules](model, other))
    described = opened.schema.fields(model) if opened.schema.has_model(model) else {}
    shown = [described[name] for name in fields if name in described]
    tried = [field.name for field in shown if field.related and not field.store]
    if not tried:
        pytest.skip(f"Odoo {opened.version.major} has no such field")
    with raw.record(model, {"name": f"Thing {suffix}", tried[0]: f"before-{suffix}"}) as made:
        write(opened, model, [made], {tried[0]: f"after-{suffix}"})
        with pytest.raises(OdooError):
            write(closed, model, [made], {tried[0]: f"before-{suffix}"})
        entry = history(opened, limit=1)[0].id
        with contextlib.suppress(OdooError):
            undo(closed, entry=entry)
        assert raw.value(model, made, tried[0]) == f"after-{suffix}"
        undo(opened, entry=entry)
        assert raw.value(model, made, tried[0]) == f"before-{suffix}"


def test_a_step_writes_no_more_of_other_models_than_a_free_call(admin: Odoo, raw: Raw) -> None:
    """Of every model: what is refused to a caller is refused to the toolkit's operations."""
    described = _described(admin, raw)
    odd = []
    for model, fields in described.items():
        policy = Policy(mode="restricted", write_allowlist=model)
        for field in fields.values():
            if not field.related or field.readonly:
                continue
            free, step = (
                _refused(policy, described, model, field, method="write", step=step)
                for step in (False, True)
            )
            if free and not step and policy.never_written_refusal(model, "model") is None:
                odd.append(f"{model}.{field.name}")
    assert odd == []


def _described(admin: Odoo, raw: Raw) -> dict[str, Mapping[str, Field]]:
    found: dict[str, Mapping[str, Field]] = {}
    for model in models_of(raw):
        with contextlib.suppress(OdooError):
            found[model] = admin.schema.fields(model)
    return found


def _refused(
    policy: Policy,
    described: Mapping[str, Mapping[str, Field]],
    model: str,
    field: Field,
    *,
    method: str,
    step: bool,
) -> bool:
    arguments: dict[str, Any] = {"fields": [field.name]}
    if method == "write":
        arguments = {"vals": {field.name: _VALUES.get(field.type, False)}}
    call = Call(model=model, method=method, ids=(1,), arguments=arguments, step=step)
    try:
        policy.admitted(call, lambda name: described.get(name, {}))
    except OdooError:
        return True
    return False


_VALUES = {"char": "x", "text": "x", "html": "x", "float": 1.0, "integer": 1, "monetary": 1.0}


@pytest.mark.parametrize("closed", ["res.partner", "product.template", "hr.employee"])
def test_a_step_reads_no_more_of_a_closed_model_than_a_free_call(
    admin: Odoo, raw: Raw, closed: str
) -> None:
    described = _described(admin, raw)
    policy = Policy(model_blocklist=closed)
    odd = [
        f"{model}.{field.name}"
        for model, fields in described.items()
        if policy.model_allowed(model)
        for field in fields.values()
        if _refused(policy, described, model, field, method="read", step=False)
        and not _refused(policy, described, model, field, method="read", step=True)
        and (model, field.name) not in WRITING_FIELDS
    ]
    assert odd == []


# What history and plans of undo show -----------------------------------------------------------


@attrs.frozen
class Kept:
    """A write that the journal keeps, and the rules that close what it was about.

    Attributes:
        model: of the record that is made.
        values: that it is made with; ``{}`` in a text stands for the secret.
        written: what is written to it.
        rules: that close it.
    """

    model: str
    values: Callable[[Raw, str], dict[str, Any]]
    written: Callable[[Raw, int, str], dict[str, Any]]
    rules: Mapping[str, str]


def _order(raw: Raw, secret: str) -> dict[str, Any]:
    partner = raw("res.partner", "search", [], limit=1)[0]
    product = raw("product.product", "search", [["sale_ok", "=", True]], limit=1)[0]
    line = {"product_id": product, "price_unit": float(secret)}
    return {"partner_id": partner, "order_line": [[0, 0, line]]}


def _line(raw: Raw, order: int, secret: str) -> dict[str, Any]:
    (line,) = raw.value("sale.order", order, "order_line")
    return {"order_line": [[1, line, {"price_unit": float(f"1{secret}")}]]}


def _contact(raw: Raw, secret: str) -> dict[str, Any]:
    return {"name": "Contact", "email": f"{secret}@example.com"}


def _product(raw: Raw, secret: str) -> dict[str, Any]:
    return {"name": "Product", "description_sale": secret}


_EMAIL: dict[str, Any] = {
    "model": "res.partner",
    "values": _contact,
    "written": lambda raw, i, secret: {"email": f"again-{secret}@example.com"},
}
_LINE: dict[str, Any] = {"model": "sale.order", "values": _order, "written": _line}
_TEXT: dict[str, Any] = {
    "model": "product.product",
    "values": _product,
    "written": lambda raw, i, secret: {"description_sale": f"{secret} again"},
}
KEPT = {
    "a closed field": Kept(**_EMAIL, rules={"field_blocklist": "email"}),
    "a closed model": Kept(**_EMAIL, rules={"model_blocklist": "res.partner"}),
    "a closed field of lines": Kept(**_LINE, rules={"field_blocklist": "price_unit"}),
    "a closed model of lines": Kept(**_LINE, rules={"model_blocklist": "sale.order.line"}),
    "a field of a closed model": Kept(**_TEXT, rules={"model_blocklist": "product.template"}),
    "a field of an unlisted model": Kept(**_TEXT, rules={"model_allowlist": "product.product"}),
}


@pytest.mark.parametrize("mode", ["readonly", "full"])
@pytest.mark.parametrize("case", KEPT)
def test_history_tells_nothing_that_is_closed_today(
    raw: Raw, journalled: Opening, suffix: str, case: str, mode: str
) -> None:
    kept, secret = KEPT[case], f"{int(suffix, 16)}.25"
    opened, closed = journalled(), journalled(mode=mode, **kept.rules)
    made = create(opened, kept.model, kept.values(raw, secret)).id
    write(opened, kept.model, [made], kept.written(raw, made, secret))
    written = history(opened, limit=1)[0].id
    undo(opened, entry=written)
    undone = history(opened, limit=1)[0].id
    write(opened, kept.model, [made], kept.written(raw, made, secret))
    again = history(opened, limit=1)[0].id
    attacks: dict[str, Attack] = {
        "history": lambda o: history(o, limit=5),
        "in short": lambda o: overview(o, limit=5),
        "a plan": lambda o: undo(o, entry=again, dry_run=True),
        **{
            f"details {entry}": (lambda o, entry=entry: details(o, entry=entry))
            for entry in (written, undone, again)
        },
    }
    try:
        assert leaks(opened, closed, attacks, secret) == []
    finally:
        raw.clean(kept.model, [["id", "=", made]])


# What business tools and properties show -------------------------------------------------------


@attrs.frozen
class Secret:
    """A record of a closed model, with a secret in it, and another one that leads to it."""

    closed: str
    holds: str
    leads: int
    word: str


Making = Callable[[Raw, str], Secret]
TOOLS: dict[str, tuple[Making, Callable[[Odoo, Secret], Any]]] = {}


def tool(making: Making) -> Callable[[Callable[[Odoo, Secret], Any]], None]:
    """Have a function tried as an attack."""

    def add(ask: Callable[[Odoo, Secret], Any]) -> None:
        TOOLS[ask.__name__.strip("_")] = (making, ask)

    return add


def _employee(raw: Raw, word: str) -> Secret:
    values = {"name": f"Worker {word}", "job_title": f"job{word}", "work_email": f"e{word}@x.com"}
    return Secret("hr.employee", f"job{word}", raw("hr.employee", "create", values), word)


def _priced(raw: Raw, word: str) -> Secret:
    price = float(f"{100000 + int(word[:4], 16)}.25")
    template = raw("product.template", "create", {"name": f"Thing {word}", "list_price": price})
    (product,) = raw.value("product.template", template, "product_variant_ids")
    return Secret("product.template", str(price), product, word)


def _property(raw: Raw, word: str) -> Secret:
    secret = f"Secret{word}"
    partner = raw("res.partner", "create", {"name": secret})
    one = {"type": "many2one", "comodel": "res.partner", "string": "One", "name": "aa11"}
    many = {"type": "many2many", "comodel": "res.partner", "string": "Many", "name": "bb22"}
    text = {"type": "char", "string": "Text", "name": "cc33"}
    values: dict[str, Any] = {
        "name": f"Project {word}",
        "task_properties_definition": [{**one, "default": partner}, many, text],
    }
    project = raw("project.project", "create", values)
    held = {"aa11": partner, "bb22": [partner]}
    values = {"name": "Task", "project_id": project, "task_properties": held}
    return Secret("res.partner", secret, raw("project.task", "create", values), word)


@tool(_employee)
def _people(odoo: Odoo, secret: Secret) -> Any:
    return find_people(odoo, query=secret.word)


@tool(_employee)
def _people_by_what_is_closed(odoo: Odoo, secret: Secret) -> Any:
    return [secret.holds for _ in find_people(odoo, query=secret.holds).people]


@tool(_priced)
def _price(odoo: Odoo, secret: Secret) -> Any:
    partner = search_read(odoo, "res.partner", [], ["id"], limit=1).records[0]["id"]
    return get_customer_price(odoo, product_id=secret.leads, partner_id=partner)


@tool(_property)
def _properties(odoo: Odoo, secret: Secret) -> Any:
    return read(odoo, "project.task", [secret.leads], ["task_properties"])


@tool(_property)
def _all_fields(odoo: Odoo, secret: Secret) -> Any:
    return read(odoo, "project.task", [secret.leads], ["*"])


@tool(_property)
def _defined(odoo: Odoo, secret: Secret) -> Any:
    task = read(odoo, "project.task", [secret.leads], ["project_id"]).records[0]
    fields = ["task_properties_definition"]
    return read(odoo, "project.project", [task["project_id"]["id"]], fields)


@tool(_property)
def _groups(odoo: Odoo, secret: Secret) -> Any:
    domain = [["id", "=", secret.leads]]
    new = odoo.version.major >= 19
    method = "formatted_read_group" if new else "read_group"
    given = [domain, ["task_properties.aa11"], ["__count"]]
    return execute(
        odoo,
        "project.task",
        method,
        given if new else [domain, ["id"], ["task_properties.aa11"]],
    )


@tool(_property)
def _exported(odoo: Odoo, secret: Secret) -> Any:
    columns = ["name", "task_properties.aa11"]
    return execute(odoo, "project.task", "export_data", [[secret.leads], columns])


@tool(_property)
def _exported_further(odoo: Odoo, secret: Secret) -> Any:
    columns = ["task_ids/task_properties.aa11"]
    task = read(odoo, "project.task", [secret.leads], ["project_id"]).records[0]
    return execute(odoo, "project.project", "export_data", [[task["project_id"]["id"]], columns])


@tool(_property)
def _aggregated(odoo: Odoo, secret: Secret) -> Any:
    domain = [["id", "=", secret.leads]]
    return aggregate(odoo, "project.task", groupby=["task_properties.aa11"], domain=domain)


@pytest.mark.parametrize("mode", ["readonly", "full"])
@pytest.mark.parametrize("name", TOOLS)
def test_no_tool_tells_what_a_closed_model_holds(
    admin: Odoo, server: Server, raw: Raw, suffix: str, name: str, mode: str
) -> None:
    making, ask = TOOLS[name]
    try:
        secret = making(raw, suffix)
    except xmlrpc.client.Fault:
        pytest.skip(f"Odoo {admin.version.major} has no such records")
    attacks: dict[str, Attack] = {name: lambda odoo: ask(odoo, secret)}
    with connected(server, mode=mode, model_blocklist=secret.closed) as closed:
        assert leaks(admin, closed, attacks, secret.holds) == []


def test_a_write_keeps_properties_that_are_closed(server: Server, raw: Raw, suffix: str) -> None:
    """Odoo replaces all properties with what is written, so those that are not shown are, too."""
    try:
        secret = _property(raw, suffix)
    except xmlrpc.client.Fault:
        pytest.skip(f"Odoo {server.version} has no such records")
    before = raw.value("project.task", secret.leads, "task_properties")[:2]
    with connected(server, model_blocklist=secret.closed) as closed:
        write(closed, "project.task", [secret.leads], {"task_properties": {"cc33": "x"}})
    after = raw.value("project.task", secret.leads, "task_properties")
    assert (after[:2], after[2]["value"]) == (before, "x")


def test_history_shows_no_values_of_other_companies(
    server: Server, raw: Raw, suffix: str, tmp_path: Path
) -> None:
    company = raw("res.company", "create", {"name": f"Other {suffix}"})
    raw("res.users", "write", [raw.uid], {"company_ids": [[4, company]]})
    home = raw.value("res.users", raw.uid, "company_id")[0]
    journal, named = History(tmp_path / "history.sqlite"), credentials(server, server.user("admin"))
    with (
        Odoo(connection_settings(**named), history=journal) as opened,
        Odoo(connection_settings(**named, company_ids=(home,)), history=journal) as bound,
        raw.record("crm.lead", {"name": "Lead", "company_id": company}) as theirs,
        raw.record("crm.lead", {"name": "Lead", "company_id": home}) as ours,
    ):
        write(opened, "crm.lead", [ours], {"name": f"ours-{suffix}"})
        write(opened, "crm.lead", [theirs], {"name": f"theirs-{suffix}"})
        attacks: dict[str, Attack] = {"history": history, "in short": overview}
        assert leaks(opened, bound, attacks, f"theirs-{suffix}") == []
        assert attrs.asdict(history(bound, limit=2)[1])["writes"][0]["values"] == {
            "name": f"ours-{suffix}"
        }
    raw("res.users", "write", [raw.uid], {"company_ids": [[3, company]]})


@pytest.mark.parametrize("rules", [{"method_blocklist": "unlink"}, {"mode": "restricted"}])
def test_undo_is_not_said_to_be_whole_where_it_is_refused(
    raw: Raw, journalled: Opening, suffix: str, rules: dict[str, str]
) -> None:
    opened = journalled()
    bound = journalled(write_allowlist="sale.order,sale.order.line", **rules)
    order = create(opened, "sale.order", _order(raw, "7.25")).id
    line = _order(raw, "8.25")["order_line"]
    write(opened, "sale.order", [order], {"order_line": line})
    (entry,) = overview(bound, limit=1)
    with pytest.raises(OdooError):
        undo(bound, entry=entry.entry)
    assert entry.undo.possible == "none"
    assert overview(opened, limit=1)[0].undo.possible == "full"
    raw.clean("sale.order", [["id", "=", order]])
