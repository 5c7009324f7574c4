"""Messages, files, activities, ... of closed models, asked for by every detour to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo, OdooError, count, create, execute, search_read, write
from odoo_toolkit.chatter.activities import get_activities
from odoo_toolkit.chatter.attachments import delete, get_content, list_attachments
from odoo_toolkit.chatter.messages import get_messages
from tests.attacks.policies import (
    MARK,
    Attack,
    Noting,
    Raw,
    connected,
    has_fields,
    leaks,
    raw,
    readings,
    told,
)
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server

__all__ = ["admin", "raw", "server", "suffix"]

CLOSED = "crm.lead"
#: What a reader of contacts and of what hangs on them may be given.
OPEN = (
    "res.partner,res.users,res.company,ir.attachment,mail.message,mail.notification,mail.activity,"
    "mail.tracking.value,mail.followers,rating.rating,ir.default,ir.property,ir.model.data,"
    "ir.model,ir.model.fields,ir.filters,ir.exports,mail.mail,mail.activity.type,calendar.event,"
    "mail.scheduled.message,mail.message.schedule,mail.message.reaction,res.currency,res.country"
)
RULES: dict[str, dict[str, Any]] = {
    "readonly, allowlist": {"mode": "readonly", "model_allowlist": OPEN},
    "full, blocklist": {"mode": "full", "model_blocklist": CLOSED},
}


# Which fields lead to a record differs by version; what closes its model does not.
@pytest.fixture(
    scope="module",
    params=[
        "readonly, allowlist",
        pytest.param("full, blocklist", marks=pytest.mark.every_version),
    ],
)
def closed(request: pytest.FixtureRequest, server: Server) -> Iterator[Noting]:
    with connected(server, **RULES[request.param]) as odoo:
        yield odoo


@attrs.frozen
class Trail:
    """What hangs on a record of a closed model, its id by model."""

    lead: int
    ids: dict[str, int]

    def id(self, model: str) -> int:
        """Return the id of one of them; skip the test where the version has none."""
        if model not in self.ids:
            pytest.skip(f"this version has no {model}")
        return self.ids[model]


REVENUE = 31337.25
LATER = "2040-01-01 00:00:00"

#: model -> field with the mark, and the values that tie it to the lead; the names in braces are
#: ids that the fixture knows. In the order in which they are made.
OWNED: dict[str, tuple[str, dict[str, Any]]] = {
    "ir.attachment": ("name", {"name": f"{MARK} file", "res_model": CLOSED, "res_id": "{lead}"}),
    "mail.message": (
        "subject",
        {
            "model": CLOSED,
            "res_id": "{lead}",
            "body": f"<p>{MARK} body</p>",
            "subject": f"{MARK} subject",
            "record_name": f"{MARK} lead",
            "message_type": "comment",
            "attachment_ids": [[6, 0, ["{ir.attachment}"]]],
        },
    ),
    "mail.notification": (
        "mail_message_id",
        {"mail_message_id": "{mail.message}", "res_partner_id": "{partner}"},
    ),
    "mail.mail": ("subject", {"mail_message_id": "{mail.message}", "state": "sent"}),
    "mail.activity": (
        "summary",
        {"res_model_id": "{model}", "res_id": "{lead}", "summary": f"{MARK} call"},
    ),
    "ir.default": (
        "json_value",
        {"field_id": "{referred}", "json_value": f'"{MARK}"', "condition": "referred=x"},
    ),
    "ir.property": (
        "value_text",
        {
            "name": "x",
            "fields_id": "{referred}",
            "type": "char",
            "value_text": f"{MARK} value",
            "res_id": f"{CLOSED},{{lead}}",
        },
    ),
    "ir.model.data": (
        "name",
        {"name": f"{MARK}_id_{{lead}}", "module": "attack", "model": CLOSED, "res_id": "{lead}"},
    ),
    "ir.filters": ("name", {"name": f"{MARK} filter {{lead}}", "model_id": CLOSED, "domain": "[]"}),
    "ir.exports": ("name", {"name": f"{MARK} export", "resource": CLOSED}),
    "rating.rating": (
        "feedback",
        {
            "res_model_id": "{model}",
            "res_id": "{lead}",
            "feedback": f"{MARK} rating",
            "consumed": True,
        },
    ),
    "calendar.event": (
        "name",
        {
            "name": f"{MARK} meeting",
            "start": LATER,
            "stop": LATER,
            "res_model_id": "{model}",
            "res_id": "{lead}",
        },
    ),
    "mail.scheduled.message": (
        "subject",
        {
            "model": CLOSED,
            "res_id": "{lead}",
            "author_id": "{partner}",
            "scheduled_date": LATER,
            "subject": f"{MARK} later",
            "body": "x",
        },
    ),
}


@pytest.fixture(scope="module")
def trail(server: Server, admin: Odoo) -> Iterator[Trail]:
    """A lead with all that Odoo can hang on it; only its owner's model closes it."""
    raw = Raw(server)
    of_referred = [["model", "=", CLOSED], ["name", "=", "referred"]]
    known = {
        "{model}": raw("ir.model", "search", [["model", "=", CLOSED]])[0],
        "{referred}": raw("ir.model.fields", "search", of_referred)[0],
    }
    with ExitStack() as stack:

        def make(model: str, values: dict[str, Any]) -> int:
            return stack.enter_context(raw.record(model, values))

        known["{partner}"] = make("res.partner", {"name": "Reader of leads"})
        known["{lead}"] = make(CLOSED, {"name": f"{MARK} lead", "expected_revenue": 1})
        raw(CLOSED, "write", [known["{lead}"]], {"expected_revenue": REVENUE})
        for model, (_, values) in OWNED.items():
            if has_fields(admin, model, *values):
                known[f"{{{model}}}"] = make(model, _filled(values, known))
        yield Trail(known["{lead}"], {m: known[f"{{{m}}}"] for m in OWNED if f"{{{m}}}" in known})


def _filled(value: Any, known: dict[str, int]) -> Any:
    """Return values with the ids that the names in braces stand for."""
    if isinstance(value, dict):
        return {key: _filled(item, known) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, known) for item in value]
    if not isinstance(value, str) or value in known:
        return known.get(value, value)
    return value.replace("{lead}", str(known["{lead}"]))


@pytest.mark.parametrize("model", OWNED)
def test_what_belongs_to_a_closed_model_is_not_read(
    admin: Odoo, closed: Noting, trail: Trail, model: str
) -> None:
    record_id, field = trail.id(model), OWNED[model][0]
    attacks = readings(model, record_id, field)
    named = [["id", "=", record_id]], ["display_name"]
    attacks["its name"] = lambda o: execute(o, model, "search_read", named)
    assert leaks(admin, closed, attacks) == []


def nested(trail: Trail) -> dict[str, Attack]:
    """Return reads that reach what belongs to the lead by way of another record."""
    message, activity = trail.id("mail.message"), trail.id("mail.activity")
    notification = trail.id("mail.notification")
    body: dict[str, Any] = {"body": {}, "subject": {}, "display_name": {}, "record_name": {}}

    def called(model: str, method: str, *arguments: Any) -> Attack:
        return lambda odoo: execute(odoo, model, method, arguments)

    message_of = {"mail_message_id": {"fields": body}}
    files_of: dict[str, Any] = {"attachment_ids": {"fields": {"name": {}, "datas": {}}}}
    return {
        "message of a notification": called(
            "mail.notification", "web_read", [notification], message_of
        ),
        "messages of notifications": called(
            "mail.notification", "web_search_read", [["id", "=", notification]], message_of
        ),
        "files of a message of a notification": called(
            "mail.notification",
            "web_read",
            [notification],
            {"mail_message_id": {"fields": files_of}},
        ),
        "notification's export": called(
            "mail.notification",
            "export_data",
            [notification],
            ["mail_message_id/body", "mail_message_id/attachment_ids/name"],
        ),
        "names of messages": called(
            "mail.notification", "read", [notification], ["mail_message_id"]
        ),
        "groups by message": called(
            "mail.notification",
            "read_group",
            [["id", "=", notification]],
            ["id"],
            ["mail_message_id"],
        ),
        "groups of mails": called(
            "mail.mail",
            "read_group",
            [["mail_message_id", "=", message]],
            ["id"],
            ["mail_message_id"],
        ),
        "lists of names": called(
            "mail.activity", "read_group", [["id", "=", activity]], ["id"], ["res_name"]
        ),
        "a partner's messages": lambda o: execute(
            o,
            "res.partner",
            "web_search_read",
            [[["name", "=", "Reader of leads"]], {"starred_message_ids": {"fields": body}}],
        ),
        "message_format": called("mail.message", "message_format", [message]),
        "copies": called("ir.attachment", "copy_data", [trail.id("ir.attachment")]),
        "get_messages": lambda o: get_messages(o, CLOSED, trail.lead),
        "list_attachments": lambda o: list_attachments(o, CLOSED, trail.lead),
        "get_activities": lambda o: get_activities(o, CLOSED, trail.lead),
        "get_content": lambda o: get_content(o, trail.id("ir.attachment")),
    }


def test_no_nested_read_reaches_what_belongs_to_a_closed_model(
    admin: Odoo, closed: Noting, trail: Trail
) -> None:
    assert leaks(admin, closed, nested(trail)) == []


#: model searched, condition on the text of what belongs to the lead
GUESSES: tuple[tuple[str, str], ...] = (
    ("mail.notification", "mail_message_id.body"),
    ("mail.notification", "mail_message_id.subject"),
    ("mail.notification", "mail_message_id.attachment_ids.name"),
    ("mail.notification", "mail_message_id"),
    ("mail.mail", "mail_message_id.body"),
    ("mail.mail", "subject"),
    ("mail.message", "notification_ids.mail_message_id.subject"),
    ("mail.message", "subject"),
    ("mail.message", "attachment_ids.name"),
    ("mail.message", "record_name"),
    ("ir.attachment", "name"),
    ("mail.activity", "summary"),
    ("mail.activity", "res_name"),
    ("rating.rating", "feedback"),
    ("rating.rating", "message_id.body"),
    ("ir.model.data", "name"),
    ("ir.default", "json_value"),
    ("res.users", "partner_id.starred_message_ids.body"),
)


@pytest.mark.parametrize("form", ["plain", "any", "negated"])
def test_no_condition_tells_what_belongs_to_a_closed_model(
    admin: Odoo, closed: Noting, trail: Trail, form: str
) -> None:
    def answer(model: str, path: str, text: str) -> Any:
        mine = [["id", "=", trail.ids[model]]] if model in trail.ids else []
        leaf: list[Any] = [path, "not ilike" if form == "negated" else "ilike", text]
        if form == "any":
            *steps, last = path.split(".")
            leaf = [last, *leaf[1:]]
            for step in reversed(steps):
                leaf = [step, "any", [leaf]]
        try:
            return count(closed, model, [*mine, leaf]).count
        except OdooError as error:
            return error.code

    telling = [
        (model, path)
        for model, path in GUESSES
        if has_fields(admin, model, path.split(".", maxsplit=1)[0])
        and answer(model, path, MARK) != answer(model, path, "nothing like it")
    ]
    assert telling == []


def test_the_history_of_a_closed_model_is_not_read(
    admin: Odoo, raw: Raw, closed: Noting, trail: Trail
) -> None:
    """Tracking values name their model by the field that they are of, or by their message."""
    of_lead = [["model", "=", CLOSED], ["res_id", "=", trail.lead]]
    messages = raw("mail.message", "search", of_lead)
    tracked = raw("mail.tracking.value", "search", [["mail_message_id", "in", messages]])
    names = [name for name in admin.schema.fields("mail.tracking.value") if "new_value" in name]
    attacks: dict[str, Attack] = {}
    for field in names:
        for way, attack in readings("mail.tracking.value", tracked[0], field).items():
            attacks[f"{field}, {way}"] = attack
    assert leaks(admin, closed, attacks, str(REVENUE)) == []


def test_followers_do_not_tell_who_follows_a_closed_record(
    closed: Noting, raw: Raw, trail: Trail
) -> None:
    by_lead = [["res_id", "=", trail.lead], ["res_model", "!=", "res.partner"]]
    of_lead = [["res_model", "=", CLOSED], ["res_id", "=", trail.lead]]
    followers = raw("mail.followers", "search", of_lead)
    assert followers

    found = told(closed, lambda o: search_read(o, "mail.followers", by_lead, ["id"]).records)
    assert not any(f"'id': {follower}" in found for follower in followers)
    read = told(closed, lambda o: execute(o, "mail.followers", "read", [followers, ["partner_id"]]))
    assert "'partner_id':" not in read


def test_toolbars_of_views_do_not_name_actions_of_a_closed_model(
    admin: Odoo, raw: Raw, closed: Noting, suffix: str
) -> None:
    partner = raw("ir.model", "search", [["model", "=", "res.partner"]])[0]
    values = {"name": f"{MARK} {suffix}", "res_model": CLOSED, "binding_model_id": partner}
    views, options = [[False, "form"]], {"toolbar": True}

    def called(method: str, *arguments: Any, **named: Any) -> Attack:
        return lambda odoo: execute(odoo, "res.partner", method, arguments, named)

    with raw.record("ir.actions.act_window", values):
        attacks = {
            "get_views": called("get_views", views, options),
            "load_views": called("load_views", views, options),
            "get_views, named": called("get_views", views=views, options=options),
            "fields_view_get": called("fields_view_get", False, "form", True),
            "fields_view_get, named": called("fields_view_get", view_type="form", toolbar=True),
        }
        assert leaks(admin, closed, attacks, values["name"]) == []


@pytest.mark.every_version
def test_what_belongs_to_a_closed_model_is_not_changed(
    server: Server, raw: Raw, trail: Trail
) -> None:
    file, activity = trail.id("ir.attachment"), trail.id("mail.activity")
    changes: dict[str, Attack] = {
        "rename": lambda o: write(o, "ir.attachment", [file], {"name": "renamed"}),
        "moved": lambda o: write(o, "ir.attachment", [file], {"res_model": "res.partner"}),
        "deleted": lambda o: delete(o, file),
        "done": lambda o: execute(o, "mail.activity", "action_feedback", [[activity]]),
        "attached": lambda o: create(
            o, "ir.attachment", {"name": "x", "res_model": CLOSED, "res_id": trail.lead}
        ),
    }
    with connected(server, **RULES["full, blocklist"]) as closed:
        for attack in changes.values():
            with pytest.raises(OdooError):
                attack(closed)
    assert raw("ir.attachment", "read", [file], ["name", "res_model"])[0] == {
        "id": file,
        "name": f"{MARK} file",
        "res_model": CLOSED,
    }
    assert raw("mail.activity", "search", [["id", "=", activity]]) == [activity]


@pytest.mark.every_version
@pytest.mark.parametrize("model", ["mail.message", "ir.attachment", "mail.activity"])
def test_what_is_left_out_tells_nothing_of_what_is_in_it(
    closed: Noting, trail: Trail, model: str
) -> None:
    """Neither whether a guess at a closed record's text is right, nor which record has it."""
    record_id, field = trail.id(model), OWNED[model][0]

    def said(*domain: list[Any]) -> tuple[Any, ...]:
        counted, found = count(closed, model, domain), search_read(closed, model, domain, ["id"])
        called = execute(closed, model, "search_count", [list(domain)])
        return (
            *(counted.count, counted.excluded_count, counted.warnings),
            *(found.records, found.excluded_count, found.warnings),
            *(called.result, called.warnings),
        )

    for right, wrong in (
        ([field, "ilike", f"{MARK} "], [field, "ilike", "no such text anywhere"]),
        (["id", "=", record_id], ["id", "=", record_id + 100_000]),
    ):
        assert said(right) == said(wrong)
        assert said(right)[1] is None
