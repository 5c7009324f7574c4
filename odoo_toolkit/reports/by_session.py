"""With a password: the web client's own route, which prints any report.

The route changes nothing, and the login only what :mod:`odoo_toolkit.reports.web_login` lets it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from typing import TYPE_CHECKING
from urllib.parse import quote

from odoo_toolkit.connection.http import unexpected
from odoo_toolkit.error_patterns import classify, fault_from_jsonrpc
from odoo_toolkit.errors import OdooError
from odoo_toolkit.reports.listing import PDF
from odoo_toolkit.reports.pdf import SIGNATURE, Document
from odoo_toolkit.reports.ways import TIMEOUT, Fetch, Job, Unavailable
from odoo_toolkit.reports.web_login import check_login

if TYPE_CHECKING:
    import requests


@contextmanager
def by_session(job: Job) -> Iterator[Fetch]:
    """Print over the connection's web session."""
    odoo = job.odoo
    if not (odoo.settings.password and odoo.settings.username):
        raise Unavailable("it needs the user's name and password (ODOO_USERNAME, ODOO_PASSWORD)")
    session = odoo.web_session

    def before_login() -> None:
        check_login(odoo)

    try:
        uid = session.log_in(before_login=before_login)
    except OdooError as error:
        if error.category == "connection":
            raise
        raise Unavailable(error.message) from None
    if uid != odoo.uid:
        raise Unavailable("the password belongs to another user than the API key")
    context = {**odoo.settings.base_context, **job.context}

    def fetch(record_id: int) -> Document:
        report = job.report
        params = {
            "data": json.dumps([f"/report/pdf/{quote(report.report_name)}/{record_id}", PDF]),
            "context": json.dumps(context),
            # For the web client's progress; 14 fails without one.
            "token": "x",
        }
        timeout = max(odoo.settings.timeout, TIMEOUT)
        answer = session.get(
            "/report/download", params=params, timeout=timeout, before_login=before_login
        )
        if is_pdf(answer):
            return document_of(answer)
        raise _failure(answer, job, record_id)

    yield fetch


def is_pdf(answer: requests.Response) -> bool:
    """Whether an answer is a PDF: pages that tell of errors come with status 200, too."""
    return (
        answer.status_code == 200
        and answer.headers.get("Content-Type", "").startswith("application/pdf")
        and answer.content.startswith(SIGNATURE)
    )


def document_of(answer: requests.Response) -> Document:
    """Return the PDF of an answer under the name that Odoo gave it."""
    header = Message()
    header["Content-Disposition"] = answer.headers.get("Content-Disposition", "")
    return Document(answer.content, header.get_filename() or "")


def _failure(answer: requests.Response, job: Job, record_id: int) -> Exception:
    """Return the error for an answer that is no PDF.

    What goes wrong while printing comes as a page with the text of a JSON-RPC error.
    """
    try:
        error = json.loads(html.unescape(answer.text))
        fault = fault_from_jsonrpc(error if "data" in error else {})
    except (ValueError, TypeError):
        return unexpected(answer)
    method = job.report.report_name
    return classify(fault, model=job.report.model, method=method, ids=[record_id])
