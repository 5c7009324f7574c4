"""The languages of an Odoo: which there are, and switching one on."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun, readable_signatures
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from odoo_toolkit.operations.documents import Document, Row, read_rows, shows
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import Done, Plan, Step, operate, permit
from odoo_toolkit.search_text import literal

LANGUAGE = Document(
    model="res.lang", noun="language", argument="language_id", fields=("code", "name", "active")
)
_INSTALL = "base.language.install"


@attrs.frozen(kw_only=True)
class Language(Shown):
    """A language; its code is what goes into ``lang`` of a context."""

    code: str
    name: str
    active: bool


@attrs.frozen(kw_only=True)
class LanguagesResult(Shown):
    """Languages of an Odoo; ``message`` and ``warnings`` tell of what was switched on."""

    languages: list[Language]
    message: str | None = None
    warnings: list[str] = attrs.Factory(list)


@operation
def languages(
    odoo: Odoo,
    find: Annotated[str | None, Doc("Part of a name: also those switched off.")] = None,
    activate: Annotated[str | None, Doc("Code; full mode only.")] = None,
    *,
    dry_run: DryRun = False,
) -> LanguagesResult | Plan:
    """Return the languages that are switched on; or look for others, or switch one on.

    Switching on loads Odoo's own texts, which takes some 10 seconds, and changes no data. It takes
    the rights of an administrator.

    Args:
        odoo: the connection.
        find: a part of a name or code, such as ``French``: then those that match are returned,
            whether or not they are switched on, 20 at most.
        activate: the code of a language, such as ``fr_FR``, to switch on.
        dry_run: find and check, switch on nothing.

    Raises:
        NotFoundError: there is no such language.
        ValidationError: both ``find`` and ``activate`` were given.
        AccessError: MODE_VIOLATION outside full mode; or Odoo does not allow it.
    """
    if activate is None:
        return LanguagesResult(languages=[_language(row) for row in find_languages(odoo, find)])
    if find is not None:
        raise ValidationError(
            "Give find or activate, not both.", suggestion="Look first, then switch one on."
        )
    create = Step(model=_INSTALL, method="create", says="Asked for")
    press = Step(model=_INSTALL, method="lang_install", says="Switched on")
    if odoo.policy.mode != "full" and not dry_run:
        raise AccessError(
            f"A language cannot be switched on in {odoo.policy.mode} mode.",
            code="MODE_VIOLATION",
            suggestion='It takes the mode full: Policy(mode="full").',
            details={"mode": odoo.policy.mode},
        )
    permit(odoo, create, press, dry_run=dry_run)
    row = _by_code(odoo, activate)
    label = f"{row['name']} ({row['code']})"
    if row["active"]:
        return LanguagesResult(
            languages=[_language(row)], message=f"{label} is switched on already."
        )
    # The wizard takes several languages from 16 on.
    several = "lang_ids" in odoo.schema.fields(_INSTALL)
    values = {"lang_ids": [[6, 0, [row["id"]]]]} if several else {"lang": row["code"]}
    on = shows(LANGUAGE, active=(True,))

    def result(done: Done) -> LanguagesResult:
        now = _language(_by_code(odoo, row["code"]))
        told = f"{label} is {'switched on' if now.active else 'not switched on'}."
        return LanguagesResult(languages=[now], message=told, warnings=done.warnings)

    steps = [
        create.of(vals_list=values),
        attrs.evolve(press, seen=lambda odoo, _: on(odoo, row["id"])),
    ]
    would = f"Would switch on {label}."
    return operate(odoo, steps, (), result, would=would, dry_run=dry_run)


def find_languages(odoo: Odoo, find: str | None) -> list[Row]:
    """Return the languages that are switched on, or those that match."""
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
            suggestion="Look for its code with find, such as find='French'.",
            details={"field": "activate"},
        )
    return rows[0]


def _language(row: Row) -> Language:
    return Language(code=row["code"], name=row["name"], active=bool(row["active"]))


readable_signatures(globals())
