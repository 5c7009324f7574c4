"""Functions that create, submit, approve and refuse expenses.

On Odoo 18 and earlier, an expense is submitted and approved in a report. Odoo 19 and later have no
reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date as Date  # noqa: N812 - an argument is called date
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.people import check_one_of, denied_as, own_employee
from odoo_toolkit.chatter.attachments import upload
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, StateError, invalid
from odoo_toolkit.file_content import base64_size
from odoo_toolkit.records.results import RecordName

#: ``total_amount`` is in the expense's currency to 16, in the company's later;
#: to 18 an expense is decided on with its report, ``sheet_id``.
EXPENSE = op.Document(
    model="hr.expense",
    noun="expense",
    argument="expense_id",
    fields="""
        name state date employee_id product_id quantity currency_id total_amount
        total_amount_currency sheet_id can_approve
    """,
)
REPORT = op.Document(
    model="hr.expense.sheet",
    noun="expense report",
    argument="report_id",
    fields=("name", "state", "expense_line_ids", "can_approve"),
)

#: To this version expenses are decided on in reports; later ones have none.
REPORTS_UNTIL = 18


@attrs.frozen(kw_only=True)
class ExpenseResult(op.Shown):
    """An expense as it is now. None means empty, or that the value could not be read.

    Attributes:
        total_amount: Amount with taxes, in ``currency``.
        state: Such as ``draft``, ``submitted`` (``reported`` on Odoo 16 and earlier), ``approved``
            or ``refused``.
        receipt_id: Id of the attachment.
        report: Report of the expense, on Odoo 18 and earlier.
        warnings: Differences from your request.
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


def expense_result(row: op.Row, message: str, warnings: list[str], **told: Any) -> ExpenseResult:
    """Return a row of :data:`EXPENSE` as a result."""
    return op.filled(
        ExpenseResult,
        row,
        total_amount=total_of(row),
        currency=op.currency_of(row) if "currency_id" in row else None,
        report=row.get("sheet_id"),
        message=message,
        warnings=warnings,
        **told,
    )


def total_of(row: op.Row) -> float | None:
    """Return the total in the expense's currency."""
    shown: float | None = row.get("total_amount_currency")
    return row.get("total_amount") if shown is None else shown


@attrs.frozen(kw_only=True)
class MakeReport(op.Step):
    """Makes a report of the expenses that the steps before are about."""

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the creation, with the expenses in it."""
        (call,) = super().calls(odoo, ids)
        values = {**self.arguments, "expense_line_ids": [[4, number] for number in ids]}
        return [attrs.evolve(call, arguments={"vals_list": values})]


def submission(odoo: Odoo, name: str, employee_id: int | None) -> list[op.AnyStep]:
    """Return the steps that submit an expense; to 18 the steps that follow act on its report."""
    fails = "The expense is not submitted"
    if odoo.version.major > REPORTS_UNTIL:
        # Approved at once where the employee has no approver.
        seen = op.shows(EXPENSE, state=("submitted", "approved"))
        return [
            op.Step(
                model=EXPENSE.model,
                method="action_submit",
                says="Submitted",
                seen=seen,
                fails=fails,
            )
        ]
    make = MakeReport(model=REPORT.model, method="create", says="Report made", fails=fails)
    return [make.of(name=name, employee_id=employee_id), submit_report()]


def submit_report() -> op.Step:
    """Return the step that submits a report."""
    return op.Step(
        model=REPORT.model,
        method="action_submit_sheet",
        says="Submitted",
        seen=op.shows(REPORT, state=("submit", "approve")),
        fails="The expense report is created, but not submitted",
    )


PRODUCT = "product.product"

CREATE = op.Step(model=EXPENSE.model, method="create", says="Expense created")

#: The field that takes the amount, by version.
_AMOUNT = {14: "unit_amount", 15: "unit_amount", 16: "total_amount"}
_AMOUNT_SINCE_17 = "total_amount_currency"


@attrs.frozen(kw_only=True)
class _Attach(op.Step):
    """Attaches the receipt to the new expense."""

    content: str

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the creation of the attachment, without the file's bytes."""
        values = {"name": self.says, "res_model": EXPENSE.model, "res_id": ids[0]}
        return [
            op.Call(
                model=self.model,
                method="create",
                arguments={"vals_list": values},
                acts_on=EXPENSE.model,
                step=True,
            )
        ]

    @property
    def makes(self) -> bool:
        """No: the record that the operation is about is the expense."""
        return False

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Attach it, and return the attachment's id."""
        made = upload(odoo, EXPENSE.model, ids[0], self.says, self.content)
        warnings.extend(made.warnings)
        return made.id


@op.operation
def create_expense(
    odoo: Odoo,
    *,
    name: Annotated[str, Doc("Purpose of the expense.")],
    product_id: Annotated[int | None, Doc("The category, such as Meals.")] = None,
    product_name: Annotated[str | None, Doc("Name or internal reference.")] = None,
    amount: Annotated[float | None, Doc("Including taxes, in the company's currency.")] = None,
    quantity: Annotated[float | None, Doc("Instead of amount, if the price is fixed.")] = None,
    date: Annotated[
        str | Date | None, op.JsonSchema({"type": "string"}), Doc("YYYY-MM-DD. Default: today.")
    ] = None,
    receipt_name: Annotated[str | None, Doc("File name.")] = None,
    receipt_base64: Annotated[str | None, Doc("Receipt file, as base64.")] = None,
    submit: Annotated[bool, Doc("Also submit it for approval.")] = False,
    dry_run: op.DryRun = False,
) -> ExpenseResult | op.Plan:
    """Create an expense of the connected user with its receipt, and submit it if you ask for it.

    >>> expense = create_expense(odoo, name="Lunch", product_name="Meals", amount=38.4)
    >>> expense.name, expense.state
    ('Lunch', 'draft')

    Set ``amount``, or ``quantity`` for a category with a fixed price, such as kilometres. On Odoo
    18 and earlier the expense is submitted in its own report. If the receipt or the submission
    fails, ``warnings`` says so.

    Raises:
        AmbiguousNameError: The name matches several categories. Nothing was written.
        NotFoundError: The category does not exist, or the module ``hr_expense`` is not installed.
        ValidationError: An argument is wrong, or the user is not an employee. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = op.checked_name(name, "Set name to what was paid for.")
    values: op.Row = {"name": name}
    if day := op.checked_day(date, "date"):
        values["date"] = day
    steps: list[op.AnyStep] = [CREATE, *_receipt(receipt_name, receipt_base64)]
    op.permit(odoo, *steps, *(submission(odoo, name, None) if submit else []), dry_run=dry_run)
    if (amount is None) is (quantity is None):
        raise invalid("amount", "Set either amount or quantity.")
    number = op.checked_number(
        amount if quantity is None else quantity,
        "amount" if quantity is None else "quantity",
        positive=True,
    )
    wanted = op.Wanted(
        model=PRODUCT,
        field="product_id",
        id=product_id,
        name=product_name,
        domain=(("can_be_expensed", "=", True),),
    )
    employee, product = op.gather(
        lambda: own_employee(odoo, EXPENSE.model), lambda: op.resolve(odoo, wanted)
    )
    values |= {"employee_id": employee.id, "product_id": product}
    category = _category(odoo, product)
    price = category["standard_price"] or 0.0
    values |= _amounts(odoo, category["name"], price, number, by_quantity=quantity is not None)
    steps[0] = CREATE.of(vals_list=values)
    receipt = len(steps) > 1
    if submit:
        steps += submission(odoo, name, employee.id)
    total = number if quantity is None else number * price

    def result(done: op.Done) -> ExpenseResult:
        expense = int(done.answers[0][0])
        row = op.read_back(odoo, EXPENSE, expense, done.warnings) or {"id": expense, "name": name}
        paid = total_of(row)
        if paid is not None and abs(paid - total) > 0.01:
            done.warnings.append(f"Odoo calculated {paid:g} instead of {total:g}.")
        attached = receipt and len(done.answers) > 1
        submitted = submit and done.complete
        then = "It is submitted" if submitted else "It is a draft. Submit it with decide_expense"
        message = f"Created the expense {name!r} with ID {expense}. {then}."
        return expense_result(
            row, message, done.warnings, receipt_id=done.answers[1] if attached else None
        )

    does = "create and submit" if submit else "create"
    would = f"Would {does} the expense {name!r} of {total:g}, {category['name']}."
    return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run)


def _receipt(name: str | None, content: str | None) -> list[op.AnyStep]:
    if name is None and content is None:
        return []
    if not name or not name.strip() or not content or not base64_size(content):
        raise invalid(
            "receipt_base64",
            "A receipt needs both receipt_name and receipt_base64, and must not be empty.",
            "Pass both, or neither.",
        )
    return [
        _Attach(
            model="ir.attachment",
            method="create",
            says=name.strip(),
            content=content,
            fails="The receipt is not attached",
        )
    ]


def _category(odoo: Odoo, product: int) -> op.Row:
    domain = [["id", "=", product], ["can_be_expensed", "=", True]]
    fields = ["name", "standard_price"]
    rows = op.read_rows(odoo, PRODUCT, domain, fields, acts_on=EXPENSE.model, active_test=True)
    if not rows:
        raise invalid(
            "product_id",
            f"The product {product} is not an expense category.",
            "Find one with search_read on product.product, can_be_expensed = true.",
            id=product,
        )
    return rows[0]


def _amounts(
    odoo: Odoo, category: str, price: float, number: float, *, by_quantity: bool
) -> dict[str, float]:
    """Return the values that make the total: from 16 on a fixed price decides it."""
    field = _AMOUNT.get(odoo.version.major, _AMOUNT_SINCE_17)
    if by_quantity:
        if not price:
            raise invalid(
                "quantity",
                f"{category} has no fixed price, so quantity cannot be used.",
                "Set amount, not quantity.",
            )
        return {"quantity": number, **({"unit_amount": price} if field == "unit_amount" else {})}
    if price and field != "unit_amount":
        raise invalid(
            "amount",
            f"{category} has a fixed price of {price:g}, so amount cannot be used.",
            "Set quantity, such as the kilometres, not amount.",
        )
    return {"quantity": 1, field: number}


Decision = Literal["submit", "approve", "refuse"]

_WIZARD = "hr.expense.refuse.wizard"
#: To this version refusing is a method with the reason; later a wizard asks for it.
_REFUSES_BY_METHOD_UNTIL = 16

#: From which states a decision leads on: of the report to 18, of the expense later.
_OPEN: dict[Decision, tuple[str, ...]] = {
    "submit": ("draft",),
    "approve": ("submit", "submitted"),
    "refuse": ("submit", "approve", "submitted", "approved"),
}
_PAST = {"submit": "submitted", "approve": "approved", "refuse": "refused"}


@op.operation
def decide_expense(
    odoo: Odoo,
    *,
    decision: Annotated[Decision, Doc("submit, approve or refuse.")],
    expense_id: Annotated[int | None, Doc("Id of the expense.")] = None,
    expense_name: Annotated[str | None, Doc("Its description, instead of the id.")] = None,
    reason: Annotated[str | None, Doc("Reason for refusing it.")] = None,
    dry_run: op.DryRun = False,
) -> ExpenseResult | op.Plan:
    """Submit an expense for approval, or approve or refuse it.

    >>> decide_expense(odoo, decision="submit", expense_id=20).state
    'submitted'

    To refuse, pass a reason, which the employee can read. On Odoo 18 and earlier, submitting
    creates a report for this expense alone. An expense that shares its report with others can't be
    decided here. Use Odoo for it.

    Raises:
        AmbiguousNameError: Several expenses have the name.
        NotFoundError: The expense does not exist, or this user can't see it.
        StateError: The state of the expense does not allow it, or it shares its report with others.
        ValidationError: An argument is wrong, for example because a refusal has no reason.
        WizardRequiredError: Odoo asks for a confirmation, because a similar expense was already
            approved.
        AccessError: Odoo or the policy does not allow it, or this user can't decide on the expense.
    """
    check_one_of(decision, _OPEN, "decision")
    why = reason.strip() if isinstance(reason, str) else ""
    if (decision == "refuse") is not bool(why):
        raise invalid(
            "reason",
            "decision='refuse' requires a reason. Other decisions do not accept one.",
            "Set reason to the reason for refusing." if decision == "refuse" else "Omit reason.",
        )
    reported = odoo.version.major <= REPORTS_UNTIL
    about = REPORT if reported else EXPENSE
    op.permit(odoo, *_steps(odoo, about, decision, why, None), dry_run=dry_run)
    row = op.find(odoo, EXPENSE, expense_id, expense_name)
    report = op.read(odoo, REPORT, row["sheet_id"].id) if row["sheet_id"] else None
    what = op.label(row)
    _check(row, report, what, decision, reported=reported)
    steps = _steps(odoo, about, decision, why, row if report is None else None)

    def result(done: op.Done) -> ExpenseResult:
        now = op.read_back(odoo, EXPENSE, row["id"], done.warnings)
        did = f"{_PAST[decision].capitalize()} the expense" if done.complete else "Did not submit"
        shown = now or {"id": row["id"], "name": row["name"]}
        return expense_result(shown, f"{did} {what}.", done.warnings)

    would = f"Would {decision} the expense {what}."
    ids = [report["id"] if report else row["id"]]
    # From 17 on Odoo only says which of its records the user cannot create or write.
    with denied_as(_denied(row, what, decision)):
        return op.operate(odoo, steps, ids, result, message=would, dry_run=dry_run)


def _steps(
    odoo: Odoo, about: op.Document, decision: Decision, reason: str, alone: op.Row | None
) -> list[op.AnyStep]:
    """Return the steps of a decision.

    Args:
        odoo: the connection.
        about: whether the expense is decided on, or its report.
        decision: which one.
        reason: why it is refused.
        alone: the expense that is in no report yet.
    """
    major = odoo.version.major
    if decision == "submit":
        if about is REPORT and alone is None:
            return [submit_report()]
        who = alone["employee_id"] if alone else None
        return submission(odoo, alone["name"] if alone else "", who.id if who else None)
    if decision == "approve":
        old = "approve_expense_sheets" if major <= 16 else "action_approve_expense_sheets"
        method = old if about is REPORT else "action_approve"
        # To 18 an approved report may have gone on, such as to be posted.
        seen = op.shows(about, state=("approve", "approved", "post", "done"))
        return [op.Step(model=about.model, method=method, says="Approved", seen=seen)]
    seen = op.shows(about, state=("cancel", "refused"))
    if major <= _REFUSES_BY_METHOD_UNTIL:
        refuse = op.Step(model=about.model, method="refuse_sheet", says="Refused", seen=seen)
        return [refuse.of(reason=reason)]
    wizard = op.WizardStep(model=about.model, wizard=_WIZARD, says="Refused", seen=seen)
    return [wizard.of(reason=reason)]


def _check(
    row: op.Row, report: op.Row | None, what: str, decision: Decision, *, reported: bool
) -> None:
    """Refuse what the state, the report or the user's rights do not allow."""
    judged = report or row
    state = judged["state"]
    if state not in _OPEN[decision] or (reported and report is None and decision != "submit"):
        raise op.state_error(
            EXPENSE,
            row,
            f"{what} cannot be {_PAST[decision]}: its state is {row['state']}.",
            "Submit a draft first."
            if row["state"] == "draft"
            else "Check the expense with search_read on hr.expense.",
        )
    if report and (others := [n for n in report["expense_line_ids"] or () if n != row["id"]]):
        raise _shared(row, report, what, others)
    if decision != "submit" and judged["can_approve"] is False:
        raise _denied(row, what, decision)


def _denied(row: op.Row, what: str, decision: Decision) -> AccessError:
    return AccessError(
        f"This user is not allowed to {decision} {what}.",
        suggestion="Ask the employee to submit it."
        if decision == "submit"
        else "The expense approver or an expense officer can, but not for their own expenses.",
        details={"model": EXPENSE.model, "id": row["id"]},
    )


def _shared(row: op.Row, report: op.Row, what: str, others: list[Any]) -> StateError:
    return op.state_error(
        EXPENSE,
        row,
        f"{what} is in the report {report['name']!r} together with {len(others)} more"
        f" ({', '.join(map(str, others[:10]))}), which Odoo decides on as a whole.",
        "Decide on the report in Odoo, or first remove the expense from the report.",
    )
