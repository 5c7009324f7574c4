"""Functions that read and write the translations of a record.

Without a language in the context, Odoo 14 to 19 use English (US), whatever the user's language is.
A language that is not active is an error on some versions, and overwrites the English text on
others. The toolkit therefore checks the active languages first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun, JsonSchema, Model, readable_signatures
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import NotFoundError, invalid
from odoo_toolkit.fields import Field, unknown_field_error
from odoo_toolkit.languages.installed import find_languages
from odoo_toolkit.languages.term_translations import (
    Terms,
    allow_terms,
    as_they_stand,
    check_terms,
    read_terms,
    term_step,
)
from odoo_toolkit.operations.steps import Done, Step, operate, permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.policy.languages import TERMS_SINCE
from odoo_toolkit.records.arguments import describe, listed_fields
from odoo_toolkit.records.reading import read
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.plain_text import written_text

_TRANSLATED = ("char", "text", "html")

#: Field -> language -> text, or sentence -> text.
Translations = Mapping[str, Mapping[str, str | Mapping[str, str]]]


@attrs.frozen(kw_only=True)
class TranslationsResult(Shown):
    """The texts of a record in each language.

    Attributes:
        translations: Field -> language code -> text. A text without a translation is in English. If
            Odoo translates by sentence: sentence -> translation, or None without a translation.
        warnings: Differences from your request.
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


def get_translations(
    odoo: Odoo,
    model: Model,
    record_id: Annotated[int, Doc("Id of the record.")],
    fields: Annotated[
        Sequence[str] | None,
        JsonSchema({"type": "array", "items": {"type": "string"}}),
        Doc("Translated fields. Default: all."),
    ] = None,
) -> TranslationsResult:
    """Return the texts of a record in each active language.

    By default you get all translatable fields that are not empty. Odoo 16 and later return
    formatted texts (HTML) by sentence, if Odoo translates them so. Odoo 15 and earlier return them
    as a whole. It takes 2 requests, and 1 for each language in parallel.

    Raises:
        NotFoundError: The model or record does not exist.
        ValidationError: A field is not translatable.
        AccessError: Odoo or the policy does not allow it.
    """
    asked = listed_fields(fields)
    described = _translatable(odoo, model, record_id, asked)
    codes = [row["code"] for row in find_languages(odoo, None)]
    found, _ = _texts(odoo, model, record_id, described, codes)
    shown = found if asked else {f: texts for f, texts in found.items() if _is_told(texts)}
    return TranslationsResult(model=model, id=record_id, translations=shown)


@operation
def translate(
    odoo: Odoo,
    model: Model,
    record_id: Annotated[int, Doc("Id of the record.")],
    translations: Annotated[
        Translations,
        JsonSchema({"type": "object"}),
        Doc('{"name": {"fr_FR": "Chaise"}}. HTML: by sentence, on Odoo 16 and later.'),
    ],
    *,
    dry_run: DryRun = False,
) -> TranslationsResult | Plan:
    """Write the texts of a record in some languages, and return its texts in all languages.

    Other languages and sentences keep their texts. You can write formatted texts (HTML), which Odoo
    translates by sentence, on Odoo 16 and later.

    Raises:
        NotFoundError: The model or record does not exist.
        ValidationError: A field is not translatable, a language is not active, or a text is empty.
            Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    wanted = _checked(translations)
    terms = {f: texts for f, texts in wanted.items() if _by_sentence(texts)}
    whole = {f: texts for f, texts in wanted.items() if f not in terms}
    changes = [term_step(model, field, texts) for field, texts in terms.items()]
    permit(odoo, *_writes(model, whole), *changes, dry_run=dry_run)
    allow_terms(odoo, model, record_id, terms, planned=dry_run)
    described = _translatable(odoo, model, record_id, list(wanted))
    codes = [row["code"] for row in find_languages(odoo, None)]
    into = list(dict.fromkeys(code for texts in wanted.values() for code in texts))
    if missing := [code for code in into if code not in codes]:
        raise invalid(
            "translations",
            f"The language {missing[0]} is not active.",
            f"Use one of {', '.join(codes)}, or activate it with activate_language.",
            languages=codes,
        )
    before, sentences = _texts(odoo, model, record_id, described, codes)
    for field, texts in wanted.items():
        if described[field].type == "html" and odoo.version.major < TERMS_SINCE:
            raise invalid(
                field,
                f"{field} is formatted text, which Odoo {odoo.version.major} translates by "
                "sentence, in a separate dialog.",
                "Translate it in Odoo. The toolkit can do it in Odoo 16 and later.",
            )
        check_terms(field, texts, sentences.get(field))
    changes = [
        term_step(
            model,
            field,
            texts,
            as_they_stand(odoo, field, texts, sentences[field]),
            sentences[field],
        )
        for field, texts in terms.items()
    ]
    written: dict[str, Any] = {
        field: {code: written_text(described[field], text) for code, text in texts.items()}
        for field, texts in whole.items()
    }
    changes = [*_writes(model, written, whole), *changes]

    def result(done: Done) -> TranslationsResult:
        now, _ = _texts(odoo, model, record_id, described, codes)
        if done.complete:
            done.warnings.extend(_not_as_asked(before, wanted, now))
        told = f"Translated {model} {record_id} into {', '.join(into)}."
        return TranslationsResult(
            model=model, id=record_id, translations=now, message=told, warnings=done.warnings
        )

    would = f"Would write {', '.join(wanted)} of {model} {record_id} in {', '.join(into)}."
    return operate(odoo, changes, [record_id], result, message=would, dry_run=dry_run)


def _by_sentence(texts: Mapping[str, Any]) -> bool:
    return any(isinstance(text, dict) for text in texts.values())


def _is_told(texts: Mapping[str, Any]) -> bool:
    """Whether there is a text, or a sentence that could be translated."""
    return any(texts.values())


def _writes(
    model: str, texts: Mapping[str, Mapping[str, Any]], said: Mapping[str, Any] | None = None
) -> list[Step]:
    """Return the writes of whole texts, one for each language; ``said`` is what shows them done."""
    by_language: dict[str, dict[str, str]] = {}
    for field, languages in texts.items():
        for code, text in languages.items():
            by_language.setdefault(code, {})[field] = text
    steps = []
    for code, values in by_language.items():
        step = _Free(
            model=model,
            method="write",
            context={"lang": code},
            says=f"Written in {code}",
            fails=f"Not written in {code}",
        ).of(vals=values)
        if said is not None:
            shown = {field: said[field][code] for field in values}
            step = attrs.evolve(step, seen=_seen(model, shown, {"lang": code}))
        steps.append(step)
    return steps


def _not_as_asked(
    before: Mapping[str, Any], wanted: Mapping[str, Any], now: Mapping[str, Any]
) -> list[str]:
    """Say which texts are neither what was written nor what they were."""

    def changed(where: str, was: Any, asked: Any, shown: Any) -> list[str]:
        expected = was if asked is None else asked
        if _words(shown) == _words(expected):
            return []
        return [f"{where} is now {shown!r:.80}." if shown else f"{where} has no translation now."]

    told = []
    for field, languages in now.items():
        for code, shown in languages.items():
            asked = wanted.get(field, {}).get(code)
            was = before[field][code]
            if isinstance(shown, dict):
                for sentence, text in shown.items():
                    where = f"{field}: {sentence!r:.60} in {code}"
                    told += changed(where, was.get(sentence), (asked or {}).get(sentence), text)
            else:
                told += changed(f"{field} in {code}", was, asked, shown)
    return told


def _words(text: str | None) -> list[str]:
    return (text or "").split()


def _checked(translations: Translations) -> dict[str, dict[str, Any]]:
    """Return what is to be written, or refuse what cannot be."""
    given = plain(translations)
    if not isinstance(given, dict) or not all(isinstance(item, dict) for item in given.values()):
        raise invalid(
            "translations",
            "translations must be an object of objects.",
            'Write it like {"name": {"fr_FR": "Chaise"}}.',
        )
    for field, texts in given.items():
        if len({isinstance(text, dict) for text in texts.values()}) > 1:
            raise invalid(
                f"translations.{field}",
                f"{field} has both a whole text and translations by sentence.",
                "Pass the same form for all languages.",
            )
        for code, given_text in texts.items():
            each = given_text.values() if isinstance(given_text, dict) else [given_text]
            if not each or not all(isinstance(text, str) and text.strip() for text in each):
                # Versions differ in what an empty one does: to this language, and to others.
                raise invalid(
                    f"translations.{field}.{code}",
                    f"The text of {field} in {code} must not be empty.",
                    "To undo a translation, write the English text.",
                )
    if not any(given.values()):
        raise invalid(
            "translations",
            "The translations are missing.",
            'Write {"name": {"fr_FR": "Chaise"}}. To read translations, use get_translations.',
        )
    return {field: texts for field, texts in given.items() if texts}


def _translatable(odoo: Odoo, model: str, record_id: int, named: Sequence[str]) -> dict[str, Field]:
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
            raise invalid(
                name,
                f"The field {name} of {model} is not translatable.",
                f"Choose from {', '.join(fields)}." if fields else "Omit this field.",
            )
    return {name: described[name] for name in list(named) or fields}


def _texts(
    odoo: Odoo, model: str, record_id: int, fields: Mapping[str, Field], codes: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Terms]]:
    """Return field -> language -> text, read side by side, and which of them are by sentence."""
    if not fields:
        return {}, {}
    html = [name for name, field in fields.items() if field.type == "html"]
    html = html if odoo.version.major >= TERMS_SINCE else []
    asked: list[Any] = [
        *(
            lambda code=code: read(odoo, model, [record_id], list(fields), {"lang": code})
            for code in codes
        ),
        *(lambda name=name: read_terms(odoo, model, record_id, name, codes) for name in html),
    ]
    found = side_by_side(asked)
    if not found[0].records:
        raise NotFoundError(
            f"There is no {model} with id {record_id}, or this user cannot see it.",
            suggestion=f"Look for it with search_read on {model}.",
            details={"model": model, "ids": [record_id]},
        )
    rows = {code: answer.records[0] for code, answer in zip(codes, found, strict=False)}
    told = zip(html, found[len(codes) :], strict=True)
    terms: dict[str, Terms] = {name: by for name, by in told if by is not None}
    texts: dict[str, Any] = {
        field: {code: rows[code][field] or None for code in codes} for field in fields
    }
    return {**texts, **terms}, terms


def _seen(model: str, values: Mapping[str, str], context: dict[str, Any]) -> Any:
    """Return what sees that a record shows what a step was to write, in its language."""

    def seen(odoo: Odoo, record_id: int) -> bool | None:
        (row,) = read(odoo, model, [record_id], list(values), context).records
        same = all(_words(row[name]) == _words(text) for name, text in values.items())
        return True if same else None

    return seen


readable_signatures(globals())
