"""How an activated language is taken back."""

from __future__ import annotations

from odoo_toolkit.change_history import Write
from odoo_toolkit.client import Odoo
from odoo_toolkit.languages.installed import LANGUAGE
from odoo_toolkit.languages.term_translations import as_they_stand, read_terms, term_step
from odoo_toolkit.operations.compensations import WayBack
from odoo_toolkit.operations.documents import read_rows
from odoo_toolkit.operations.steps import Step


def installed(odoo: Odoo, write: Write) -> list[WayBack]:
    """Return how a language is switched off; which one is handed over by the function."""
    ids = write.before.get(0, {}).get("ids", [])
    domain = [["id", "in", ids], ["active", "=", True]]
    off = Step(model=LANGUAGE.model, method="write", arguments={"vals": {"active": False}})
    return [
        WayBack(
            model=LANGUAGE.model,
            ids=[row["id"]],
            name=row["display_name"],
            says="not active",
            steps=[off],
        )
        for row in read_rows(odoo, LANGUAGE.model, domain, ["display_name"])
    ]


def sentences(odoo: Odoo, write: Write) -> list[WayBack]:
    """Return how translated sentences get the translations that they had before."""
    known = write.before.get(0)
    if not known or not write.ids:
        return []
    field, was, left = known["field"], known["was"], known["now"]
    found = read_terms(odoo, write.model, write.ids[0], field, list(was)) or {}
    name = f"{field} of {write.model} {write.ids[0]}"
    wanted: dict[str, dict[str, str]] = {}
    changed = False
    for code, texts in was.items():
        for sentence, text in texts.items():
            now = found.get(code, {}).get(sentence)
            if now == text:
                continue
            changed = changed or (now or "") != left[code][sentence]
            # What shows its source is not translated.
            wanted.setdefault(code, {})[sentence] = text or sentence
    if not wanted:
        return []
    blocked = f"{name}: its translations have changed since" if changed else None
    steps = (
        []
        if changed
        else [term_step(write.model, field, wanted, as_they_stand(odoo, field, wanted, found))]
    )
    return [
        WayBack(
            model=write.model,
            ids=write.ids,
            name=name,
            says="translated as before",
            steps=[*steps],
            blocked=blocked,
        )
    ]
