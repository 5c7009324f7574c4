"""Changing a quotation: its lines by the products' names, and what stands above and below them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.sales.creation import (
    ClientOrderRef,
    CommitmentDate,
    Note,
    head_values,
    order_result,
    wanted_terms,
)
from odoo_toolkit.apps.sales.lines import (
    Add,
    Change,
    LineChanges,
    Remove,
    checked_changes,
    line_rows,
    resolved_changes,
)
from odoo_toolkit.apps.sales.orders import ORDER, Order, OrderId, OrderName
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.operations.documents import Row, find, is_locked, state_error
from odoo_toolkit.operations.steps import (
    Done,
    Step,
    operate,
    permit,
)
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.names import resolve_all

CHANGE = Step(model=ORDER.model, method="write", says="Quotation changed")


@operation
def update_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    add: Add = None,
    change: Change = None,
    remove: Remove = None,
    commitment_date: CommitmentDate = None,
    client_order_ref: ClientOrderRef = None,
    payment_term_id: int | None = None,
    payment_term_name: str | None = None,
    note: Note = None,
    dry_run: DryRun = False,
) -> Order | Plan:
    """Change a quotation, all of it in one write; what is not given stays as it is.

    >>> order = update_order(
    ...     odoo, order_name="S00012", change=[{"product_name": "Desk", "quantity": 3}]
    ... )
    >>> [line.quantity for line in order.lines or () if line.name == "Desk"]
    [3]

    Args:
        odoo: the connection.
        order_id: the order; or
        order_name: its number.
        add: lines that it gets besides those it has, each as in :func:`create_order`.
        change: each with ``line_id``, ``product_id`` or ``product_name`` for a line that it has,
            and what is new of ``quantity``, ``price_unit``, ``discount`` and ``name``.
        remove: the names of products, or ids of lines, that it loses.
        commitment_date: when delivery is promised.
        client_order_ref: the customer's own reference.
        payment_term_id: the payment term; or
        payment_term_name: its name.
        note: shown below the lines.
        dry_run: find and check, write nothing.

    Raises:
        StateError: it is no quotation any more; nothing was written.
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such order, or it has no such product; nothing was written.
        ValidationError: there is nothing to change, or a line or value is wrong; nothing was
            written.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, CHANGE, dry_run=dry_run)
    asked = checked_changes(add, change, remove)
    head = head_values(
        odoo, note, commitment_date=commitment_date, client_order_ref=client_order_ref
    )
    terms = wanted_terms(payment_term_id, payment_term_name)
    if not any(asked) and not head and not terms:
        raise ValidationError(
            "There is nothing to change.", suggestion="Give add, change, remove or a value."
        )
    row = find(odoo, ORDER, order_id, order_name)
    _check_quotation(row)
    lines, changes = [], LineChanges()
    if any(asked):
        lines = line_rows(odoo, row["id"])
        changes, ids = resolved_changes(odoo, row, lines, asked, terms)
    else:
        ids = resolve_all(odoo, terms)
    if ids:
        head["payment_term_id"] = ids[0]
    commands = [[1, line, values] for line, values in changes.changed.items()]
    commands += [[2, line, 0] for line in changes.removed]
    commands += changes.added
    step = CHANGE.of(vals={**head, **({"order_line": commands} if commands else {})})
    if commands:
        # Added lines would come twice: repeating is not safe.
        step = attrs.evolve(step, seen=_seen(lines, changes), safe=False)

    def result(done: Done) -> Order:
        told = order_result(odoo, done, "changed")
        now = {line.id: line.price_unit for line in told.lines or ()}
        done.warnings.extend(_moved_prices(lines, changes, now))
        return told

    what = changes.told()
    would = f"Would change {row['name']}" + (f" (lines: {what})." if what else ".")
    return operate(odoo, [step], [row["id"]], result, would=would, dry_run=dry_run)


def _check_quotation(row: Row) -> None:
    if row["state"] in ("draft", "sent") and not is_locked(row):
        return
    todo = "Copy it with copy_order, or change its lines by write on sale.order.line."
    if row["state"] == "cancel":
        todo = "Make it a quotation again: execute action_draft on sale.order, then change it."
    elif is_locked(row):
        todo = "Copy it with copy_order, or unlock it: execute action_unlock on sale.order."
    message = f"{row['name']} is not a quotation (state {row['state']}), so it was not changed."
    raise state_error(ORDER, row, message, todo)


def _seen(before: Sequence[Row], changes: LineChanges) -> Any:
    """Return what sees that the lines are as they were to be."""
    known = {line["id"] for line in before}

    def seen(odoo: Odoo, order_id: int) -> bool | None:
        now = {line["id"]: line for line in line_rows(odoo, order_id)}
        if any(line in now for line in changes.removed):
            return None
        if len(now.keys() - known) != len(changes.added):
            return None
        same = all(
            line in now and _shows(now[line], values) for line, values in changes.changed.items()
        )
        return True if same else None

    return seen


def _shows(line: Row, values: Mapping[str, Any]) -> bool:
    for field, value in values.items():
        shown = line[field]
        if isinstance(value, str):
            if value.strip() != str(shown or "").strip():
                return False
        elif not math.isclose(value, shown or 0.0, rel_tol=1e-4, abs_tol=0.005):
            return False
    return True


def _moved_prices(
    before: Sequence[Row], changes: LineChanges, now: Mapping[int, float]
) -> list[str]:
    """Say which prices Odoo has computed anew, because the quantity is another one."""
    return [
        f"The price of {line['product_id'].name} is {now[line['id']]:g} now, it was"
        f" {line['price_unit']:g}: Odoo has computed it anew."
        for line in before
        if line["id"] in changes.changed
        and "price_unit" not in changes.changed[line["id"]]
        and line["product_id"]
        and not math.isclose(now.get(line["id"], line["price_unit"]), line["price_unit"])
    ]
