"""With an API key: Odoo attaches reports to e-mails, and shows them before anything is sent.

An e-mail template that carries the report is rendered for the record. To 16 ``generate_email``
hands out the attachments and writes nothing itself: of the template only its language and its
file's name are evaluated, never its body, which may ask for a link and so make one. From 17 on the
e-mail form (:mod:`odoo_toolkit.reports.by_composer`) makes attachments, which are removed again.
Nothing is sent either way.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from odoo_toolkit.change_history.lost_answers import send
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.reports.by_composer import check_composer, print_by_composer
from odoo_toolkit.reports.listing import look
from odoo_toolkit.reports.ways import Document, Fetch, Job, Unavailable, require, write_refusal

TEMPLATE = "mail.template"

#: The fields of a template of 14 to 16 that Odoo evaluates for the PDF.
_EVALUATED = ("lang", "report_name")
#: What stands before an opening bracket in an expression that changes nothing.
_HARMLESS = frozenset(
    {"and", "else", "if", "in", "lower", "not", "or", "replace", "strip", "upper"}
)
_CALL = re.compile(r"([\w\])'\"]+)\s*\(")


@contextmanager
def by_template(job: Job) -> Iterator[Fetch]:
    """Print by a template of Odoo's that carries this report and no other."""
    field = _report_field(job.odoo)
    single = field == "report_template"
    rows = look(
        job.odoo,
        TEMPLATE,
        "search_read",
        domain=[["model", "=", job.report.model], [field, "=", job.report.id]],
        fields=[field, "attachment_ids", *(_EVALUATED if single else ())],
        order="id",
    )
    # A many2one comes as [id, name].
    found = [row for row in rows if single or len(row[field]) == 1]
    if not found:
        raise Unavailable(f"no e-mail template has the report {job.report.report_name}")
    if single and write_refusal(job):
        found = [row for row in found if _only_computes(row)]
    if not found:
        raise Unavailable(
            "the language or file name of its e-mail template calls methods, which may write"
        )
    row = found[0]
    yield _printer(job, field, row["id"], frozenset(row["attachment_ids"]))


@contextmanager
def by_new_template(job: Job) -> Iterator[Fetch]:
    """Print by a template made for this and removed afterwards; for any report."""
    odoo, report = job.odoo, job.report
    field = _report_field(odoo)
    value: Any = report.id if field == "report_template" else [[6, 0, [report.id]]]
    # No text in it: there is nothing for the server to evaluate.
    values = {"name": f"PDF of {report.name}", "model_id": report.model_id, field: value}
    create = job.step(TEMPLATE, "create", arguments={"vals_list": values})
    require(job, create, job.step(TEMPLATE, "unlink", ()))
    if field == "report_template_ids":
        check_composer(job)
    for right in ("create", "unlink"):
        # On 14 an ordinary user can make templates but not remove them.
        if not odoo.schema.may(TEMPLATE, right):
            raise Unavailable(f"this user cannot {right} e-mail templates")
    (template,) = send(odoo, create, [])
    try:
        yield _printer(job, field, template, frozenset())
    finally:
        told = f"The temporary e-mail template {template} could not be removed"
        job.remove(job.step(TEMPLATE, "unlink", [template]), told)


def _only_computes(template: Mapping[str, Any]) -> bool:
    """Whether what Odoo evaluates of a template for the PDF calls nothing that may write."""
    texts = [template[name] or "" for name in _EVALUATED]
    return all(call in _HARMLESS for text in texts for call in _CALL.findall(text))


def _report_field(odoo: Odoo) -> str:
    """Return the field of a template that names its report: one to 16, several from 17 on."""
    if odoo.policy.model_blocked(TEMPLATE):
        # The template is read for the toolkit's own use, which nobody else asks the policy about.
        raise Unavailable(f"{TEMPLATE} cannot be accessed")
    try:
        fields = odoo.schema.fields(TEMPLATE)
    except OdooError:
        raise Unavailable("this user cannot read e-mail templates") from None
    field = next(
        (name for name in ("report_template", "report_template_ids") if name in fields), ""
    )
    if not field:
        raise Unavailable("e-mail templates carry no reports on this server")
    return field


def _printer(job: Job, field: str, template: int, own: frozenset[int]) -> Fetch:
    """Return what prints by a template; ``own`` are the files that it sends with every e-mail."""
    if field == "report_template":
        return lambda record_id: _generate(job, template, record_id)
    check_composer(job)
    return lambda record_id: print_by_composer(job, template, own, record_id)


def _generate(job: Job, template: int, record_id: int) -> Document:
    """Print by ``generate_email`` (14 to 16).

    It wants to be told a field. The language is evaluated anyway.
    """
    arguments = {"res_ids": record_id, "fields": ["lang"]}
    options: dict[str, Any] = {"arguments": arguments, "context": job.context}
    call = job.step(TEMPLATE, "generate_email", [template], access="read", internal=True, **options)
    answer = job.odoo.call(call)
    attachments = answer.get("attachments") if isinstance(answer, dict) else None
    if not attachments:
        raise Unavailable("the e-mail template gave no PDF")
    name, data = attachments[0]
    # What Odoo calls a file without a name of its own.
    nameless = name.startswith("report.")
    return Document(binascii.a2b_base64(data), "" if nameless else name)
