"""Languages and translations on a real Odoo; what is switched on is switched off again."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    NotFoundError,
    Odoo,
    ValidationError,
    connect,
    create,
    languages,
    read,
    search_read,
    write,
)
from odoo_toolkit.plans import Plan
from odoo_toolkit.policy import Policy
from tests.live.sales_data import counted
from tests.live.servers import Server, User, credentials

CODE = "fr_FR"


def active(odoo: Odoo, code: str) -> bool:
    """Whether a language is switched on."""
    result = languages.get_languages(odoo, find=code)
    return any(found.active for found in result.languages if found.code == code)


def test_languages_are_listed_and_found(odoo: Odoo) -> None:
    listed = languages.get_languages(odoo)
    assert "en_US" in [found.code for found in listed.languages]
    assert all(found.active for found in listed.languages)
    found = languages.get_languages(odoo, find="Japanese")
    assert [language.code for language in found.languages] == ["ja_JP"]


@pytest.mark.every_user
def test_only_full_mode_and_an_administrator_switch_one_on(
    server: Server, user: User, ordinary: Odoo
) -> None:
    code = "ja_JP"
    for mode in ("readonly", "restricted"):
        policy = Policy(mode=mode, write_allowlist="res.lang,base.language.install")
        narrowed = connect(**credentials(server, user), policy=policy)
        with narrowed as narrow, pytest.raises(AccessError, match="mode"):
            languages.activate_language(narrow, code)
    with pytest.raises(AccessError):
        languages.activate_language(ordinary, code)
    with pytest.raises(NotFoundError):
        languages.activate_language(ordinary, "xx_XX")
    assert not active(ordinary, code)


@pytest.mark.usefixtures("french")
def test_a_record_is_translated(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    values = {"name": f"Chair {suffix}", "description_sale": "Soft"}
    product = create(admin, "product.template", values).id
    assert product is not None
    before = languages.get_translations(odoo, "product.template", product)
    assert before.translations["name"] == dict.fromkeys(
        before.translations["name"], f"Chair {suffix}"
    )
    texts = {"name": {CODE: f"Chaise {suffix}"}, "description_sale": {CODE: "Doux", "en_US": "So"}}
    plan = languages.translate(admin, "product.template", product, translations=texts, dry_run=True)
    assert isinstance(plan, Plan)
    with counted(admin) as calls:
        after = languages.translate(admin, "product.template", product, translations=texts)
    number = len(before.translations["name"])
    assert len(calls) <= 2 + 2 * number + 2 + 1, calls
    assert after.warnings == []
    assert (after.translations["name"][CODE], after.translations["name"]["en_US"]) == (
        f"Chaise {suffix}",
        f"Chair {suffix}",
    )
    for code, name, text in ((CODE, "Chaise", "Doux"), ("en_US", "Chair", "So")):
        row = read(
            odoo, "product.template", [product], ["name", "description_sale"], {"lang": code}
        ).records[0]
        assert (row["name"], row["description_sale"]) == (f"{name} {suffix}", text)


@pytest.mark.usefixtures("french")
def test_what_is_wrong_translates_nothing(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    product = create(admin, "product.template", {"name": f"Chair {suffix}"}).id
    assert product is not None
    before = languages.get_translations(odoo, "product.template", product, ["name"])
    wrong: list[dict[str, Any]] = [
        {"name": {CODE: "Chaise", "ja_JP": "Isu"}},
        {"name": {CODE: ""}},
        {"name": {CODE: "Chaise"}, "default_code": {CODE: "C1"}},
    ]
    for texts in wrong:
        with pytest.raises(ValidationError):
            languages.translate(admin, "product.template", product, translations=texts)
    with pytest.raises(NotFoundError):
        languages.translate(admin, "product.template", 10**8, translations={"name": {CODE: "x"}})
    assert languages.get_translations(odoo, "product.template", product, ["name"]) == before


@pytest.mark.every_version
@pytest.mark.usefixtures("french")
def test_the_sentences_of_a_formatted_text_are_told(admin: Odoo) -> None:
    (tip,) = search_read(admin, "digest.tip", [], ["name"], limit=1).records
    told_of = languages.get_translations(admin, "digest.tip", tip["id"], ["tip_description"])
    texts = told_of.translations["tip_description"]
    if admin.version.major < 16:
        assert texts["en_US"]
        assert CODE in texts
    else:
        assert CODE in texts
        assert "en_US" not in texts
        assert all(texts[CODE])


@pytest.mark.every_version
@pytest.mark.usefixtures("french")
def test_formatted_texts_are_translated_by_sentence(admin: Odoo, suffix: str) -> None:
    model, field = "product.template", "description"
    if admin.version.major < 16:
        pytest.skip("Formatted texts are not written here.")
    html = "<p>Big <b>chair</b></p><p>Red</p>"
    product = create(admin, model, {"name": f"Chair {suffix}"}).id
    assert product is not None
    write(admin, model, [product], {field: html})
    before = languages.get_translations(admin, model, product, [field])
    assert before.translations[field][CODE] == {"Big <b>chair</b>": None, "Red": None}
    for wrong in ({"Big chair": "x"}, {"Red": " "}, "x"):
        given: Any = {field: {CODE: wrong}}
        with pytest.raises(ValidationError):
            languages.translate(admin, model, product, translations=given)
    assert languages.get_translations(admin, model, product, [field]) == before
    given = {field: {CODE: {"Big <b>chair</b>": "Grosse <b>chaise</b>", "Red": "Rouge"}}}
    after = languages.translate(admin, model, product, translations=given)
    assert (after.translations[field][CODE], after.warnings) == (given[field][CODE], [])
    for code, text in ((CODE, "Grosse chaise\n\nRouge"), ("en_US", "Big chair\n\nRed")):
        (row,) = read(admin, model, [product], [field], {"lang": code}).records
        assert row[field] == text
    # What is translated is translated anew, which 16 and 17 do by what stands there.
    given = {field: {CODE: {"Red": "Rouge vif"}}}
    again = languages.translate(admin, model, product, translations=given)
    assert (again.translations[field][CODE]["Red"], again.warnings) == ("Rouge vif", [])
    # Odoo takes no tags that end the line: 16 and 17 keep what was, later ones have none then.
    given = {field: {CODE: {"Red": "<p>Vert</p>"}}}
    dropped = languages.translate(admin, model, product, translations=given)
    kept = dropped.translations[field][CODE]["Red"]
    assert kept == ("Rouge vif" if admin.version.major < 18 else None)
    (warning,) = dropped.warnings
    now = f"is now {kept!r}" if kept else "has no translation now"
    assert warning == f"{field}: 'Red' in {CODE} {now}."
