"""A write in another language than English, looked at before it is sent.

``lang`` in a context says to Odoo in which language a text is; to whoever writes, that the others
are left alone. It is not so everywhere: formatted text is translated sentence by sentence, so that
a new text takes the place of those of all languages; and what is emptied in one is emptied in all.
A language that is not active, 16 and 17 take for English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from odoo_toolkit.arguments.values import records_written
from odoo_toolkit.call import Call, asking
from odoo_toolkit.errors import OdooError, ValidationError

if TYPE_CHECKING:
    from odoo_toolkit.policy.sending import Connection

#: What is translated; other languages show it where they have no text of their own.
SOURCE = "en_US"
#: The first version whose records tell which of their texts are translated by sentence.
TERMS_SINCE = 16

_WRITES = frozenset({"create", "write", "web_save", "web_save_multi"})


def check_language(odoo: Connection, call: Call, base_context: Mapping[str, Any]) -> None:
    """Refuse a write that would change texts in more languages than that of its context.

    Args:
        odoo: the connection.
        call: with its values as they were read.
        base_context: of the settings.

    Raises:
        ValidationError: it would, or the language is not active.
    """
    language = {**base_context, **call.context}.get("lang")
    if call.method not in _WRITES or not language or language == SOURCE:
        return
    for model, ids, values, _ in records_written(call):
        if error := language_problem(odoo, model, ids, values, language, emptied=not call.step):
            raise error


def language_problem(
    odoo: Connection,
    model: str,
    ids: Sequence[int],
    values: Mapping[str, Any],
    language: str | None,
    *,
    emptied: bool = True,
) -> ValidationError | None:
    """Return why values are not to be written to records in a language; None where they may be.

    Round trips only where a translated text is among them: one or two the first time, and one
    where texts of other languages may be lost.

    Args:
        odoo: the connection.
        model: of the records.
        ids: of the records; none for new ones.
        values: that are to be written.
        language: of the context.
        emptied: whether texts that are emptied are looked at.
    """
    if not language or language == SOURCE:
        return None
    translated = _translated(odoo, model)
    names = [name for name in values if name in translated]
    active = _active(odoo, language) if names else ()
    if active and language not in active:
        return ValidationError(
            f"The language {language} is not active in this Odoo database.",
            suggestion=f"Set lang to one of {', '.join(active)}, or omit it. To activate another "
            "language, use activate_language.",
            details={"field": "lang", "languages": list(active)},
            outcome="not_sent",
        )
    formatted = [name for name in names if translated[name] and values[name]]
    empty = [name for name in names if not values[name] and emptied]
    if len(active) == 1 or not ids or not (formatted or empty):
        return None
    if formatted and odoo.version.major >= TERMS_SINCE:
        formatted = [name for name in formatted if _is_by_sentence(odoo, model, ids[0], name)]
    lost = _others(odoo, model, ids, {name: values[name] for name in [*formatted, *empty]})
    if not lost:
        return None
    listed, details = ", ".join(lost), {"model": model, "fields": lost, "lang": language}
    if all(name in empty for name in lost):
        return ValidationError(
            f"If you empty {listed} of {model} in {language}, Odoo empties it in every language.",
            suggestion="To empty it in all languages, write it without lang. To undo a "
            "translation, write the English text.",
            details=details,
            outcome="not_sent",
        )
    how = (
        "Write it with translate, sentence by sentence"
        if odoo.version.major >= TERMS_SINCE
        else "Translate it in Odoo, in the dialog of the field"
    )
    return ValidationError(
        f"{listed} of {model} is formatted text, which Odoo translates by sentence. If you write "
        f"it in {language}, Odoo replaces the text of every language.",
        suggestion=f"{how}. To replace the text of all languages, write it without lang.",
        details=details,
        outcome="not_sent",
    )


def _translated(odoo: Connection, model: str) -> Mapping[str, bool]:
    """Return the fields that Odoo translates, and whether it may do so by sentence."""

    def ask() -> Mapping[str, bool]:
        asked = asking(
            model, "fields_get", allfields=[], attributes=["type", "translate", "sanitize"]
        )
        return {
            name: field.get("type") == "html" and field.get("sanitize", True)
            for name, field in odoo.call(asked).items()
            if field.get("translate")
        }

    try:
        found: Mapping[str, bool] = odoo.schema.remember(f"translated {model}", ask)
    except OdooError:
        return {}
    return found


def _active(odoo: Connection, language: str) -> tuple[str, ...]:
    """Return the active languages; none where they cannot be known."""

    def ask() -> tuple[str, ...]:
        call = asking("res.lang", "get_installed")
        return tuple(code for code, _ in odoo.call(call))

    try:
        active: tuple[str, ...] = odoo.schema.remember("active languages", ask)
        # It may have been switched on since.
        return active if language in active else ask()
    except OdooError:
        return ()


def _is_by_sentence(odoo: Connection, model: str, record_id: int, name: str) -> bool:
    call = asking(model, "get_field_translations", (record_id,), field_name=name, langs=[SOURCE])
    try:
        return bool(odoo.call(call)[1]["translation_show_source"])
    except OdooError:
        return True


def _others(
    odoo: Connection, model: str, ids: Sequence[int], values: Mapping[str, Any]
) -> list[str]:
    """Return of which fields the English text is another one than is to be written."""
    if not values:
        return []
    call = asking(
        model,
        "search_read",
        context={"lang": SOURCE, "active_test": False},
        domain=[["id", "in", list(ids)]],
        fields=list(values),
    )
    try:
        rows = odoo.call(call)
    except OdooError:
        return []
    return [name for name in values if any(row[name] and row[name] != values[name] for row in rows)]
