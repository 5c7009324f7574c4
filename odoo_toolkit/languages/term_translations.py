"""Formatted texts, which Odoo translates sentence by sentence: from Odoo 16 on by two methods.

To 15 the sentences are records of ``ir.translation``, which stand for all models at once and are
not reached from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError, invalid
from odoo_toolkit.operations.steps import Step
from odoo_toolkit.policy.languages import SOURCE

#: The first version that is told the sentence of the source; before, what stands in its place.
_BY_SOURCE_SINCE = 18

#: Language -> sentence -> its translation.
Terms = dict[str, dict[str, str | None]]


def read_terms(
    odoo: Odoo, model: str, record_id: int, field: str, codes: Sequence[str]
) -> Terms | None:
    """Return the sentences of a text with their translations; one round trip.

    Args:
        odoo: the connection, to Odoo 16 or later.
        model: of the record.
        record_id: the record.
        field: a translatable html field.
        codes: of the languages.

    Returns:
        None where the field is translated as a whole; a sentence that is not translated is None.
    """
    call = Call(
        model=model,
        method="get_field_translations",
        ids=(record_id,),
        arguments={"field_name": field, "langs": list(codes)},
        access="read",
        acts_on=model,
        step=True,
    )
    rows, about = odoo.call(call)
    if not about["translation_show_source"]:
        return None
    found: Terms = {code: {} for code in codes if code != SOURCE}
    for row in rows:
        if row["lang"] in found:
            text = row["value"] if row["value"] != row["source"] else None
            found[row["lang"]][row["source"]] = text or None
    return found


def check_terms(field: str, wanted: Mapping[str, Any], found: Terms | None) -> None:
    """Refuse translations whose form or sentences are not those of the field.

    Raises:
        ValidationError: a whole text is given for sentences or the reverse, or a sentence is not
            in the text.
    """
    for code, given in wanted.items():
        where = {"field": f"translations.{field}.{code}"}
        if found is None:
            if isinstance(given, dict):
                raise ValidationError(
                    f"{field} is translated as a whole, not by sentence.",
                    suggestion=f"Pass one text for {code}.",
                    details=where,
                )
            continue
        sentences = next(iter(found.values()), {})
        if not isinstance(given, dict) or code == SOURCE:
            raise ValidationError(
                f"{field} is formatted text, which Odoo translates from {SOURCE} by sentence.",
                suggestion='Write {"fr_FR": {sentence: translation}}. To list the '
                f"sentences, omit translations. To change the text in {SOURCE}, use "
                "write.",
                details={**where, "sentences": list(sentences)[:50]},
            )
        if unknown := [sentence for sentence in given if sentence not in sentences]:
            raise ValidationError(
                f"{unknown[0]!r:.120} is not a sentence of {field}.",
                suggestion="Copy it exactly as listed, with its tags.",
                details={**where, "sentences": list(sentences)[:50]},
            )


def term_step(
    model: str,
    field: str,
    wanted: Mapping[str, Mapping[str, str]],
    written: Mapping[str, Mapping[str, str]] | None = None,
    found: Terms | None = None,
) -> Step:
    """Return the step that translates sentences of a field into some languages.

    Args:
        model: of the record.
        field: a translatable html field.
        wanted: language -> sentence -> translation.
        written: the same by what Odoo knows the sentences by; see :func:`as_they_stand`.
        found: the translations as they are, for the change history.
    """
    was = {
        code: {sentence: (found or {}).get(code, {}).get(sentence) for sentence in texts}
        for code, texts in wanted.items()
    }

    def seen(odoo: Odoo, record_id: int) -> bool | None:
        now = read_terms(odoo, model, record_id, field, list(wanted)) or {}
        same = all(
            (now.get(code, {}).get(sentence) or "") == text
            for code, texts in wanted.items()
            for sentence, text in texts.items()
        )
        return True if same else None

    step = Step(
        model=model,
        method="update_field_translations",
        says=f"Translated {field}",
        seen=seen,
        fails=f"{field} is not translated",
        before={0: {"field": field, "was": was, "now": dict(wanted)}} if found else None,
    )
    translations = {code: dict(texts) for code, texts in (written or wanted).items()}
    return step.of(field_name=field, translations=translations)


def as_they_stand(
    odoo: Odoo, field: str, wanted: Mapping[str, Mapping[str, str]], found: Terms
) -> dict[str, dict[str, str]]:
    """Return translations by what Odoo knows the sentences of a language by.

    That is the sentence of the source from 18 on; on 16 and 17 what is shown in its place, which
    is the translation that it has.

    Raises:
        ValidationError: sentences that are shown as one text would become two.
    """
    if odoo.version.major >= _BY_SOURCE_SINCE:
        return {code: dict(texts) for code, texts in wanted.items()}
    written: dict[str, dict[str, str]] = {}
    for code, texts in wanted.items():
        standing = {sentence: text or sentence for sentence, text in found[code].items()}
        written[code] = {standing[sentence]: text for sentence, text in texts.items()}
        for sentence, stands in standing.items():
            becomes = written[code].get(stands, stands)
            if becomes != texts.get(sentence, stands):
                alike = [each for each, text in standing.items() if text == stands]
                raise invalid(
                    f"translations.{field}.{code}",
                    f"Odoo {odoo.version.major} cannot distinguish "
                    f"{' and '.join(map(repr, alike))} of {field}: in {code} both are "
                    f"{stands!r:.80}. Nothing was written.",
                    "Pass the same translation for both, or change them in Odoo.",
                    sentences=alike,
                )
    return written


def allow_terms(
    odoo: Odoo, model: str, record_id: int, wanted: Mapping[str, Any], *, planned: bool = False
) -> None:
    """Ask the policy whether a caller may write these texts at all, as if by ``write``.

    Raises:
        AccessError: it forbids the field, or what is in a text.
    """
    for field, languages in wanted.items():
        for texts in languages.values():
            for text in texts.values():
                call = Call(
                    model=model,
                    method="write",
                    ids=(record_id,),
                    arguments={"vals": {field: text}},
                    access="write",
                )
                odoo.check(call, planned=planned)
