"""From Odoo 17 on: the form for writing an e-mail, filled in from a template but never saved.

Asked for what a change of its template changes (``onchange``), the form makes the report's PDF
an attachment that belongs to no record yet. It is read and removed; what should stay behind
nevertheless, Odoo removes itself after a day.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.errors import OdooError
from odoo_toolkit.reports.pdf import SIGNATURE, Document
from odoo_toolkit.reports.ways import TIMEOUT, Job, Unavailable, require

COMPOSER = "mail.compose.message"
ATTACHMENT = "ir.attachment"


def check_composer(job: Job) -> None:
    """Give up if the policy forbids what this takes.

    Raises:
        Unavailable: it does.
    """
    require(job, _opening(job, 1, 1), _creation(job, 1, 1), _removal(job, [1]))


def print_by_composer(job: Job, template: int, own: frozenset[int], record_id: int) -> Document:
    """Return the PDF that the form attaches; four round trips.

    Args:
        job: what is printed.
        template: carries the report, and no other.
        own: attachments that are the template's own, not made for this.
        record_id: the record.
    """
    opened = job.odoo.call(_opening(job, template, record_id))
    value = opened.get("value") if isinstance(opened, dict) else None
    linked = _linked((value or {}).get("attachment_ids") or ()) - own
    if not linked:
        # The form has to be saved; Odoo then keeps it for a while.
        linked = set(_saved(job, template, record_id)) - own
    # What is removed afterwards must be nobody else's.
    ours = [["id", "in", sorted(linked)], ["res_model", "=", COMPOSER], ["res_id", "=", 0]]
    temporary = job.odoo.call(_reading(ATTACHMENT, "search", domain=ours)) if linked else []
    if not temporary:
        raise Unavailable("the e-mail form attached no PDF")
    try:
        rows = job.odoo.call(_reading(ATTACHMENT, "read", temporary, fields=["name", "datas"]))
    finally:
        _remove(job, temporary)
    files = [Document(binascii.a2b_base64(row["datas"] or ""), row["name"]) for row in rows]
    found = [file for file in files if file.content.startswith(SIGNATURE)]
    if len(found) != 1:
        raise Unavailable(f"the e-mail form attached {len(found)} PDFs")
    return found[0]


def _values(job: Job, template: int, record_id: int) -> dict[str, Any]:
    return {
        "composition_mode": "comment",
        "model": job.report.model,
        "res_ids": f"[{record_id}]",
        "template_id": template,
    }


def _opening(job: Job, template: int, record_id: int) -> Call:
    return Call(
        model=COMPOSER,
        method="onchange",
        ids=(),
        arguments={
            "values": _values(job, template, record_id),
            "field_names": ["template_id"],
            "fields_spec": {"attachment_ids": {"fields": {}}},
        },
        context=job.context,
        # It reads elsewhere; here it makes attachments, and must not be sent twice.
        access="write",
        acts_on=job.report.model,
        step=True,
        timeout=TIMEOUT,
    )


def _creation(job: Job, template: int, record_id: int) -> Call:
    return Call(
        model=COMPOSER,
        method="create",
        arguments={"vals_list": _values(job, template, record_id)},
        context=job.context,
        acts_on=job.report.model,
        step=True,
        timeout=TIMEOUT,
    )


def _reading(model: str, method: str, ids: list[int] | None = None, **arguments: Any) -> Call:
    return Call(
        model=model,
        method=method,
        ids=ids,
        arguments=arguments,
        step=True,
        internal=True,
        timeout=TIMEOUT,
    )


def _removal(job: Job, ids: list[int]) -> Call:
    # Internal, so that a list of models does not hide the attachments from their removal.
    return Call(
        model=ATTACHMENT,
        method="unlink",
        ids=ids,
        acts_on=job.report.model,
        step=True,
        internal=True,
    )


def _linked(commands: Iterable[Any]) -> set[int]:
    """Return the ids that x2many commands link: ``[4, id, ...]`` and ``[6, 0, ids]``."""
    ids: set[int] = set()
    for command in commands:
        if command[0] == 4:
            ids.add(command[1])
        elif command[0] == 6:
            ids |= set(command[2])
    return ids


def _saved(job: Job, template: int, record_id: int) -> list[int]:
    made = job.odoo.call(_creation(job, template, record_id))
    composer = made[0] if isinstance(made, list) else made
    job.warnings.append(
        f"Odoo keeps a temporary record ({COMPOSER} {composer}), which it removes itself later."
    )
    rows = job.odoo.call(_reading(COMPOSER, "read", [composer], fields=["attachment_ids"]))
    return [id_ for row in rows for id_ in row["attachment_ids"]]


def _remove(job: Job, ids: list[int]) -> None:
    try:
        job.odoo.call(_removal(job, ids))
    except OdooError as error:
        job.warnings.append(
            f"Temporary attachments ({', '.join(map(str, ids))}) could not be removed; Odoo"
            f" removes them after a day: {error.message}"
        )
