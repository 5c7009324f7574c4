"""With a password: the web client's own route, which prints any report.

The route changes nothing, but the web login before it might: at every web login of a user with
Settings rights, Odoo (14 to 19) writes the address that the login came by to the system parameter
``web.base.url``, from which it makes the links in its e-mails and documents, unless
``web.base.url.freeze`` is set. A toolkit that reaches Odoo by an inner address would so break every
link. Other users change nothing; they cannot read the parameters either.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.http import unexpected
from odoo_toolkit.error_patterns import classify, fault_from_jsonrpc
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.reports.listing import PDF, look
from odoo_toolkit.reports.ways import SIGNATURE, TIMEOUT, Document, Fetch, Job, Unavailable

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


PARAMETER = "ir.config_parameter"
ADDRESS = "web.base.url"
FROZEN = "web.base.url.freeze"

_DEFAULT_PORTS = {"http": 80, "https": 443}


def check_login(odoo: Odoo) -> None:
    """Give up before a web login that would change the address in Odoo's links.

    Raises:
        Unavailable: it would, or it cannot be known.
    """
    _check_same_user(odoo)
    named = [["key", "in", [ADDRESS, FROZEN]]]
    try:
        rows = look(odoo, PARAMETER, "search_read", domain=named, fields=["key", "value"])
    except AccessError as error:
        # Odoo's own answer, not the policy's or a proxy's: only Settings rights read parameters.
        if (error.code, error.outcome) == ("ACCESS_DENIED", "rolled_back"):
            return
        raise Unavailable(error.message) from None
    known = {row["key"]: row["value"] for row in rows}
    ours = login_address(odoo.settings.url)
    now = known.get(ADDRESS) or "none"
    if known.get(FROZEN) or now == ours:
        return
    raise Unavailable(
        f"Odoo would change the address in its links ({ADDRESS}, now {now}) to {ours}, as after "
        f"each login of a user with Settings permissions. Set the system parameter {FROZEN} to "
        "True in Odoo, connect by the address in Odoo, or connect as a user without Settings "
        "permissions"
    )


def login_address(url: str) -> str:
    """Return what Odoo takes for its address when a login comes by a URL."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    address = f"{parts.scheme}://[{host}]" if ":" in host else f"{parts.scheme}://{host}"
    if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)):
        return address
    return f"{address}:{parts.port}"


def _check_same_user(odoo: Odoo) -> None:
    # Elsewhere the user name goes with every login; here the key alone says who we are, and what
    # its user may read tells nothing of the password's user.
    if odoo.protocol != "json2":
        return
    (user,) = look(odoo, "res.users", "read", [odoo.uid], fields=["login"])
    if user["login"] != odoo.settings.username:
        raise Unavailable("the password belongs to another user than the API key")
