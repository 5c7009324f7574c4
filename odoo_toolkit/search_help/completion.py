"""What somebody who is typing may mean: models, records, reports; the likeliest first."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.app_models import COMMON_MODELS
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError
from odoo_toolkit.records.names import name_search
from odoo_toolkit.reports.listing import PDF, REPORT

#: Records looked up by name.
_MOST_RECORDS = 20


def models_like(odoo: Odoo, typed: str) -> list[str]:
    """Return the models whose name or label begins with, or holds, what has been typed.

    The likeliest come first, the well-known ones before others; one round trip the first time.

    Args:
        odoo: the connection.
        typed: in any case; nothing fits every model.
    """
    try:
        labels = odoo.schema.models()
    except AccessError:  # Odoo 15 tells ordinary users nothing of its models
        labels = COMMON_MODELS
    typed = typed.casefold()

    def rank(name: str) -> int:
        label = labels[name].casefold()
        fits = (name.startswith(typed), label.startswith(typed), typed in name or typed in label)
        return (2 * fits.index(True) if any(fits) else 6) + (name not in COMMON_MODELS)

    found = [name for name in labels if odoo.policy.model_allowed(name) and rank(name) < 6]
    return sorted(found, key=lambda name: (rank(name), name))


def ids_like(odoo: Odoo, model: str, typed: str) -> list[int]:
    """Return the ids of the records that are called so, and the id itself where it is one.

    Args:
        odoo: the connection.
        model: of the records.
        typed: a part of a name, or an id.

    Raises:
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    ids = []
    if typed.isascii() and typed.isdigit() and len(typed) < 10:
        domain = [["id", "=", int(typed)]]
        ids = odoo.call(Call(model=model, method="search", arguments={"domain": domain}, step=True))
    found = name_search(odoo, model, typed, limit=_MOST_RECORDS)
    return list(dict.fromkeys([*ids, *(record.id for record in found)]))


def reports_like(odoo: Odoo, typed: str, model: str | None = None) -> list[str]:
    """Return the technical names of reports that make PDFs, by name and title; one round trip.

    Args:
        odoo: the connection.
        typed: a part of the technical name or the title.
        model: only reports of its records.
    """
    domain: list[Any] = [["report_type", "=", PDF]]
    if model:
        domain.append(["model", "=", model])
    if typed:
        domain += ["|", ["report_name", "ilike", typed], ["name", "ilike", typed]]
    arguments = {"domain": domain, "fields": ["report_name", "model"], "order": "report_name"}
    # Internal, as in list_reports: what is open is decided by the model that a report prints.
    call = Call(model=REPORT, method="search_read", arguments=arguments, step=True, internal=True)
    rows = odoo.call(call)
    return list(
        dict.fromkeys(r["report_name"] for r in rows if odoo.policy.model_allowed(r["model"]))
    )


readable_signatures(globals())
