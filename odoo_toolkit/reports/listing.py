"""A function that lists the reports of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.annotations import Model
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.fields import similar_names

REPORT = "ir.actions.report"
PDF = "qweb-pdf"


@attrs.frozen(kw_only=True)
class Report:
    """A report that makes PDFs.

    Attributes:
        id: of the action in Odoo.
        name: for people, in the user's language.
        report_name: technical name, such as ``sale.report_saleorder``.
        model: whose records it prints.
        model_id: of that model in ``ir.model``, which ordinary users cannot look up themselves.
        attachment: the expression for the name under which Odoo attaches the PDF to the record;
            "" where it keeps none.
    """

    id: int
    name: str
    report_name: str
    model: str
    model_id: int
    attachment: str


@attrs.frozen(kw_only=True)
class ReportSummary(Shown):
    """A report; only those of type qweb-pdf can be had as a PDF."""

    name: str
    report_name: str
    report_type: str


@attrs.frozen(kw_only=True)
class ReportsResult(Shown):
    """The reports of a model."""

    model: str
    reports: list[ReportSummary]
    count: int


def list_reports(odoo: Odoo, model: Model) -> ReportsResult:
    """Return the reports of a model.

    >>> list_reports(odoo, "sale.order").reports[0].report_name
    'sale.report_saleorder_pro_forma'

    It takes 1 request.

    Raises:
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    check_readable(odoo, model)
    rows = _search(odoo, [["model", "=", model]], ["name", "report_name", "report_type"])
    if not rows:
        # No report, or no such model: this tells them apart.
        odoo.schema.fields(model)
    reports = [
        ReportSummary(name=row["name"], report_name=row["report_name"], report_type=row[_TYPE])
        for row in rows
    ]
    return ReportsResult(model=model, reports=reports, count=len(reports))


def check_readable(odoo: Odoo, model: str) -> None:
    """Refuse the reports of a model that the policy closes.

    Raises:
        AccessError: MODEL_BLOCKED.
    """
    refusal = odoo.policy.model_problem(model, "read")
    if refusal is not None:
        raise refusal


def find_report(odoo: Odoo, report_name: str) -> Report:
    """Return the report of that technical name; one round trip.

    Raises:
        NotFoundError: there is none; ``did_you_mean`` has similar ones.
        ValidationError: it makes something else than PDFs.
        AccessError: the policy closes its model.
    """
    # Whoever has a report's label in hand, or its file's name, is told the technical name.
    rows = _search(odoo, [["report_name", "=", report_name]], _FIELDS)
    if not rows:
        raise _no_such_report(odoo, report_name)
    # The same template may serve a report of another type; Odoo's own choice is the first.
    row = next((row for row in rows if row[_TYPE] == PDF), rows[0])
    check_readable(odoo, row["model"])
    if row[_TYPE] != PDF:
        raise ValidationError(
            f"The report {report_name} of {row['model']} is of type {row[_TYPE]}: it makes no PDF.",
            suggestion="Choose a report of type qweb-pdf. list_reports shows the types.",
            details={"report_name": report_name, "report_type": row[_TYPE], "model": row["model"]},
        )
    return Report(
        id=row["id"],
        name=row["name"],
        report_name=report_name,
        model=row["model"],
        model_id=row["model_id"][0] if row["model_id"] else 0,
        attachment=row["attachment"] or "",
    )


_TYPE = "report_type"
_FIELDS = ["name", "report_name", _TYPE, "model", "model_id", "attachment"]


def _search(odoo: Odoo, domain: list[Any], fields: list[str]) -> list[dict[str, Any]]:
    # Reports may be read by every user. Internal, because whether they may be asked for here is
    # decided by the model that they print, not by a list's having ir.actions.report.
    rows: list[dict[str, Any]] = look(
        odoo, REPORT, "search_read", domain=domain, fields=fields, order="name, id"
    )
    return rows


def _no_such_report(odoo: Odoo, report_name: str) -> NotFoundError:
    rows = _search(odoo, [], ["name", "report_name", "model"])
    shown = [row for row in rows if odoo.policy.model_allowed(row["model"])]
    by_name: Mapping[str, str] = {
        **{row["name"].lower(): row["report_name"] for row in shown},
        **{row["report_name"].lower(): row["report_name"] for row in shown},
    }
    near = list(dict.fromkeys(by_name[name] for name in similar_names(report_name, by_name)))
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return NotFoundError(
        f"There is no report {report_name[:80]!r}.{hint}",
        suggestion="Pass a report_name. list_reports shows the reports of a model.",
        details={"report_name": report_name[:80], "did_you_mean": near},
    )


def look(
    odoo: Odoo,
    model: str,
    method: str,
    ids: Sequence[int] | None = None,
    *,
    timeout: float | None = None,
    **arguments: Any,
) -> Any:
    """Return what the toolkit reads for itself, whatever lists of models say.

    Args:
        odoo: the connection.
        model: that is read.
        method: by which it is read.
        ids: the records, where the method takes them.
        timeout: seconds to wait at least.
        arguments: of the method.
    """
    return odoo.call(
        Call(
            model=model,
            method=method,
            ids=ids,
            arguments=arguments,
            step=True,
            internal=True,
            timeout=timeout,
        )
    )
