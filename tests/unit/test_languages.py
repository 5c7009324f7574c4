"""Languages and translations: what is sent on each version, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import languages
from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.operation_checks import (
    check_plan_is_the_run,
    check_seen_when_lost,
    check_told_when_lost,
    writes,
)
from tests.unit.scripted import VERSIONS, Scripted

INSTALL = "base.language.install"
TRANSLATED = {"type": "char", "translate": True, "store": True}


def server(major: int = 19, policy: Policy | None = None) -> Scripted:
    """A server with English and French switched on, and a product that has both names."""
    models: dict[str, Any] = {
        "res.lang": {"code": "char", "name": "char", "active": "boolean"},
        INSTALL: {"lang_ids": "many2many res.lang"} if major > 15 else {"lang": "char"},
        "product.template": {
            "name": TRANSLATED,
            "description_sale": {**TRANSLATED, "type": "text"},
            "description": {**TRANSLATED, "type": "html"},
            "default_code": "char",
        },
    }
    records = {
        "res.lang": [
            {"id": 1, "code": "en_US", "name": "English (US)"},
            {"id": 2, "code": "fr_FR", "name": "French / Français"},
            {"id": 3, "code": "de_DE", "name": "German / Deutsch", "active": False},
            {"id": 4, "code": "fr_BE", "name": "French (BE)", "active": False},
        ],
        "product.template": [{"id": 7, "name": "", "default_code": "C1"}],
    }
    texts = {"en_US": {"name": "Chair"}, "fr_FR": {"name": "Chaise"}}

    def shown(call: Call) -> Any:
        found = [row for row in records["product.template"] if row["id"] in (call.ids or ())]
        own = texts[call.context["lang"]]
        names = call.arguments["fields"]
        return [
            {"id": row["id"], **{name: own.get(name, False) for name in names}} for row in found
        ]

    def write(call: Call) -> bool:
        texts[call.context["lang"]].update(call.arguments["vals"])
        return True

    def install(call: Call) -> dict[str, Any]:
        odoo.server.records["res.lang"][2]["active"] = True
        return {"type": "ir.actions.act_window", "res_model": INSTALL, "target": "new"}

    answers = {
        ("product.template", "read"): shown,
        ("product.template", "write"): write,
        (INSTALL, "create"): 1 if major < 19 else [1],
        (INSTALL, "lang_install"): install,
    }
    odoo = Scripted(major, answers, policy, models, records=records, transient={INSTALL})
    return odoo


def codes(result: Any) -> list[tuple[str, bool]]:
    """The languages of a result."""
    return [(language.code, language.active) for language in result.languages]


def test_the_languages_are_those_that_are_switched_on() -> None:
    odoo = server(policy=Policy(mode="readonly"))
    assert codes(languages.languages(odoo)) == [("en_US", True), ("fr_FR", True)]
    assert len(odoo.sent) == 1
    found = languages.languages(odoo, find="french")
    assert codes(found) == [("fr_FR", True), ("fr_BE", False)]
    assert codes(languages.languages(odoo, find="de_")) == [("de_DE", False)]


@pytest.mark.parametrize("major", VERSIONS)
def test_a_language_is_switched_on_by_the_wizard_of_the_version(major: int) -> None:
    odoo = server(major)
    result = languages.languages(odoo, activate="de_DE")
    assert codes(result) == [("de_DE", True)]
    create, press = writes(odoo)
    values = {"lang": "de_DE"} if major < 16 else {"lang_ids": [[6, 0, [3]]]}
    assert create.arguments == {"vals_list": values}
    assert (press.method, press.ids) == ("lang_install", (1,))
    again = languages.languages(odoo, activate="de_de")
    assert "already" in (again.message or "")  # type: ignore[union-attr]
    assert len(writes(odoo)) == 2


def test_switching_on_takes_five_round_trips() -> None:
    odoo = server()
    languages.languages(odoo, activate="de_DE")
    # Found, asked for, pressed, seen that the answer is no question, read back.
    assert len(odoo.sent) == 5


@pytest.mark.parametrize("mode", ["readonly", "restricted"])
def test_a_language_is_switched_on_in_full_mode_only(mode: Any) -> None:
    odoo = server(policy=Policy(mode=mode, write_allowlist=f"res.lang,{INSTALL}"))
    with pytest.raises(AccessError) as raised:
        languages.languages(odoo, activate="de_DE")
    assert raised.value.code == "MODE_VIOLATION"
    assert odoo.sent == []


def test_a_caller_does_not_write_the_wizard_in_full_mode_either() -> None:
    odoo = server()
    call = Call(model=INSTALL, method="create", arguments={"vals_list": {"lang_ids": []}})
    with pytest.raises(AccessError):
        odoo.call(call)


@pytest.mark.parametrize("wrong", [{"activate": "xx"}, {"activate": "de_DE", "find": "de"}])
def test_a_wrong_language_switches_nothing_on(wrong: dict[str, Any]) -> None:
    odoo = server()
    with pytest.raises((NotFoundError, ValidationError)):
        languages.languages(odoo, **wrong)
    assert writes(odoo) == []


def test_the_texts_of_a_record_are_told_by_field_and_language() -> None:
    odoo = server(policy=Policy(mode="readonly"))
    result = languages.translate(odoo, "product.template", 7)
    assert isinstance(result, languages.TranslationsResult)
    assert result.translations == {"name": {"en_US": "Chair", "fr_FR": "Chaise"}}
    # What is translatable, which languages there are, and the texts in each of the two.
    assert len(odoo.sent) == 4
    named = languages.translate(odoo, "product.template", 7, ["description_sale"])
    assert named.translations == {  # type: ignore[union-attr]
        "description_sale": {"en_US": None, "fr_FR": None}
    }


@pytest.mark.parametrize("major", VERSIONS)
def test_texts_are_written_in_one_language_each(major: int) -> None:
    odoo = server(major)
    result = languages.translate(
        odoo,
        "product.template",
        7,
        translations={
            "name": {"fr_FR": "Siège", "en_US": "Seat"},
            "description_sale": {"fr_FR": "Doux"},
        },
    )
    assert isinstance(result, languages.TranslationsResult)
    assert [(call.ids, call.context["lang"], call.arguments["vals"]) for call in writes(odoo)] == [
        ((7,), "fr_FR", {"name": "Siège", "description_sale": "Doux"}),
        ((7,), "en_US", {"name": "Seat"}),
    ]
    assert result.translations["name"] == {"en_US": "Seat", "fr_FR": "Siège"}
    assert result.warnings == []


def test_a_text_that_odoo_changed_besides_is_told() -> None:
    odoo = server()
    write = odoo.answers["product.template", "write"]

    def both(call: Call) -> bool:
        write(in_language(call, "en_US"))
        return bool(write(call))

    odoo.answers["product.template", "write"] = both
    given = {"name": {"fr_FR": "Siège"}}
    result = languages.translate(odoo, "product.template", 7, translations=given)
    assert result.warnings == ["name is 'Siège' in en_US now."]  # type: ignore[union-attr]


def in_language(call: Call, lang: str) -> Call:
    """The same call in another language."""
    return Call(
        model=call.model,
        method=call.method,
        ids=call.ids,
        arguments=call.arguments,
        context={"lang": lang},
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"translations": {"name": {"de_DE": "Stuhl"}}},
        {"translations": {"name": {"xx_XX": "Stuhl"}}},
        {"translations": {"name": {"fr_FR": " "}}},
        {"translations": {"name": {"fr_FR": None}}},
        {"translations": {"name": "Chaise"}},
        {"translations": {"default_code": {"fr_FR": "C2"}}},
        {"translations": {"description": {"fr_FR": "Douce"}}},
        {"translations": {"nmae": {"fr_FR": "Chaise"}}},
        {"fields": ["default_code"]},
        {"record_id": 99},
        {"record_id": 99, "translations": {"name": {"fr_FR": "Chaise"}}},
    ],
)
def test_what_is_wrong_writes_nothing(arguments: dict[str, Any]) -> None:
    odoo = server()
    with pytest.raises((ValidationError, NotFoundError)):
        languages.translate(odoo, "product.template", **{"record_id": 7, **arguments})
    assert writes(odoo) == []


@pytest.mark.parametrize(
    "policy",
    [
        Policy(mode="readonly"),
        Policy(mode="restricted", write_allowlist="res.partner"),
        Policy(model_blocklist="product.template"),
        Policy(field_blocklist="name"),
    ],
)
def test_what_the_policy_closes_is_not_translated(policy: Policy) -> None:
    odoo = server(policy=policy)
    with pytest.raises(OdooError) as raised:
        languages.translate(odoo, "product.template", 7, translations={"name": {"fr_FR": "Siège"}})
    assert isinstance(raised.value, AccessError)
    assert odoo.sent == []


def test_restricted_mode_translates_what_it_may_write() -> None:
    odoo = server(policy=Policy(mode="restricted", write_allowlist="product.template"))
    given = {"name": {"fr_FR": "Siège"}}
    languages.translate(odoo, "product.template", 7, translations=given)
    assert len(writes(odoo)) == 1


def test_the_plan_is_the_run() -> None:
    check_plan_is_the_run(server(), lambda o, **more: languages.languages(o, None, "de_DE", **more))
    given = {"name": {"fr_FR": "Siège", "en_US": "Seat"}}
    check_plan_is_the_run(
        server(),
        lambda odoo, **more: languages.translate(
            odoo, "product.template", 7, translations=given, **more
        ),
    )


def test_a_lost_answer_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def switch(odoo: Scripted) -> Any:
        return languages.languages(odoo, activate="de_DE")

    def translate(odoo: Scripted) -> Any:
        given = {"name": {"fr_FR": "Siège"}}
        return languages.translate(odoo, "product.template", 7, translations=given)

    check_seen_when_lost(server(), "lang_install", switch, monkeypatch)
    check_seen_when_lost(server(), "write", translate, monkeypatch)
    error = check_told_when_lost(server(), "write", translate, monkeypatch)
    assert "safe" in error.suggestion
