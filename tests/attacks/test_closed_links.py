"""What a closed link is made of is closed: found by comparing the values of real records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from odoo_toolkit import AccessError, Policy, execute, search_read
from odoo_toolkit.fields import Field, parse_fields
from tests.attacks.fuzz import models_of, sample
from tests.attacks.policies import Raw, connected, needs, passing, raw
from tests.live.conftest import admin, server
from tests.live.servers import Server

__all__ = ["admin", "raw", "server"]

#: Models that have closed links or tokens, and of which demo data or the test make records.
MODELS = (
    *("account.move", "calendar.attendee", "calendar.event", "discuss.channel", "ir.attachment"),
    *("mail.channel", "project.project", "project.task", "purchase.order", "rating.rating"),
    *("res.company", "res.partner", "sale.order", "survey.survey"),
)
TEXTS = frozenset({"char", "text", "html"})
#: Shorter values stand in everything.
SHORTEST = 8
#: Fields that are part of closed links, and keep no secret: ``res_model`` is a model's name.
OPEN_PARTS = frozenset({"email", "name", "phone", "res_model"})


def _closed_texts(policy: Policy, fields: Mapping[str, Field]) -> list[str]:
    return [n for n, f in fields.items() if f.type in TEXTS and policy.field_blocked(n)]


def _described(raw: Raw, model: str) -> dict[str, Field]:
    try:
        return parse_fields(raw(model, "fields_get"))
    except Exception:  # not on this version
        return {}


@pytest.mark.every_version
@pytest.mark.parametrize("model", MODELS)
def test_no_open_field_holds_a_closed_link_or_what_it_is_made_of(raw: Raw, model: str) -> None:
    policy, fields = Policy(), _described(raw, model)
    closed = _closed_texts(policy, fields)
    if not closed:
        pytest.skip("it has no closed text")
    opened = [n for n, f in fields.items() if f.type in TEXTS and n not in closed]
    found = []
    for record in raw(model, "search", [], limit=20, order="id desc"):
        try:
            row = raw(model, "read", [record], [*closed, *opened])[0]
        except Exception:  # a field of it fails
            row = raw(model, "read", [record], [n for n in [*closed, *opened] if fields[n].store])[
                0
            ]
        secrets = [str(row.get(n) or "") for n in closed]
        found += [
            (name, secret)
            for name in opened
            for secret in filter(None, secrets)
            if _holds(str(row.get(name) or ""), secret) or _holds(secret, str(row.get(name) or ""))
        ]
    assert found == []


def _holds(text: str, part: str) -> bool:
    """Whether a text holds a part that is long enough to tell something, and no mere address."""
    return len(part) >= SHORTEST and part in text and not part.startswith(("http", "@"))


@pytest.mark.every_version
def test_what_a_closed_link_depends_on_is_closed(raw: Raw) -> None:
    """The server tells from which fields a closed text of its own is computed."""
    policy, found = Policy(), []
    for model in sample(models_of(raw)):
        if policy.model_blocked(model):
            continue
        fields = _described(raw, model)
        for name in _closed_texts(policy, fields):
            for path in fields[name].depends:
                source = fields.get(path)
                if source is None or source.type not in TEXTS or not source.store:
                    continue
                if not policy.field_blocked(path) and path not in OPEN_PARTS:
                    found.append((model, name, path))
    assert found == []


@pytest.mark.every_version
@pytest.mark.parametrize("mode", ["readonly", "full"])
def test_the_key_of_a_group_chat_is_not_told(admin: Any, server: Server, mode: str) -> None:
    """With ``uuid`` whoever has it opens the chat without a login."""
    model = "discuss.channel" if admin.version.major >= 17 else "mail.channel"
    needs(admin, model)
    by_key = [["uuid", "=like", "a%"]]
    attacks = {
        "search_read": lambda o: search_read(o, model, [], ["uuid"]),
        "execute": lambda o: execute(o, model, "search_read", [[], ["uuid"]]),
        "search": lambda o: execute(o, model, "search", [by_key]),
        "order": lambda o: execute(o, model, "search", [[]], {"order": "uuid"}),
        "read_group": lambda o: execute(o, model, "read_group", [[], ["id"], ["uuid"]]),
    }
    with connected(server, mode=mode) as odoo:
        assert passing(odoo, attacks) == []
        for row in search_read(odoo, model, [], ["*"], limit=3).records:
            assert "uuid" not in row
        try:
            rows = execute(odoo, model, "search_read", [[]], {"limit": 3}).result
        except AccessError:
            rows = []
        assert not any("uuid" in row for row in rows)
