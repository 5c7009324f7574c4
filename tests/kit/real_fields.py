"""What a real Odoo of each version says of its fields, as it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tests.kit.recordings import Recordings


@cache
def _recorded(major: int) -> dict[str, dict[str, dict[str, Any]]]:
    recordings = Recordings.read(major)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for tape in recordings.tapes.values():
        for _, call, digest, _ in tape.exchanges:
            if call["method"] == "fields_get" and "answer" in (kept := recordings.answers[digest]):
                model = found.setdefault(call["model"], {})
                for name, field in kept["answer"].items():
                    model.setdefault(name, {}).update(field)
    return found


def real_fields(major: int, names: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return fields as a version has them, for a :class:`FakeServer`.

    Args:
        major: the version.
        names: model -> names of its fields on any version. What this one lacks is left out.

    Raises:
        KeyError: no version has one of them.
    """
    for model, listed in names.items():
        if missing := [
            name
            for name in listed.split()
            if not any(name in _recorded(version).get(model, {}) for version in range(14, 20))
        ]:
            raise KeyError(f"{model} has no {', '.join(missing)} in any recording.")
    return {
        model: {
            name: _in_words(field)
            for name in listed.split()
            if "type" in (field := _recorded(major).get(model, {}).get(name, {}))
        }
        for model, listed in names.items()
    }


def _in_words(field: Mapping[str, Any]) -> str:
    """Return the type and what it links to: ``one2many sale.order.line order_id``."""
    back = field.get("relation_field") if field["type"] == "one2many" else None
    return " ".join(word for word in (field["type"], field.get("relation"), back) if word)
