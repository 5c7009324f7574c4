"""Languages and translations on a real Odoo; what is switched on is switched off again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    NotFoundError,
    Odoo,
    ValidationError,
    connect,
    create,
    read,
    search_read,
    write,
)
from odoo_toolkit import languages as spoken
from odoo_toolkit.operations.steps import Plan
from odoo_toolkit.policy import Policy
from tests.live.sales_data import counted
from tests.live.servers import Server, User, credentials

CODE = "fr_FR"


def active(odoo: Odoo, code: str) -> bool:
    """Whether a language is switched on."""
    result = spoken.languages(odoo, find=code)
    assert isinstance(result, spoken.LanguagesResult)
    return any(found.active for found in result.languages if found.code == code)


@pytest.fixture(scope="module")
def french(admin: Odoo) -> Iterator[None]:
    """French, switched on."""
    was_active = active(admin, CODE)
    result = spoken.languages(admin, activate=CODE)
    assert isinstance(result, spoken.LanguagesResult)
    assert [(found.code, found.active) for found in result.languages] == [(CODE, True)]
    assert result.warnings == []
    yield
    if not was_active:
        row = search_read(admin, "res.lang", [["code", "=", CODE]], ["code"]).records[0]
        write(admin, "res.lang", [row["id"]], {"active": False})


def told(result: Any) -> spoken.TranslationsResult:
    """Return the result of a call that was no dry run."""
    assert isinstance(result, spoken.TranslationsResult)
    return result


def test_languages_are_listed_and_found(odoo: Odoo) -> None:
    listed = spoken.languages(odoo)
    assert isinstance(listed, spoken.LanguagesResult)
    assert "en_US" in [found.code for found in listed.languages]
    assert all(found.active for found in listed.languages)
    found = spoken.languages(odoo, find="Japanese")
    assert isinstance(found, spoken.LanguagesResult)
    assert [language.code for language in found.languages] == ["ja_JP"]


def test_only_full_mode_and_an_administrator_switch_one_on(
    server: Server, user: User, ordinary: Odoo
) -> None:
    code = "ja_JP"
    for mode in ("readonly", "restricted"):
        policy = Policy(mode=mode, write_allowlist="res.lang,base.language.install")  # type: ignore[arg-type]
        narrowed = connect(**credentials(server, user), policy=policy)
        with narrowed as narrow, pytest.raises(AccessError, match="mode"):
            spoken.languages(narrow, activate=code)
    with pytest.raises(AccessError):
        spoken.languages(ordinary, activate=code)
    with pytest.raises(NotFoundError):
        spoken.languages(ordinary, activate="xx_XX")
    assert not active(ordinary, code)


@pytest.mark.usefixtures("french")
def test_a_record_is_translated(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    values = {"name": f"Chair {suffix}", "description_sale": "Soft"}
    product = create(admin, "product.template", values).id
    assert product is not None
    before = told(spoken.translate(odoo, "product.template", product))
    assert before.translations["name"] == dict.fromkeys(
        before.translations["name"], f"Chair {suffix}"
    )
    texts = {"name": {CODE: f"Chaise {suffix}"}, "description_sale": {CODE: "Doux", "en_US": "So"}}
    plan = spoken.translate(admin, "product.template", product, translations=texts, dry_run=True)
    assert isinstance(plan, Plan)
    with counted(admin) as calls:
        after = told(spoken.translate(admin, "product.template", product, translations=texts))
    languages = len(before.translations["name"])
    assert len(calls) <= 2 + 2 * languages + 2 + 1, calls
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
    before = told(spoken.translate(odoo, "product.template", product, ["name"]))
    wrong: list[dict[str, Any]] = [
        {"name": {CODE: "Chaise", "ja_JP": "Isu"}},
        {"name": {CODE: ""}},
        {"name": {CODE: "Chaise"}, "default_code": {CODE: "C1"}},
    ]
    for texts in wrong:
        with pytest.raises(ValidationError):
            spoken.translate(admin, "product.template", product, translations=texts)
    with pytest.raises(NotFoundError):
        spoken.translate(admin, "product.template", 10**8, translations={"name": {CODE: "x"}})
    assert told(spoken.translate(odoo, "product.template", product, ["name"])) == before
