"""An expense as it is in Odoo, and how it is submitted: to Odoo 18 in a report of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Document, Row, currency_of, filled, shows
from odoo_toolkit.operations.steps import AnyStep, Step
from odoo_toolkit.records.results import RecordName

#: ``total_amount`` is in the expense's currency to 16, in the company's later;
#: to 18 an expense is decided on with its report, ``sheet_id``.
EXPENSE = Document(
    model="hr.expense",
    noun="expense",
    argument="expense_id",
    fields=(
        "name",
        "state",
        "date",
        "employee_id",
        "product_id",
        "quantity",
        "currency_id",
        "total_amount",
        "total_amount_currency",
        "sheet_id",
        "can_approve",
    ),
)
REPORT = Document(
    model="hr.expense.sheet",
    noun="expense report",
    argument="report_id",
    fields=("name", "state", "expense_line_ids", "can_approve"),
)

#: To this version expenses are decided on in reports; later ones have none.
REPORTS_UNTIL = 18


@attrs.frozen(kw_only=True)
class ExpenseResult(Shown):
    """An expense as it is now; None is what is empty, or could not be read back.

    Attributes:
        total_amount: with taxes, in ``currency``.
        state: ``draft``, ``submitted`` (to Odoo 16 ``reported``), ``approved``, ``refused``, ...
        receipt_id: the attachment.
        report: to Odoo 18 the report that it was submitted in.
        warnings: what is not as one might expect.
    """

    id: int
    name: str
    message: str
    state: str | None = None
    date: str | None = None
    employee: RecordName | None = None
    product: RecordName | None = None
    quantity: float | None = None
    total_amount: float | None = None
    currency: str | None = None
    receipt_id: int | None = None
    report: RecordName | None = None
    warnings: list[str] = attrs.Factory(list)


def expense_result(row: Row, message: str, warnings: list[str], **told: Any) -> ExpenseResult:
    """Return a row of :data:`EXPENSE` as a result."""
    return filled(
        ExpenseResult,
        row,
        total_amount=total_of(row),
        currency=currency_of(row) if "currency_id" in row else None,
        report=row.get("sheet_id"),
        message=message,
        warnings=warnings,
        **told,
    )


def total_of(row: Row) -> float | None:
    """Return the total in the expense's currency."""
    shown: float | None = row.get("total_amount_currency")
    return row.get("total_amount") if shown is None else shown


@attrs.frozen(kw_only=True)
class _MakeReport(Step):
    """Makes a report of the one expense that the steps before are about."""

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the creation, with the expense in it."""
        (call,) = super().calls(odoo, ids)
        values = {**self.arguments, "expense_line_ids": [[4, ids[0]]]}
        return [attrs.evolve(call, arguments={"vals_list": values})]


def submission(odoo: Odoo, name: str, employee_id: int | None) -> list[AnyStep]:
    """Return the steps that submit an expense; to 18 the steps that follow act on its report."""
    fails = "The expense is not submitted"
    if odoo.version.major > REPORTS_UNTIL:
        # Approved at once where the employee has no approver.
        seen = shows(EXPENSE, state=("submitted", "approved"))
        return [
            Step(
                model=EXPENSE.model,
                method="action_submit",
                says="Submitted",
                seen=seen,
                fails=fails,
            )
        ]
    make = _MakeReport(model=REPORT.model, method="create", says="Report made", fails=fails)
    return [make.of(name=name, employee_id=employee_id), submit_report()]


def submit_report() -> Step:
    """Return the step that submits a report."""
    return Step(
        model=REPORT.model,
        method="action_submit_sheet",
        says="Submitted",
        seen=shows(REPORT, state=("submit", "approve")),
        fails="The report of the expense is made, and not submitted",
    )
