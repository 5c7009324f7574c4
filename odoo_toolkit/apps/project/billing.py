"""A function that checks how much of a sold service is invoiced, and what is still to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.project.tasks import LINE, TASK
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import make_error
from odoo_toolkit.records.results import RecordName

ORDER = op.Document(
    model="sale.order",
    noun="sales order",
    argument="order_id",
    numbered=True,
    fields=("name", "state", "partner_id", "currency_id", "invoice_status", "invoice_ids"),
)
SOLD, PROJECT, PRODUCT, INVOICE = (
    "sale.order.line",
    "project.project",
    "product.product",
    "account.move",
)

#: Who sees the timesheets of everybody.
_SEES_ALL = "hr_timesheet.group_hr_timesheet_approver"

#: Most timesheet lines that are looked at.
_MOST = 5000

_SOLD_FIELDS = op.words("""
    name product_id product_uom product_uom_id product_uom_qty qty_delivered qty_delivered_method
    qty_invoiced qty_to_invoice price_reduce_taxexcl is_service is_downpayment is_expense project_id
    task_id
""")

#: How the quantity of a line that is invoiced by delivery gets there.
_BASES = {
    "timesheet": "logged hours",
    "manual": "quantity entered by hand",
    "milestones": "milestones",
    "analytic": "costs",
}


@attrs.frozen(kw_only=True)
class SoldService(op.Shown):
    """A service on a sales order, with its logged hours.

    Attributes:
        id: Id of the order line.
        invoiced_by: Such as ``ordered quantity``, ``logged hours`` or ``quantity entered by hand``.
        logged: Hours of timesheets that belong to this line.
        logged_invoiced: Part of these hours that is on an invoice.
        to_invoice: Quantity that a new invoice would have. Draft invoices are deducted.
        amount_to_invoice: Price of that quantity, without taxes.
    """

    id: int
    product: RecordName | None = None
    name: str | None = None
    invoiced_by: str
    uom: RecordName | None = None
    ordered: float = 0.0
    delivered: float = 0.0
    invoiced: float = 0.0
    to_invoice: float = 0.0
    amount_to_invoice: float
    project: RecordName | None = None
    task: RecordName | None = None
    logged: float = 0.0
    logged_invoiced: float = 0.0


@attrs.frozen(kw_only=True)
class UnbilledHours(op.Shown):
    """Hours on tasks of the order that belong to no order line, so no invoice will include them.

    Attributes:
        reason: The reason, if Odoo states it.
    """

    task: RecordName | None = None
    project: RecordName | None = None
    hours: float
    reason: str


@attrs.frozen(kw_only=True)
class BillingResult(op.Shown):
    """The services of a sales order, and the next steps to invoice their hours.

    Attributes:
        todo: Next steps, in order. Empty if everything is invoiced.
        amount_to_invoice: Amount of the services, without taxes.
        unbilled: Hours that no invoice will include.
        invoices: Invoices of the order.
        warnings: Data that could not be read, and limits of the result.
    """

    order: RecordName
    message: str
    state: str
    partner: RecordName | None = None
    currency: str | None = None
    amount_to_invoice: float
    todo: list[str] = attrs.Factory(list)
    services: list[SoldService] = attrs.Factory(list)
    unbilled: list[UnbilledHours] = attrs.Factory(list)
    invoices: list[RecordName] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


def check_billing(
    odoo: Odoo,
    *,
    order_id: Annotated[int | None, Doc("Id of the order.")] = None,
    order_name: Annotated[str | None, Doc("Number, e.g. S00012.")] = None,
) -> BillingResult:
    """Check what you still have to do to invoice the hours of a sold service.

    >>> check_billing(odoo, order_name="S00012").todo
    ['Invoice 3 Hours of Support with create_invoices of sales: 300 EUR without taxes.']

    It needs the Odoo module ``sale_timesheet``, and writes nothing. To create the invoice, call
    ``create_invoices`` of sales. It takes 6 requests, most of them in parallel.

    Raises:
        NotFoundError: The order does not exist, or the module ``sale_timesheet`` is not installed.
        AccessError: Odoo or the policy does not allow it.
    """
    if not odoo.schema.module_installed("sale_timesheet"):
        raise make_error(
            "UNKNOWN_METHOD",
            "No hours can be invoiced: the Odoo module sale_timesheet is not installed.",
            suggestion="Install the module in Odoo, in Apps.",
            details={"module": "sale_timesheet"},
        )
    order = op.find(odoo, ORDER, order_id, order_name)
    sold_domain = [["order_id", "=", order["id"]], ["display_type", "=", False]]
    lines, projects, invoices, sees_all = op.gather(
        lambda: op.read_rows(
            odoo, SOLD, sold_domain, _SOLD_FIELDS, acts_on=ORDER.model, order="id"
        ),
        lambda: _projects(odoo, order["id"]),
        lambda: _invoices(odoo, order),
        lambda: op.in_group(odoo, _SEES_ALL, acts_on=LINE.model),
    )
    lines = [
        row
        for row in lines
        if row["is_service"] and not row["is_downpayment"] and not row["is_expense"]
    ]
    ids = [row["id"] for row in lines]
    own = {row["id"]: row for row in projects}
    tasks = _tasks(odoo, ids, order["id"], list(own))
    products, logged = op.gather(
        lambda: _products(odoo, lines),
        lambda: _timesheets(odoo, ids, [task["id"] for task in tasks], list(own)),
    )
    warnings: list[str] = []
    if not sees_all:
        warnings.append(
            "This user is not a timesheet approver, so hours of other users may be missing."
        )
    if len(logged) == _MOST:
        warnings.append(f"The toolkit checked only {_MOST} timesheet lines.")
    services = [_service(row, products, logged) for row in lines]
    unbilled = _unbilled(logged, {task["id"]: task for task in tasks}, own)
    currency = op.currency_of(order)
    confirmed = order["state"] in ("sale", "done")
    todo = list(_todo(order, services, unbilled, products, invoices, currency, confirmed=confirmed))
    amount = round(sum(item.amount_to_invoice for item in services), 2)
    return BillingResult(
        order=RecordName(id=order["id"], name=order["name"]),
        message=f"{order['name']}: {todo[0]}"
        if todo
        else f"{order['name']}: nothing to do for {op.counted(len(services), 'service')}.",
        state=order["state"],
        partner=order["partner_id"],
        currency=currency,
        amount_to_invoice=amount,
        todo=todo,
        services=services,
        unbilled=unbilled,
        invoices=[RecordName(id=row["id"], name=row["display_name"]) for row in invoices],
        warnings=warnings,
    )


def _projects(odoo: Odoo, order: int) -> list[op.Row]:
    fields = ("name", "sale_line_id", "allow_billable", "allow_timesheets")
    domain = [["sale_line_id.order_id", "=", order]]
    return op.read_rows(odoo, PROJECT, domain, fields, acts_on=ORDER.model)


def _invoices(odoo: Odoo, order: op.Row) -> list[op.Row]:
    if not order["invoice_ids"]:
        return []
    domain = [["id", "in", order["invoice_ids"]]]
    return op.read_rows(odoo, INVOICE, domain, ("display_name", "state"), acts_on=ORDER.model)


def _tasks(odoo: Odoo, lines: Sequence[int], order: int, projects: Sequence[int]) -> list[op.Row]:
    """Return the tasks of the order: those of its lines, and those in its own projects."""
    domain = ["|", ["sale_line_id.order_id", "=", order], ["project_id", "in", list(projects)]]
    fields = ("name", "project_id", "sale_line_id", "allow_billable", "effective_hours")
    return op.read_rows(odoo, TASK.model, domain, fields, acts_on=ORDER.model, order="id")


def _products(odoo: Odoo, lines: Sequence[op.Row]) -> dict[int, op.Row]:
    ids = sorted({row["product_id"].id for row in lines if row["product_id"]})
    if not ids:
        return {}
    fields = ("invoice_policy", "service_type", "service_tracking")
    rows = op.read_rows(odoo, PRODUCT, [["id", "in", ids]], fields, acts_on=ORDER.model)
    return {row["id"]: row for row in rows}


def _timesheets(
    odoo: Odoo, lines: Sequence[int], tasks: Sequence[int], projects: Sequence[int]
) -> list[op.Row]:
    domain: list[Any] = [
        ["project_id", "!=", False],
        "|",
        ["so_line", "in", list(lines)],
        "|",
        ["task_id", "in", list(tasks)],
        ["project_id", "in", list(projects)],
    ]
    fields = ("unit_amount", "task_id", "project_id", "so_line", "timesheet_invoice_id")
    return op.read_rows(odoo, LINE.model, domain, fields, limit=_MOST, order="id")


def _service(row: op.Row, products: Mapping[int, op.Row], logged: Sequence[op.Row]) -> SoldService:
    own = [item for item in logged if item["so_line"] and item["so_line"].id == row["id"]]
    product = products.get(row["product_id"].id, {}) if row["product_id"] else {}
    by = "ordered quantity"
    if product.get("invoice_policy") == "delivery":
        by = _BASES.get(row["qty_delivered_method"] or "", "delivered quantity")
    return op.filled(
        SoldService,
        row,
        invoiced_by=by,
        uom=row["product_uom_id"] or row["product_uom"],
        ordered=row["product_uom_qty"],
        delivered=row["qty_delivered"],
        invoiced=row["qty_invoiced"],
        to_invoice=row["qty_to_invoice"],
        # Not Odoo's own amount, which also counts quantities on draft invoices.
        amount_to_invoice=round(row["qty_to_invoice"] * (row["price_reduce_taxexcl"] or 0.0), 2),
        logged=_hours(own),
        logged_invoiced=_hours([item for item in own if item["timesheet_invoice_id"]]),
    )


def _hours(rows: Sequence[op.Row]) -> float:
    return round(sum(row["unit_amount"] or 0.0 for row in rows), 2)


def _unbilled(
    logged: Sequence[op.Row], tasks: Mapping[int, op.Row], projects: Mapping[int, op.Row]
) -> list[UnbilledHours]:
    """Return hours of the order's tasks and projects that belong to no order line."""
    groups: dict[tuple[RecordName | None, RecordName | None], list[op.Row]] = defaultdict(list)
    for row in logged:
        if not row["so_line"] and row["unit_amount"]:
            groups[row["task_id"], row["project_id"]].append(row)
    found = []
    for (task, project), rows in groups.items():
        known = tasks.get(task.id, {}) if task else {}
        owner = projects.get(project.id, {}) if project else {}
        if task is None:
            reason = "The timesheet lines do not belong to a task."
        elif known.get("allow_billable") is False or owner.get("allow_billable") is False:
            reason = "The project is not billable (allow_billable)."
        elif known.get("sale_line_id") is None:
            reason = "The task is not linked to an order line (sale_line_id)."
        else:
            reason = "These timesheet lines are excluded from billing (so_line)."
        found.append(UnbilledHours(task=task, project=project, hours=_hours(rows), reason=reason))
    return found


def _todo(
    order: op.Row,
    services: Sequence[SoldService],
    unbilled: Sequence[UnbilledHours],
    products: Mapping[int, op.Row],
    invoices: Sequence[op.Row],
    currency: str | None,
    *,
    confirmed: bool,
) -> Iterator[str]:
    """Yield what is to be done, in order."""
    if order["state"] == "cancel":
        yield "The order is cancelled, so it cannot be invoiced."
        return
    if not services:
        yield "The order contains no services, so it has no hours to invoice."
        return
    if not confirmed:
        yield (
            "Confirm the order with confirm_order of sales. Odoo then creates tasks to log hours "
            "on, and you can invoice the order."
        )
    for item in services:
        product = products.get(item.product.id, {}) if item.product else {}
        yield from _todo_of(item, product, confirmed=confirmed)
    for lost in unbilled:
        where = f"the task {lost.task.name!r} ({lost.task.id})" if lost.task else "no task"
        yield (
            f"{lost.hours:g} hours on {where} are not linked to an order line. {lost.reason} "
            "To bill the hours, correct that first."
        )
    due = [item for item in services if item.to_invoice > 0]
    for item in due if confirmed else ():
        what = item.product.name if item.product else item.name
        unit = f" {item.uom.name}" if item.uom else ""
        money = f"{item.amount_to_invoice:g} {currency or ''}".strip()
        yield (
            f"Invoice {item.to_invoice:g}{unit} of {what} with create_invoices of sales: "
            f"{money} without taxes."
        )
    for row in invoices:
        if row["state"] == "draft":
            yield (
                f"Post the draft invoice {row['display_name']} (id {row['id']}) with post_invoice."
            )


def _todo_of(item: SoldService, product: op.Row, *, confirmed: bool) -> Iterator[str]:
    """Yield what is to be done for one service, before it can be invoiced."""
    what = item.product.name if item.product else item.name
    if item.invoiced_by == "ordered quantity":
        if item.logged:
            yield (
                f"{what} is invoiced by the ordered quantity ({item.ordered:g}), not by the "
                f"{item.logged:g} logged hours. To invoice hours, sell a product with the "
                "invoice policy 'delivery' and the service type 'timesheet'."
            )
    elif item.invoiced_by == "quantity entered by hand":
        if not item.delivered:
            yield f"{what} is delivered by hand. Enter the delivered quantity on the order line."
    elif item.invoiced_by == "logged hours" and confirmed and not item.logged:
        if item.task or item.project:
            where = (
                f"the task {item.task.name!r} ({item.task.id})"
                if item.task
                else f"a task of the project {item.project.name!r}"  # type: ignore[union-attr]
            )
            yield f"Log hours on {where} with log_timesheet. {what} is invoiced by logged hours."
        else:
            tracking = product.get("service_tracking")
            yield (
                f"{what} has no task (service_tracking is {tracking!r}). Link a task to the "
                f"order line {item.id} with sale_line_id, then log hours on the task with "
                "log_timesheet."
            )
