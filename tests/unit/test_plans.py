"""``dry_run`` of the record functions: a plan, in every mode, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, NotFoundError, Odoo, Plan, Policy, ValidationError
from odoo_toolkit.apps import sales
from odoo_toolkit.chatter import attachments
from odoo_toolkit.chatter.activities import mark_activity_done, schedule_activity
from odoo_toolkit.chatter.messages import post_message
from odoo_toolkit.plans import PlannedCall, folded
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_shop import shop

READ = {"read", "search", "search_read", "fields_get", "name_get", "search_count"}
MODES = ("readonly", "restricted", "full")


@pytest.fixture
def server() -> FakeServer:
    """A server with two partners."""
    return FakeServer(
        {
            "res.partner": {
                "name": "char",
                "email": "char",
                "image_1920": "binary",
                "country_id": "many2one res.country",
            },
            "res.country": {"name": "char"},
        },
        records={
            "res.partner": [
                {"id": 7, "name": "Azure", "email": "a@x.test", "country_id": 20},
                {"id": 8, "name": "Ben", "email": False, "country_id": False},
            ],
            "res.country": [{"id": 20, "name": "Belgium"}],
        },
    )


def wrote(server: FakeServer) -> list[str]:
    """Return the methods that arrived and that write."""
    return [call.method for call in server.sent if call.method not in READ]


@pytest.mark.parametrize("mode", MODES)
def test_create_plans_the_values_that_would_be_sent(server: FakeServer, mode: str) -> None:
    odoo = server.connect(policy=Policy(mode=mode))  # type: ignore[arg-type]
    plan = toolkit.create(odoo, "res.partner", [{"name": " A"}, {"name": "B"}], dry_run=True)

    assert isinstance(plan, Plan)
    assert plan.message == "Would create 2 res.partner records."
    assert str(plan.calls[0]).startswith("res.partner.create(vals_list=[{'name':")
    assert (plan.needs is None) == (mode == "full")
    assert wrote(server) == []


@pytest.mark.parametrize("mode", MODES)
def test_write_plans_with_the_values_before_and_after(server: FakeServer, mode: str) -> None:
    odoo = server.connect(policy=Policy(mode=mode))  # type: ignore[arg-type]
    values = {"email": "b@x.test", "country_id": 20, "image_1920": "eHg="}
    plan = toolkit.write.plan(odoo, "res.partner", [7, 8], values)

    assert plan.message == "Would change 2 res.partner records."
    assert [(c.id, c.field, c.before, c.after) for c in plan.changes] == [
        (7, "email", "a@x.test", "b@x.test"),
        (7, "country_id", {"id": 20, "name": "Belgium"}, {"id": 20, "name": "Belgium"}),
        (8, "email", "", "b@x.test"),
        (8, "country_id", None, {"id": 20, "name": "Belgium"}),
    ]
    assert plan.calls[0].arguments == {"vals": values}
    assert (plan.needs is None) == (mode == "full")
    assert wrote(server) == []


@pytest.mark.parametrize("mode", MODES)
def test_unlink_plans_with_the_names_of_the_records(server: FakeServer, mode: str) -> None:
    odoo = server.connect(policy=Policy(mode=mode))  # type: ignore[arg-type]
    plan = toolkit.unlink(odoo, "res.partner", [7, 8], dry_run=True)

    assert plan.message == "Would delete 2 res.partner records: Azure (7), Ben (8)."
    assert (plan.needs is None) == (mode == "full")
    assert wrote(server) == []


@pytest.mark.parametrize("mode", MODES)
def test_execute_plans_the_call_as_it_is(server: FakeServer, mode: str) -> None:
    odoo = server.connect(policy=Policy(mode=mode))  # type: ignore[arg-type]
    plan = toolkit.execute(odoo, "res.partner", "action_merge", [[7], "x"], dry_run=True)

    assert plan.message.startswith("Would call action_merge of res.partner on [7]; whether there")
    assert plan.calls[0].arguments == {"argument 1": "x"}
    assert (plan.needs is None) == (mode == "full")
    assert server.sent == []


def test_what_restricted_mode_may_write_needs_nothing_more(server: FakeServer) -> None:
    odoo = server.connect(policy=Policy(mode="restricted", write_allowlist=["res.partner"]))  # type: ignore[arg-type]

    assert toolkit.create.plan(odoo, "res.partner", {"name": "A"}).needs is None
    needs = toolkit.unlink.plan(odoo, "res.partner", [7]).needs
    assert needs is not None
    assert needs.endswith('It needs full mode: Policy(mode="full").')


@pytest.mark.parametrize("mode", MODES)
def test_what_is_closed_is_closed_to_plans(server: FakeServer, mode: str) -> None:
    policy = Policy(mode=mode, field_blocklist=["email"], method_blocklist=["unlink"])  # type: ignore[arg-type]
    odoo = server.connect(policy=policy)
    with pytest.raises(AccessError):
        toolkit.create(odoo, "res.partner", {"email": "x"}, dry_run=True)
    with pytest.raises(AccessError):
        toolkit.write(odoo, "res.partner", [7], {"email": "x"}, dry_run=True)
    with pytest.raises(AccessError):
        toolkit.unlink(odoo, "res.partner", [7], dry_run=True)
    with pytest.raises(AccessError):
        toolkit.execute(odoo, "res.users.apikeys", "generate", dry_run=True)
    with pytest.raises(AccessError):
        toolkit.execute(odoo, "res.partner", "write", [[7], {"email": "x"}], dry_run=True)
    assert wrote(server) == []


def test_what_is_wrong_is_wrong_to_plans(server: FakeServer) -> None:
    odoo = server.connect(policy=Policy(mode="readonly"))
    with pytest.raises(ValidationError):
        toolkit.create(odoo, "res.partner", {"nam": "x"}, dry_run=True)
    with pytest.raises(NotFoundError):
        toolkit.write(odoo, "res.partner", [99], {"name": "x"}, dry_run=True)
    with pytest.raises(NotFoundError):
        toolkit.unlink(odoo, "res.partner", [99], dry_run=True)


@pytest.mark.parametrize("mode", MODES)
def test_a_plan_in_readonly_mode_says_where_totals_are_shown(mode: str) -> None:
    odoo, lines = shop(policy=Policy(mode=mode)), [{"name": "Thank you"}]
    plan = sales.create_order(odoo, partner_id=7, lines=lines, dry_run=True)
    assert isinstance(plan, Plan)
    notes = " ".join(plan.documents[0].notes)
    assert ("restricted or full mode shows them" in notes) == (mode == "readonly")


def test_models_as_objects_plan_too(server: FakeServer) -> None:
    partners = server.connect()["res.partner"]

    assert partners.create({"name": "A"}, dry_run=True).message.startswith("Would create 1")
    assert isinstance(partners.write([7], {"name": "A"}, dry_run=True), Plan)
    assert isinstance(partners.unlink([7], dry_run=True), Plan)
    assert isinstance(partners.execute("action_x", [[7]], dry_run=True), Plan)
    assert wrote(server) == []


def belonging() -> FakeServer:
    """A server whose partner has a message, an activity and a file."""
    return FakeServer(
        {
            "res.partner": {
                "name": "char",
                "message_ids": "one2many mail.message res_id",
                "activity_ids": "one2many mail.activity res_id",
            },
            "mail.message": {"body": "html", "res_id": "integer"},
            "mail.activity": {
                "display_name": "char",
                "note": "html",
                "res_model": "char",
                "res_id": "integer",
                "res_name": "char",
            },
            "ir.attachment": {
                "name": "char",
                "res_model": "char",
                "res_id": "integer",
                "res_field": "char",
                "type": "char",
                "url": "char",
                "mimetype": "char",
                "file_size": "integer",
            },
        },
        records={
            "res.partner": [{"id": 7, "name": "Azure"}],
            "mail.activity": [
                {"id": 4, "display_name": "Call", "res_model": "res.partner", "res_id": 7}
            ],
            "ir.attachment": [
                {
                    "id": 5,
                    "name": "a.txt",
                    "res_model": "res.partner",
                    "res_id": 7,
                    "type": "binary",
                }
            ],
        },
        answers={("ir.model.data", "check_object_reference"): ["mail.activity.type", 3]},
    )


PLANS: dict[str, tuple[Callable[[Odoo], Plan], str, str]] = {
    "message": (
        lambda odoo: post_message(odoo, "res.partner", 7, "Hello", dry_run=True),
        "message_post",
        "Would post a message on res.partner 7.",
    ),
    "note": (
        lambda odoo: post_message.plan(odoo, "res.partner", 7, "Hello", "notification"),
        "message_post",
        "Would post an internal note on res.partner 7.",
    ),
    "activity": (
        lambda odoo: schedule_activity(odoo, "res.partner", 7, "call", dry_run=True),
        "activity_schedule",
        "Would schedule an activity (call) on res.partner 7.",
    ),
    "done": (
        lambda odoo: mark_activity_done(odoo, 4, dry_run=True),
        "action_feedback",
        "Would mark done: Call on res.partner 7.",
    ),
    "upload": (
        lambda odoo: attachments.upload(odoo, "res.partner", 7, "b.txt", "eHg=", dry_run=True),
        "create",
        "Would attach 'b.txt' (2 bytes) to res.partner 7.",
    ),
    "delete": (
        lambda odoo: attachments.delete(odoo, 5, dry_run=True),
        "unlink",
        "Would delete attachment 5 ('a.txt').",
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PLANS)
def test_what_belongs_to_a_record_is_planned(name: str, mode: str) -> None:
    server = belonging()
    odoo = server.connect(policy=Policy(mode=mode))  # type: ignore[arg-type]
    planned, method, message = PLANS[name]
    plan = planned(odoo)

    assert [call.method for call in plan.calls] == [method]
    assert plan.message == message
    assert (plan.needs is None) == (mode == "full")
    assert set(wrote(server)) <= {"check_object_reference"}


@pytest.mark.parametrize("name", PLANS)
def test_what_belongs_to_a_closed_model_is_not_planned(name: str) -> None:
    server = belonging()
    odoo = server.connect(policy=Policy(model_blocklist=["res.partner"]))  # type: ignore[arg-type]
    with pytest.raises((AccessError, NotFoundError)):
        PLANS[name][0](odoo)
    assert set(wrote(server)) <= {"check_object_reference"}


def test_neighbors_that_differ_in_their_records_are_shown_as_one_call() -> None:
    def planned(*ids: int, **arguments: str) -> PlannedCall:
        return PlannedCall(model="crm.lead", method="write", ids=list(ids), arguments=arguments)

    calls = [
        planned(1, a="x"),
        planned(2, a="x"),
        planned(3, a="y"),
        planned(a="y"),
        planned(a="y"),
    ]
    shown = folded(calls)
    assert shown == [planned(1, 2, a="x"), planned(3, a="y"), planned(a="y"), planned(a="y")]
