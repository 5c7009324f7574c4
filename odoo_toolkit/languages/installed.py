"""Functions that list and activate languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun, readable_signatures
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError
from odoo_toolkit.operations.documents import Document, Row, read_rows, shows
from odoo_toolkit.operations.steps import Done, Step, operate, permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.values.search_text import literal

LANGUAGE = Document(
    model="res.lang", noun="language", argument="language_id", fields=("code", "name", "active")
)
_INSTALL = "base.language.install"

#: Seconds that loading the texts of all modules may take on a busy server.
_LOADING = 300.0


@attrs.frozen(kw_only=True)
class Language(Shown):
    """A language. Its code is the value for ``lang`` in a context."""

    code: str
    name: str
    active: bool


@attrs.frozen(kw_only=True)
class LanguagesResult(Shown):
    """The languages of an Odoo database."""

    languages: list[Language]


@attrs.frozen(kw_only=True)
class ActivatedLanguage(Language):
    """A language as it is now. ``warnings`` lists differences from your request."""

    message: str
    warnings: list[str] = attrs.Factory(list)


def get_languages(
    odoo: Odoo,
    find: Annotated[str | None, Doc("Part of a name. Also finds inactive languages.")] = None,
) -> LanguagesResult:
    """Return the active languages, or search for others.

    >>> [language.code for language in get_languages(odoo).languages]
    ['en_US']

    To search, pass a part of a name or code, such as ``French``. You get at most 20 languages,
    active or not. It takes 1 request.

    Raises:
        AccessError: Odoo or the policy does not allow it.
    """
    return LanguagesResult(
        languages=[
            Language(code=row["code"], name=row["name"], active=bool(row["active"]))
            for row in find_languages(odoo, find)
        ]
    )


@operation
def activate_language(
    odoo: Odoo,
    code: Annotated[str, Doc("E.g. fr_FR.")],
    *,
    dry_run: DryRun = False,
) -> ActivatedLanguage | Plan:
    """Activate a language.

    It loads Odoo's translations, which takes from 10 seconds to a few minutes. It does not change
    data. You need the rights of an administrator. It takes 5 requests, or 1 if the language is
    already active.

    Raises:
        NotFoundError: The language does not exist.
        AccessError: MODE_VIOLATION outside full mode, or Odoo does not allow it.
    """
    create = Step(model=_INSTALL, method="create", says="Asked for")
    press = Step(model=_INSTALL, method="lang_install", says="Activated", timeout=_LOADING)
    if odoo.policy.mode != "full" and not dry_run:
        raise AccessError(
            f"A language cannot be activated in {odoo.policy.mode} mode.",
            code="MODE_VIOLATION",
            suggestion='It needs full mode: Policy(mode="full").',
            details={"mode": odoo.policy.mode},
        )
    permit(odoo, create, press, dry_run=dry_run)
    row = _by_code(odoo, code)
    label = f"{row['name']} ({row['code']})"
    if row["active"]:
        return _activated(row, f"{label} is already active.")
    # The wizard takes several languages from 16 on.
    several = "lang_ids" in odoo.schema.fields(_INSTALL)
    values = {"lang_ids": [[6, 0, [row["id"]]]]} if several else {"lang": row["code"]}
    on = shows(LANGUAGE, active=(True,))

    def result(done: Done) -> ActivatedLanguage:
        try:
            now = _by_code(odoo, row["code"])
        except OdooError as error:
            done.warnings.append(f"The language cannot be read back: {error.message}")
            now = {**row, "active": done.complete}
            if not done.complete:
                return _activated(now, f"It is unknown whether {label} is active.", done.warnings)
        told = f"{label} is {'active' if now['active'] else 'not active'}."
        return _activated(now, told, done.warnings)

    steps = [
        create.of(vals_list=values),
        attrs.evolve(
            press,
            seen=lambda odoo, _: on(odoo, row["id"]),
            before={0: {"ids": [row["id"]]}},
        ),
    ]
    would = f"Would activate {label}."
    return operate(odoo, steps, (), result, message=would, dry_run=dry_run)


def find_languages(odoo: Odoo, find: str | None) -> list[Row]:
    """Return the active languages, or those that match."""
    domain: list[Any] = [["active", "=", True]]
    if find is not None:
        said = literal(find.strip())
        domain = ["|", ["code", "ilike", said], ["name", "ilike", said]]
    return read_rows(odoo, LANGUAGE.model, domain, LANGUAGE.fields, limit=20 if find else None)


def _by_code(odoo: Odoo, code: str) -> Row:
    said = [["code", "=ilike", literal(code.strip())]]
    rows = read_rows(odoo, LANGUAGE.model, said, LANGUAGE.fields)
    if not rows:
        raise NotFoundError(
            f"There is no language with the code {code!r:.40}.",
            suggestion="Look up its code with get_languages, such as find='French'.",
            details={"field": "code"},
        )
    return rows[0]


def _activated(row: Row, message: str, warnings: Sequence[str] = ()) -> ActivatedLanguage:
    return ActivatedLanguage(
        code=row["code"],
        name=row["name"],
        active=bool(row["active"]),
        message=message,
        warnings=list(warnings),
    )


readable_signatures(globals())
