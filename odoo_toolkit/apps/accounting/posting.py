"""A function that posts several drafts, each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import POST, post_invoice
from odoo_toolkit.apps.accounting.invoices import INVOICE, Invoice, called
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.progress import Steps, quietly


@attrs.frozen(kw_only=True)
class NotPosted(op.Shown):
    """A draft that was not posted, and the error that says why."""

    id: int
    name: str
    error: dict[str, Any]


@attrs.frozen(kw_only=True)
class PostResult(op.Shown):
    """The result of posting several drafts.

    Attributes:
        invoices: Those that were posted.
        rejected: Those that were not posted.
    """

    invoices: list[Invoice]
    rejected: list[NotPosted] = attrs.Factory(list)
    message: str


@attrs.frozen(kw_only=True)
class PostPlan(op.Plan):
    """The drafts that would be posted. Nothing was written.

    Attributes:
        rejected: Those that would not be posted.
    """

    rejected: list[NotPosted] = attrs.Factory(list)


@op.operation_with(PostPlan)
def post_invoices(
    odoo: Odoo,
    *,
    invoices: Annotated[
        Sequence[op.IdOrName],
        Len(1, op.MOST_ORDERS),
        Doc("Ids, numbers or references of drafts."),
    ],
    dry_run: op.DryRun = False,
) -> PostResult | PostPlan:
    """Post several draft invoices and bills, each by itself. If one fails, the others are posted.

    >>> [invoice.state for invoice in post_invoices(odoo, invoices=[7]).invoices]
    ['posted']

    ``rejected`` lists the drafts that were not posted, or would not be, with their errors. If the
    connection breaks, the remaining drafts are rejected, too.

    It takes 1 request, and 3 for each draft.

    Raises:
        ValidationError: There are no invoices or too many, or one is listed twice.
        AmbiguousNameError: Several invoices match a name.
        NotFoundError: An invoice does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, POST, dry_run=dry_run)
    rows = op.find_orders(odoo, INVOICE, invoices, "invoices")
    progress = Steps(len(rows) + 1)
    progress.finish(1, "Checked")
    made: list[Any] = []
    rejected: list[NotPosted] = []
    lost: OdooError | None = None
    for row in rows:
        try:
            if lost is not None:
                raise lost
            with quietly():
                made.append(post_invoice(odoo, invoice_id=row["id"], dry_run=dry_run))
        except OdooError as error:
            lost = error if error.category in op.ENDS else None
            told = error.to_dict()
            rejected.append(NotPosted(id=row["id"], name=called(row), error=told))
        progress.finish(1, called(row))
    could = "can be" if dry_run else "were"
    parts = [f"{len(made)} of {op.counted(len(rows), 'invoice')} {could} posted."]
    parts += [f"{each.name}: {each.error['message']}" for each in rejected]
    message = " ".join(parts)
    if not dry_run:
        return PostResult(invoices=made, rejected=rejected, message=message)
    return op.merged(PostPlan, made, message=message, rejected=rejected)
