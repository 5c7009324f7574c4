"""Companies: the one that a new document is for, and those whose records it can use."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.annotations import Context
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo


def acting_company(odoo: Odoo, acts_on: str, context: Context = None) -> int:
    """Return the company that Odoo acts for: the context's, the connection's, else the user's.

    New documents are for it, and it is the one whose values are read where each has its own.

    Args:
        odoo: the connection.
        acts_on: the model of the documents, by which lists of models judge the reading.
        context: extends the base context.
    """
    allowed = {**odoo.settings.base_context, **(context or {})}.get("allowed_company_ids")
    if allowed:
        return int(allowed[0])
    return int(_read(odoo, "res.users", odoo.uid, "company_id", acts_on)[0])


def usable_companies(odoo: Odoo, company: int, acts_on: str) -> list[int]:
    """Return the companies whose journals and taxes a company can use: itself and those above it.

    From 17 on, a branch shares what its parent companies have. Who is above whom is remembered.
    """
    if odoo.version.major < 17:
        return [company]

    def ask() -> list[int]:
        return list(_read(odoo, "res.company", company, "parent_ids", acts_on))

    above: list[int] = odoo.schema.remember(f"companies above {company}", ask)
    return sorted({company, *above})


def _read(odoo: Odoo, model: str, record_id: int, field: str, acts_on: str) -> Any:
    call = Call(
        model=model,
        method="read",
        ids=(record_id,),
        arguments={"fields": [field]},
        acts_on=acts_on,
        step=True,
    )
    return odoo.call(call)[0][field]
