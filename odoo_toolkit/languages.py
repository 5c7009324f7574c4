"""The languages of an Odoo, and what one record is called in each of them.

Without a language in the context, Odoo 14 to 19 reads and writes English (US), whatever the user's
own language is. A language that is not switched on is an error in some versions, and overwrites
the English text in others: so it is looked at first which ones there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from odoo_toolkit.fields import unknown_field_error
from odoo_toolkit.operations.documents import Document, Row, read_rows, shows
from odoo_toolkit.operations.steps import Done, Plan, Step, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.arguments import describe, listed_fields
from odoo_toolkit.records.reading import read
from odoo_toolkit.search_text import literal
from odoo_toolkit.values.plain import plain

LANGUAGE = Document(
    model="res.lang", noun="language", argument="language_id", fields=("code", "name", "active")
)
_INSTALL = "base.language.install"
_TRANSLATED = ("char", "text")

Translations = Mapping[str, Mapping[str, str]]


@attrs.frozen(kw_only=True)
class Language:
    """A language; its code is what goes into ``lang`` of a context."""

    code: str
    name: str
    active: bool


@attrs.frozen(kw_only=True)
class LanguagesResult:
    """Languages of an Odoo; ``message`` and ``warnings`` tell of what was switched on."""

    languages: list[Language]
    message: str | None = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class TranslationsResult:
    """What a record is called in each language.

    Attributes:
        translations: field -> code of a language -> text; a text that was never translated is the
            English one.
        warnings: what is not as one might expect.
    """

    model: str
    id: int
    translations: dict[str, Any]
    message: str | None = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class _Free(Step):
    """A step whose model and fields a caller has named: the policy judges it as a free call."""

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the writing call."""
        return [attrs.evolve(call, step=False, acts_on=None) for call in super().calls(odoo, ids)]


def languages(
    odoo: Odoo,
    find: Annotated[str | None, Doc("Part of a name: also those switched off.")] = None,
    activate: Annotated[str | None, Doc("Code; full mode only.")] = None,
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
        return LanguagesResult(languages=[_language(row) for row in _found(odoo, find)])
    if find is not None:
        raise ValidationError(
            "Give find or activate, not both.", suggestion="Look first, then switch one on."
        )
    create = Step(model=_INSTALL, method="create", says="Asked for")
    press = Step(model=_INSTALL, method="lang_install", says="Switched on")
    if odoo.policy.mode != "full":
        raise AccessError(
            f"A language cannot be switched on in {odoo.policy.mode} mode.",
            code="MODE_VIOLATION",
            suggestion="It takes the mode full, which the administrator sets.",
            details={"mode": odoo.policy.mode},
        )
    permit(odoo, create, press)
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


def translate(
    odoo: Odoo,
    model: str,
    record_id: int,
    fields: Annotated[
        Sequence[str] | None,
        JsonSchema({"type": "array", "items": {"type": "string"}}),
    ] = None,
    translations: Annotated[
        Translations | None,
        JsonSchema({"type": "object"}),
        Doc('To write: {"name": {"fr_FR": "Chaise"}}.'),
    ] = None,
    dry_run: DryRun = False,
) -> TranslationsResult | Plan:
    """Return what a record is called in each language that is switched on, or change that.

    Texts of one line or several are read and written; formatted ones (html), which Odoo translates
    sentence by sentence, are not.

    Args:
        odoo: the connection.
        model: such as ``product.template``.
        record_id: the record.
        fields: which are read; by default those that are translatable, or are written.
        translations: field -> code of a language -> text. The other languages keep their texts.
        dry_run: check, write nothing.

    Raises:
        NotFoundError: there is no such model or record.
        ValidationError: a field is not translatable, a language not switched on, or a text empty;
            nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    wanted = _checked(translations)
    by_language: dict[str, dict[str, str]] = {}
    for field, texts in wanted.items():
        for code, text in texts.items():
            by_language.setdefault(code, {})[field] = text
    writes = [
        _Free(model=model, method="write", context={"lang": code}, says=f"Written in {code}").of(
            vals=values
        )
        for code, values in by_language.items()
    ]
    permit(odoo, *writes)
    asked = listed_fields(fields)
    named = list(dict.fromkeys([*asked, *wanted]))
    names = _translatable(odoo, model, record_id, named)
    codes = [row["code"] for row in _found(odoo, None)]
    if missing := [code for code in by_language if code not in codes]:
        raise ValidationError(
            f"The language {missing[0]} is not switched on.",
            suggestion=f"Use one of {', '.join(codes)}, or switch it on with languages.",
            details={"field": "translations", "languages": codes},
        )
    before = _texts(odoo, model, record_id, names, codes)
    if not writes:
        shown = (
            before if asked else {f: texts for f, texts in before.items() if any(texts.values())}
        )
        return TranslationsResult(model=model, id=record_id, translations=shown)
    steps = [
        attrs.evolve(step, seen=_seen(model, step), fails=f"Not written in {step.context['lang']}")
        for step in writes
    ]

    def result(done: Done) -> TranslationsResult:
        now = _texts(odoo, model, record_id, names, codes)
        for field, texts in now.items():
            for code, text in texts.items():
                asked_for = wanted.get(field, {}).get(code, before[field][code])
                if done.complete and (text or "").strip() != (asked_for or "").strip():
                    done.warnings.append(f"{field} is {text!r:.80} in {code} now.")
        told = f"Translated {model} {record_id} into {', '.join(by_language)}."
        return TranslationsResult(
            model=model, id=record_id, translations=now, message=told, warnings=done.warnings
        )

    would = f"Would write {', '.join(wanted)} of {model} {record_id} in {', '.join(by_language)}."
    return operate(odoo, steps, [record_id], result, would=would, dry_run=dry_run)


def _found(odoo: Odoo, find: str | None) -> list[Row]:
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


def _checked(translations: Translations | None) -> dict[str, dict[str, str]]:
    """Return what is to be written, or refuse what cannot be."""
    given = plain(translations) or {}
    if not isinstance(given, dict) or not all(isinstance(item, dict) for item in given.values()):
        raise ValidationError(
            "translations must be an object of objects.",
            suggestion='Write it like {"name": {"fr_FR": "Chaise"}}.',
            details={"field": "translations"},
        )
    for field, texts in given.items():
        for code, text in texts.items():
            if not isinstance(text, str) or not text.strip():
                # Versions differ in what an empty one does: to this language, and to others.
                raise ValidationError(
                    f"The text of {field} in {code} must not be empty.",
                    suggestion="To undo a translation, write the English text.",
                    details={"field": f"translations.{field}.{code}"},
                )
    return {field: texts for field, texts in given.items() if texts}


def _translatable(odoo: Odoo, model: str, record_id: int, named: Sequence[str]) -> list[str]:
    """Return the fields that are meant, or refuse one that is not translatable."""
    described = describe(odoo, model, "read", {"fields": list(named)}, {}, [record_id])
    if unknown := [name for name in named if name not in described]:
        raise unknown_field_error(model, unknown, described)
    told: Mapping[str, Mapping[str, Any]] = odoo.call(
        Call(
            model=model,
            method="fields_get",
            arguments={"allfields": list(named), "attributes": ["translate"]},
            step=True,
        )
    )
    fields = [
        name
        for name, field in described.items()
        if field.type in _TRANSLATED and field.store and told.get(name, {}).get("translate")
    ]
    for name in named:
        if name not in fields:
            html = described[name].type == "html"
            why = (
                "formatted text, which Odoo translates by sentence" if html else "not translatable"
            )
            raise ValidationError(
                f"The field {name} of {model} is {why}.",
                suggestion=f"Those that can be translated here: {', '.join(fields)}."
                if fields
                else "Translate it in Odoo."
                if html
                else "Leave it out.",
                details={"field": name},
            )
    return list(named) or fields


def _texts(
    odoo: Odoo, model: str, record_id: int, fields: Sequence[str], codes: Sequence[str]
) -> dict[str, dict[str, str | None]]:
    """Return field -> language -> text, read side by side."""
    if not fields:
        return {}
    found = side_by_side(
        [
            lambda code=code: read(odoo, model, [record_id], fields, {"lang": code})  # type: ignore[misc]
            for code in codes
        ]
    )
    if not found[0].records:
        raise NotFoundError(
            f"There is no {model} with id {record_id}, or this user may not see it.",
            suggestion=f"Look for it with search_read on {model}.",
            details={"model": model, "ids": [record_id]},
        )
    rows = {code: answer.records[0] for code, answer in zip(codes, found, strict=True)}
    return {field: {code: rows[code][field] or None for code in codes} for field in fields}


def _seen(model: str, step: Step) -> Any:
    """Return what sees that a record shows what a step was to write, in its language."""
    values, context = step.arguments["vals"], dict(step.context)

    def seen(odoo: Odoo, record_id: int) -> bool | None:
        (row,) = read(odoo, model, [record_id], list(values), context).records
        same = all((row[name] or "").strip() == text.strip() for name, text in values.items())
        return True if same else None

    return seen
