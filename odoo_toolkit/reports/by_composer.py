"""From Odoo 17 on: the form for writing an e-mail, filled in from a template but never saved.

Asked for what a change of its template changes (``onchange``), the form makes the report's PDF
an attachment that belongs to no record yet. It is read and removed; what should stay behind
nevertheless, Odoo removes itself after a day.
"""

from __future__ import annotations

import binascii
from collections.abc import Mapping, Sequence
from typing import Any

from odoo_toolkit.arguments import read_commands
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import send
from odoo_toolkit.change_history.recording import note_made
from odoo_toolkit.reports.listing import look
from odoo_toolkit.reports.ways import SIGNATURE, TIMEOUT, Document, Job, Unavailable, require

COMPOSER = "mail.compose.message"
ATTACHMENT = "ir.attachment"


def check_composer(job: Job) -> None:
    """Give up if the policy forbids what this takes.

    Raises:
        Unavailable: it does.
    """
    require(job, _opening(job), _creation(job), _removal(job))


def print_by_composer(job: Job, template: int, own: frozenset[int], record_id: int) -> Document:
    """Return the PDF that the form attaches; four round trips.

    Args:
        job: what is printed.
        template: carries the report, and no other.
        own: attachments that are the template's own, not made for this.
        record_id: the record.
    """
    odoo = job.odoo
    form = {
        "composition_mode": "comment",
        "model": job.report.model,
        "res_ids": f"[{record_id}]",
        "template_id": template,
    }
    opened = odoo.call(_opening(job, form))
    value = opened.get("value") if isinstance(opened, dict) else None
    linked = _linked((value or {}).get("attachment_ids")) - own
    if not linked:
        # The form has to be saved; Odoo then keeps it for a while.
        linked = set(_saved(job, form)) - own
    # What is removed afterwards must be nobody else's.
    ours = [["id", "in", sorted(linked)], ["res_model", "=", COMPOSER], ["res_id", "=", 0]]
    temporary = look(odoo, ATTACHMENT, "search", domain=ours, timeout=TIMEOUT) if linked else []
    if not temporary:
        raise Unavailable("the e-mail form attached no PDF")
    note_made(ATTACHMENT, temporary, besides=True)
    try:
        fields = ["name", "datas"]
        rows = look(odoo, ATTACHMENT, "read", temporary, fields=fields, timeout=TIMEOUT)
    finally:
        listed = ", ".join(map(str, temporary))
        job.remove(
            _removal(job, temporary),
            f"Temporary attachments ({listed}) could not be removed; Odoo removes them after a day",
        )
    files = [Document(binascii.a2b_base64(row["datas"] or ""), row["name"]) for row in rows]
    found = [file for file in files if file.content.startswith(SIGNATURE)]
    if len(found) != 1:
        raise Unavailable(f"the e-mail form attached {len(found)} PDFs")
    return found[0]


def _opening(job: Job, form: Mapping[str, Any] | None = None) -> Call:
    arguments = {
        "values": form or {},
        "field_names": ["template_id"],
        "fields_spec": {"attachment_ids": {"fields": {}}},
    }
    # It reads elsewhere; here it makes attachments, and must not be sent twice.
    return job.step(
        COMPOSER, "onchange", (), arguments=arguments, context=job.context, access="write"
    )


def _creation(job: Job, form: Mapping[str, Any] | None = None) -> Call:
    return job.step(COMPOSER, "create", arguments={"vals_list": form or {}}, context=job.context)


def _removal(job: Job, ids: Sequence[int] = ()) -> Call:
    # Internal, so that a list of models does not hide the attachments from their removal.
    return job.step(ATTACHMENT, "unlink", ids, internal=True)


def _linked(value: Any) -> set[int]:
    """Return the ids of the records that a value of a many2many links."""
    commands = read_commands(value, "value", default=True)
    return {one for command in commands for one in command.ids or (command.id,) if one}


def _saved(job: Job, form: Mapping[str, Any]) -> list[int]:
    made = send(job.odoo, _creation(job, form), [])
    job.warnings.append(
        f"Odoo keeps a temporary record ({COMPOSER} {made[0]}) and removes it later."
    )
    rows = look(job.odoo, COMPOSER, "read", made, fields=["attachment_ids"], timeout=TIMEOUT)
    return [id_ for row in rows for id_ in row["attachment_ids"]]
