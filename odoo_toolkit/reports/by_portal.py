"""With an API key: the page that customers see of a document, by its secret link.

The last resort: asking for the link makes one that lasts, and of each model one report is had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from odoo_toolkit.call import Call
from odoo_toolkit.connection.http import CONNECT_TIMEOUT, Http
from odoo_toolkit.reports.by_session import document_of, is_pdf
from odoo_toolkit.reports.ways import TIMEOUT, Document, Fetch, Job, Unavailable, require

#: model -> the report that its page offers.
PORTAL_REPORTS = {
    "account.move": "account.report_invoice_with_payments",
    "sale.order": "sale.report_saleorder",
}


@contextmanager
def by_portal(job: Job) -> Iterator[Fetch]:
    """Print by the customers' page."""
    report = job.report
    if PORTAL_REPORTS.get(report.model) != report.report_name:
        raise Unavailable(f"customers are not offered the report {report.report_name}")
    require(job, _asking(job))
    # With cookies, which bind the connection to a database where the server has several.
    http = Http(job.odoo.settings, keep_cookies=True)
    try:
        yield lambda record_id: _fetch(job, http, record_id)
    finally:
        http.close()


def _asking(job: Job, ids: Sequence[int] = ()) -> Call:
    # Without "download": with it, a posted invoice may come as a ZIP of legal documents. It stores
    # a token on the record, unless there is one.
    arguments = {"report_type": "pdf"}
    return job.step(job.report.model, "get_portal_url", ids, arguments=arguments, access="write")


def _fetch(job: Job, http: Http, record_id: int) -> Document:
    path = job.odoo.call(_asking(job, [record_id]))
    told = (
        f"{job.report.model} {record_id} now has a link that opens it without a login (its "
        "access token)."
    )
    job.warnings.append(told)
    if not isinstance(path, str) or not path.startswith("/my/"):
        raise Unavailable(f"Odoo returned no address of the customer portal. {told}")
    timeout = max(job.odoo.settings.timeout, TIMEOUT)
    database = job.odoo.database
    options = {
        "timeout": (CONNECT_TIMEOUT, timeout),
        # How 19 is told the database; older versions want it in the session.
        "headers": {"X-Odoo-Database": database} if database else {},
    }
    answer = http.request("GET", path, **options)
    if answer.status_code == 404 and database:
        http.request("GET", "/web/login", params={"db": database})
        answer = http.request("GET", path, **options)
    if not is_pdf(answer):
        raise Unavailable(
            f"the customer portal returned HTTP {answer.status_code} instead of a PDF. {told}"
        )
    return document_of(answer)
