"""Languages and translations: what is sent on each version, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import languages, write
from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.operation_checks import check_seen_when_lost, check_told_when_lost, writes
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
            "note": {**TRANSLATED, "type": "html"},
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

    # A sentence may hold tags of a line.
    sentences: dict[str, str] = {"Soft <b>seat</b>": "Siège <b>doux</b>", "Red": ""}

    def told(call: Call) -> Any:
        if call.arguments["field_name"] == "note":
            return [[], {"translation_type": "text", "translation_show_source": False}]
        found = [
            {"lang": lang, "source": term, "value": text if lang == "fr_FR" else ""}
            for term, text in sentences.items()
            for lang in call.arguments["langs"]
        ]
        return [found, {"translation_type": "text", "translation_show_source": True}]

    def update(call: Call) -> bool:
        given = call.arguments["translations"]["fr_FR"]
        for term, text in sentences.items():
            # To 17 a sentence is known by what stands in its place.
            known = term if major >= 18 else text or term
            sentences[term] = given.get(known, text)
        return True

    def write(call: Call) -> bool:
        texts.setdefault(call.context["lang"], {}).update(call.arguments["vals"])
        return True

    def install(call: Call) -> dict[str, Any]:
        odoo.server.records["res.lang"][2]["active"] = True
        return {"type": "ir.actions.act_window", "res_model": INSTALL, "target": "new"}

    answers = {
        ("product.template", "read"): shown,
        ("product.template", "write"): write,
        ("product.template", "get_field_translations"): told,
        ("product.template", "update_field_translations"): update,
        (INSTALL, "create"): 1 if major < 19 else [1],
        (INSTALL, "lang_install"): install,
    }
    odoo = Scripted(major, answers, policy, models, records=records, transient={INSTALL})
    return odoo


def codes(result: Any) -> list[tuple[str, bool]]:
    """The languages of a result."""
    found = getattr(result, "languages", [result])
    return [(language.code, language.active) for language in found]


def test_the_languages_are_those_that_are_switched_on() -> None:
    odoo = server(policy=Policy(mode="readonly"))
    assert codes(languages.get_languages(odoo)) == [("en_US", True), ("fr_FR", True)]
    assert len(odoo.sent) == 1
    found = languages.get_languages(odoo, find="french")
    assert codes(found) == [("fr_FR", True), ("fr_BE", False)]
    assert codes(languages.get_languages(odoo, find="de_")) == [("de_DE", False)]


@pytest.mark.parametrize("major", VERSIONS)
def test_a_language_is_switched_on_by_the_wizard_of_the_version(major: int) -> None:
    odoo = server(major)
    result = languages.activate_language(odoo, "de_DE")
    assert codes(result) == [("de_DE", True)]
    create, press = writes(odoo)
    values = {"lang": "de_DE"} if major < 16 else {"lang_ids": [[6, 0, [3]]]}
    assert create.arguments == {"vals_list": values}
    assert (press.method, press.ids) == ("lang_install", (1,))
    again = languages.activate_language(odoo, "de_de")
    assert "already" in (again.message or "")
    assert len(writes(odoo)) == 2


def test_switching_on_takes_five_round_trips() -> None:
    odoo = server()
    languages.activate_language(odoo, "de_DE")
    # Found, asked for, pressed, seen that the answer is no question, read back.
    assert len(odoo.sent) == 5


@pytest.mark.parametrize("mode", ["readonly", "restricted"])
def test_a_language_is_switched_on_in_full_mode_only(mode: Any) -> None:
    odoo = server(policy=Policy(mode=mode, write_allowlist=f"res.lang,{INSTALL}"))
    with pytest.raises(AccessError) as raised:
        languages.activate_language(odoo, "de_DE")
    assert raised.value.code == "MODE_VIOLATION"
    assert odoo.sent == []


def test_a_caller_does_not_write_the_wizard_in_full_mode_either() -> None:
    odoo = server()
    call = Call(model=INSTALL, method="create", arguments={"vals_list": {"lang_ids": []}})
    with pytest.raises(AccessError):
        odoo.call(call)


def test_a_wrong_language_switches_nothing_on() -> None:
    odoo = server()
    with pytest.raises(NotFoundError):
        languages.activate_language(odoo, "xx")
    assert writes(odoo) == []


@pytest.mark.parametrize("major", [16, 17, 18])
def test_sentences_that_are_shown_alike_are_not_taken_for_each_other(major: int) -> None:
    odoo = server(major)
    both = {"Soft <b>seat</b>": "Rouge", "Red": "Rouge"}
    one = {"description": {"fr_FR": {"Red": "Vert"}}}
    languages.translate(odoo, "product.template", 7, translations={"description": {"fr_FR": both}})
    if major < 18:
        with pytest.raises(
            ValidationError, match="cannot distinguish 'Soft <b>seat</b>' and 'Red'"
        ):
            languages.translate(odoo, "product.template", 7, translations=one)
        assert len(writes(odoo)) == 1
        one = {"description": {"fr_FR": dict.fromkeys(both, "Vert")}}
    result = languages.translate(odoo, "product.template", 7, translations=one)
    assert result.warnings == []


@pytest.mark.parametrize("major", [14, 15])
def test_to_15_formatted_texts_are_read_and_not_written(major: int) -> None:
    odoo = server(major)
    result = languages.get_translations(odoo, "product.template", 7, ["description"])
    assert result.translations == {"description": {"en_US": None, "fr_FR": None}}
    for texts in ({"fr_FR": "Doux"}, {"fr_FR": {"Red": "Rouge"}}):
        given = {"description": texts}
        with pytest.raises(ValidationError, match=f"Odoo {major} translates by sentence"):
            languages.translate(odoo, "product.template", 7, translations=given)
    assert writes(odoo) == []


def test_a_translation_that_odoo_drops_is_told() -> None:
    odoo = server()
    odoo.answers["product.template", "update_field_translations"] = True
    given = {"description": {"fr_FR": {"Red": "<p>Rouge</p>"}}}
    result = languages.translate(odoo, "product.template", 7, translations=given)
    (warning,) = result.warnings
    assert warning == "description: 'Red' in fr_FR has no translation now."


def test_sentences_are_judged_as_if_they_were_written() -> None:
    given = {"body_html": {"fr_FR": {"Hello": "Bonjour"}}}
    odoo = server()
    with pytest.raises(AccessError):
        languages.translate(odoo, "ir.ui.view", 7, translations={"arch_db": given["body_html"]})
    closed = server(policy=Policy(field_blocklist="description"))
    given = {"description": {"fr_FR": {"Red": "Rouge"}}}
    for narrow in (closed, server(policy=Policy(mode="readonly"))):
        with pytest.raises(AccessError):
            languages.translate(narrow, "product.template", 7, translations=given)
        assert narrow.sent == []
    assert odoo.sent == []


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
        {"translations": {"description": {"fr_FR": {"Soft seat": "Douce"}}}},
        {"translations": {"description": {"fr_FR": {"Red": " "}}}},
        {"translations": {"description": {"fr_FR": {"Red": None}}}},
        {"translations": {"description": {"fr_FR": {}}}},
        {"translations": {"description": {"en_US": {"Red": "Blue"}}}},
        {"translations": {"description": {"de_DE": {"Red": "Rot"}}}},
        {"translations": {"description": {"fr_FR": {"Red": "Rouge"}, "en_US": "Blue"}}},
        {"translations": {"note": {"fr_FR": {"Red": "Rouge"}}}},
        {"translations": {"name": {"fr_FR": {"Chair": "Chaise"}}}},
        {"translations": {"nmae": {"fr_FR": "Chaise"}}},
        {"fields": ["default_code"]},
        {"translations": {}},
        {"translations": {"name": {}}},
        {"record_id": 99},
        {"record_id": 99, "translations": {"name": {"fr_FR": "Chaise"}}},
    ],
)
def test_what_is_wrong_writes_nothing(arguments: dict[str, Any]) -> None:
    odoo = server()
    act: Any = languages.translate if "translations" in arguments else languages.get_translations
    with pytest.raises((ValidationError, NotFoundError)):
        act(odoo, "product.template", **{"record_id": 7, **arguments})
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


def test_a_language_that_somebody_switched_on_since_is_found() -> None:
    odoo = server(policy=Policy(mode="full"))
    given = {"model": "product.template", "ids": 7, "values": {"name": "Stuhl"}}
    with pytest.raises(ValidationError, match="not active"):
        write(odoo, **given, context={"lang": "de_DE"})
    odoo.server.records["res.lang"][2]["active"] = True
    assert write(odoo, **given, context={"lang": "de_DE"}).ids == [7]


def test_a_lost_answer_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def switch(odoo: Scripted) -> Any:
        return languages.activate_language(odoo, "de_DE")

    def translate(odoo: Scripted) -> Any:
        given = {"name": {"fr_FR": "Siège"}}
        return languages.translate(odoo, "product.template", 7, translations=given)

    check_seen_when_lost(server(), "lang_install", switch, monkeypatch)
    check_seen_when_lost(server(), "write", translate, monkeypatch)

    def sentence(odoo: Scripted) -> Any:
        given = {"description": {"fr_FR": {"Red": "Rouge"}}}
        return languages.translate(odoo, "product.template", 7, translations=given)

    check_seen_when_lost(server(), "update_field_translations", sentence, monkeypatch)
    check_told_when_lost(server(), "update_field_translations", sentence, monkeypatch)
    error = check_told_when_lost(server(), "write", translate, monkeypatch)
    assert "safe" in error.suggestion
