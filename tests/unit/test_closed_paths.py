"""Related and computed fields while a list closes something: followed, or refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, NotFoundError
from odoo_toolkit.fields import Field
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.redaction import opening


def _field(name: str, kind: str = "char", **told: object) -> Field:
    return Field(name=name, type=kind, **told)


def _related(name: str, *path: str, store: bool = False) -> Field:
    return _field(name, store=store, related=path)


def _described(*fields: Field) -> dict[str, Field]:
    return {field.name: field for field in (_field("id", "integer"), *fields)}


SCHEMA: dict[str, dict[str, Field]] = {
    "res.partner": _described(
        _field("name"),
        _field("email"),
        _field("phone"),
        _field("email_formatted", store=False, searchable=False, depends=("name", "email")),
        _field("phone_mobile_search", store=False),
        _field("credit", "monetary", store=False),
    ),
    "res.users": _described(
        _field("partner_id", "many2one", relation="res.partner"),
        _related("name", "partner_id", "name"),
        _related("email", "partner_id", "email"),
        _related("email_formatted", "partner_id", "email_formatted"),
        _related("kept_email", "partner_id", "email", store=True),
        _related("phone_search", "partner_id", "phone_mobile_search"),
    ),
    "crm.lead": _described(
        _field("name"),
        _field("user_id", "many2one", relation="res.users"),
        _field("secret_id", "many2one", relation="x.hidden"),
        _related("user_email", "user_id", "email"),
        _related("of_hidden", "secret_id", "anything"),
        _field("x_computed", store=False),
        _field("qty_text", store=False, searchable=False, depends=("user_id.email",)),
    ),
}


def fields_of(model: str) -> Mapping[str, Field]:
    if model not in SCHEMA:
        raise NotFoundError("none", code="UNKNOWN_MODEL")
    return SCHEMA[model]


def readable(model: str, **rules: str) -> set[str]:
    return set(Policy(**rules).readable_fields(model, fields_of))


@pytest.mark.parametrize(
    ("model", "rules", "closed"),
    [
        ("res.users", {}, set()),
        ("res.users", {"field_blocklist": "phone"}, set()),
        ("res.users", {"field_blocklist": "email"}, {"email", "email_formatted", "kept_email"}),
        (
            "res.users",
            {"model_blocklist": "res.partner"},
            {"partner_id", "name", "email", "email_formatted", "kept_email", "phone_search"},
        ),
        # The name is shown by the relation, and a stored copy is the user's own.
        (
            "res.users",
            {"model_allowlist": "res.users"},
            {"email", "email_formatted", "phone_search"},
        ),
        ("res.users", {"model_allowlist": "res.users,res.partner"}, set()),
        ("crm.lead", {"model_allowlist": "crm.lead,res.users"}, {"user_email", "of_hidden"}),
        # What cannot be followed is closed.
        ("crm.lead", {"field_blocklist": "phone"}, {"of_hidden"}),
        ("crm.lead", {"model_allowlist": "crm.lead"}, {"user_email", "of_hidden", "qty_text"}),
    ],
    # The order of a set is another one in each process.
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
def test_a_field_is_read_only_if_all_on_its_path_is_open(
    model: str, rules: dict[str, str], closed: set[str]
) -> None:
    assert set(SCHEMA[model]) - readable(model, **rules) == closed


def test_other_models_are_not_described_without_a_list() -> None:
    asked: list[str] = []

    def noted(model: str) -> Mapping[str, Field]:
        asked.append(model)
        return fields_of(model)

    assert set(Policy().readable_fields("crm.lead", noted)) == set(SCHEMA["crm.lead"])
    assert "name" in Policy(field_blocklist="phone").readable_fields("crm.lead", noted)
    assert set(asked) == {"crm.lead"}


def test_an_operation_about_a_listed_model_follows_blocklists_alone() -> None:
    allowlist = Policy(model_allowlist="crm.lead").about("crm.lead")
    assert "email" in allowlist.readable_fields("res.users", fields_of)
    blocklist = Policy(model_blocklist="res.partner").about("crm.lead")
    assert "email" not in blocklist.readable_fields("res.users", fields_of)


def search(model: str, field: str) -> Call:
    return Call(model=model, method="search", arguments={"domain": [[field, "ilike", "x"]]})


@pytest.mark.parametrize("mode", ["readonly", "full"])
@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("crm.lead", "x_computed"),
        ("res.partner", "phone_mobile_search"),
        ("res.users", "phone_search"),
        ("crm.lead", "user_id.phone_search"),
    ],
)
def test_what_a_search_looks_at_must_be_known_and_open(mode: str, model: str, field: str) -> None:
    policy = Policy(mode=mode, field_blocklist="phone")
    for judge in (policy.check, policy.admitted):
        with pytest.raises(AccessError) as caught:
            judge(search(model, field), fields_of)
        assert caught.value.code == "FIELD_BLOCKED"
        assert caught.value.suggestion
    Policy(mode=mode).admitted(search(model, field), fields_of)


def test_a_search_that_is_known_to_look_at_nothing_closed_passes() -> None:
    policy = Policy(field_blocklist="vat")
    for field in ("phone_mobile_search", "credit", "email"):
        policy.admitted(search("res.partner", field), fields_of)


def test_what_is_not_searched_is_described_so() -> None:
    found = Policy(field_blocklist="phone").readable_fields("res.partner", fields_of)
    assert not found["phone_mobile_search"].searchable
    assert found["credit"].searchable


@pytest.mark.parametrize(
    "rules",
    [
        {"mode": "full", "model_allowlist": "res.users"},
        {"mode": "full", "model_blocklist": "res.partner"},
    ],
    ids=str,
)
def test_a_related_field_is_written_only_where_its_record_may_be(rules: dict[str, str]) -> None:
    policy = Policy(protect=False, **rules)
    for name in ("email", "name"):
        call = Call(model="res.users", method="write", ids=[1], arguments={"vals": {name: "x"}})
        with pytest.raises(AccessError) as caught:
            policy.check(call, fields_of)
        assert caught.value.code == "MODEL_BLOCKED"
        Policy(protect=False).check(call, fields_of)


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (True, True),
        (None, None),
        ([1, 2], [1, 2]),
        ("a text", None),
        ([{"email": "x"}], None),
        ({"email": "x"}, None),
        (
            {
                "type": "ir.actions.act_window",
                "res_model": "x.y",
                "domain": [("id", "in", [1])],
                "context": {"default_email": "a@b.c", "active_ids": [1], "default_type": "sale"},
                "params": {"message": "told"},
            },
            {
                "type": "ir.actions.act_window",
                "res_model": "x.y",
                "domain": [("id", "in", [1])],
                "context": {"active_ids": [1], "default_type": "sale"},
            },
        ),
    ],
    ids=str,
)
def test_of_an_action_only_what_opens_it_is_shown(result: object, shown: object) -> None:
    assert opening(result) == shown
