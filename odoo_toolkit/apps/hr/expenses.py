"""Expenses of one's own, with the receipt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date as Date  # noqa: N812 - an argument is called date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.hr.expense import (
    EXPENSE,
    ExpenseResult,
    expense_result,
    submission,
    total_of,
)
from odoo_toolkit.apps.hr.people import own_employee
from odoo_toolkit.attachments import upload
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.file_content import base64_size
from odoo_toolkit.operations.documents import Row, read_back, read_rows
from odoo_toolkit.operations.lines import checked_day, checked_name, checked_number
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import AnyStep, Done, Plan, Step, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import Wanted, resolve

PRODUCT = "product.product"

CREATE = Step(model=EXPENSE.model, method="create", says="Expense created")

#: The field that takes the amount, by version.
_AMOUNT = {14: "unit_amount", 15: "unit_amount", 16: "total_amount"}
_AMOUNT_SINCE_17 = "total_amount_currency"


@attrs.frozen(kw_only=True)
class _Attach(Step):
    """Attaches the receipt to the new expense."""

    content: str

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the creation of the attachment, without the file's bytes."""
        values = {"name": self.says, "res_model": EXPENSE.model, "res_id": ids[0]}
        return [
            Call(
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


@operation
def create_expense(
    odoo: Odoo,
    *,
    name: str,
    product_id: Annotated[int | None, Doc("The category, such as Meals.")] = None,
    product_name: str | None = None,
    amount: Annotated[float | None, Doc("With taxes, in the company's currency.")] = None,
    quantity: Annotated[float | None, Doc("Instead of amount, if the price is fixed.")] = None,
    date: Annotated[str | Date | None, JsonSchema({"type": "string"})] = None,
    receipt_name: Annotated[str | None, Doc("File name.")] = None,
    receipt_base64: str | None = None,
    submit: Annotated[bool, Doc("For approval.")] = False,
    dry_run: DryRun = False,
) -> ExpenseResult | Plan:
    """Create an expense of the connected user with its receipt attached, and submit it if wanted.

    Args:
        odoo: the connection.
        name: what was paid for.
        product_id: its category: a product that can be expensed.
        product_name: instead of the id.
        amount: what was paid, taxes included, in the company's currency.
        quantity: instead, how many of a category with a fixed price, such as kilometres.
        date: the day; today by default.
        receipt_name: the name of the receipt's file.
        receipt_base64: its bytes.
        submit: whether it is submitted for approval, to Odoo 18 in a report of its own; else it
            stays a draft.
        dry_run: find and check, write nothing.

    Raises:
        AmbiguousNameError: the name matches several categories; nothing was written.
        NotFoundError: there is none, or the module ``hr_expense`` is not installed.
        ValidationError: an argument is wrong, or the user is no employee; nothing was written.
            When the receipt or submitting fails, the result says so in its warnings.
        AccessError: Odoo or the policy does not allow it.
    """
    name = checked_name(name, "Say what was paid for.")
    values: Row = {"name": name}
    if day := checked_day(date, "date"):
        values["date"] = day
    steps: list[AnyStep] = [CREATE, *_receipt(receipt_name, receipt_base64)]
    permit(odoo, *steps, *(submission(odoo, name, None) if submit else []), dry_run=dry_run)
    if (amount is None) is (quantity is None):
        raise ValidationError(
            "amount or quantity is needed, and only one of them.", details={"field": "amount"}
        )
    number = checked_number(
        amount if quantity is None else quantity,
        "amount" if quantity is None else "quantity",
        positive=True,
    )
    wanted = Wanted(
        model=PRODUCT,
        field="product_id",
        id=product_id,
        name=product_name,
        domain=(("can_be_expensed", "=", True),),
    )
    found: list[Any] = [lambda: own_employee(odoo, EXPENSE.model), lambda: resolve(odoo, wanted)]
    employee, product = side_by_side(found)
    values |= {"employee_id": employee.id, "product_id": product}
    category = _category(odoo, product)
    price = category["standard_price"] or 0.0
    values |= _amounts(odoo, category["name"], price, number, by_quantity=quantity is not None)
    steps[0] = CREATE.of(vals_list=values)
    receipt = len(steps) > 1
    if submit:
        steps += submission(odoo, name, employee.id)
    total = number if quantity is None else number * price

    def result(done: Done) -> ExpenseResult:
        expense = int(done.answers[0][0])
        row = read_back(odoo, EXPENSE, expense, done.warnings) or {"id": expense, "name": name}
        paid = total_of(row)
        if paid is not None and abs(paid - total) > 0.01:
            done.warnings.append(f"Odoo made it {paid:g}, not {total:g}.")
        attached = receipt and len(done.answers) > 1
        submitted = submit and done.complete
        then = "It is submitted" if submitted else "It is a draft: submit it with decide_expense"
        message = f"Created the expense {name!r} with ID {expense}. {then}."
        return expense_result(
            row, message, done.warnings, receipt_id=done.answers[1] if attached else None
        )

    does = "create and submit" if submit else "create"
    would = f"Would {does} the expense {name!r} of {total:g}, {category['name']}."
    return operate(odoo, steps, (), result, would=would, dry_run=dry_run)


def _receipt(name: str | None, content: str | None) -> list[AnyStep]:
    if name is None and content is None:
        return []
    if not name or not name.strip() or not content or not base64_size(content):
        raise ValidationError(
            "A receipt needs receipt_name and receipt_base64, and must not be empty.",
            suggestion="Give both, or none.",
            details={"field": "receipt_base64"},
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


def _category(odoo: Odoo, product: int) -> Row:
    domain = [["id", "=", product], ["can_be_expensed", "=", True]]
    fields = ["name", "standard_price"]
    rows = read_rows(odoo, PRODUCT, domain, fields, acts_on=EXPENSE.model, active_test=True)
    if not rows:
        raise ValidationError(
            f"The product {product} is no category of expenses.",
            suggestion="Look for one with search_read on product.product, can_be_expensed = true.",
            details={"field": "product_id", "id": product},
        )
    return rows[0]


def _amounts(
    odoo: Odoo, category: str, price: float, number: float, *, by_quantity: bool
) -> dict[str, float]:
    """Return the values that make the total: from 16 on a fixed price decides it."""
    field = _AMOUNT.get(odoo.version.major, _AMOUNT_SINCE_17)
    if by_quantity:
        if not price:
            raise ValidationError(
                f"{category} has no fixed price.",
                suggestion="Give amount instead of quantity.",
                details={"field": "quantity"},
            )
        return {"quantity": number, **({"unit_amount": price} if field == "unit_amount" else {})}
    if price and field != "unit_amount":
        raise ValidationError(
            f"{category} has a fixed price of {price:g}.",
            suggestion="Give quantity, such as the kilometres, instead of amount.",
            details={"field": "amount"},
        )
    return {"quantity": 1, field: number}
