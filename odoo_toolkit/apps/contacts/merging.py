"""A function that merges duplicate contacts with Odoo's wizard.

A merge can't be undone. The plan lists the values that the contact takes over, the values that are
lost, and how many orders, invoices and other records move. They are counted again afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.contacts.duplicates import CONTACT
from odoo_toolkit.apps.contacts.similarity import addresses
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, StateError, invalid, make_error
from odoo_toolkit.records.results import RecordName

WIZARD = "base.partner.merge.automatic.wizard"

#: Contacts that one call merges into another one.
MOST_MERGED = 10

#: What is compared before: where the contact has nothing, it takes what the other one has.
_VALUES = op.words("""
    name email phone mobile vat street street2 zip city state_id country_id comment website function
    ref user_id
""")
MERGED = op.Document(
    model=CONTACT.model,
    noun="contact",
    argument="contact_id",
    fields=(*_VALUES, "is_company", "parent_id", "company_id", "active"),
)

#: What is counted before and after: model, field, and what people call the records.
POINTING: tuple[tuple[str, str, str], ...] = (
    ("res.partner", "parent_id", "people and addresses"),
    ("sale.order", "partner_id", "sales orders"),
    ("purchase.order", "partner_id", "purchase orders"),
    ("account.move", "partner_id", "invoices and entries"),
    ("account.payment", "partner_id", "payments"),
    ("stock.picking", "partner_id", "transfers"),
    ("crm.lead", "partner_id", "leads"),
    ("project.task", "partner_id", "tasks"),
    ("helpdesk.ticket", "partner_id", "tickets"),
    ("product.supplierinfo", "partner_id", "vendor prices"),
    ("res.users", "partner_id", "users"),
    ("mail.message", "author_id", "messages"),
)


@attrs.frozen(kw_only=True)
class MergeResult(op.Shown):
    """The contact after the merge.

    Attributes:
        merged: Contacts that no longer exist.
        pointing: Number of records that link to the contact now, by kind, as far as this user can
            read them.
        taken_over: Missing values that came from the duplicates.
        not_kept: Values of the duplicates that are lost, because the contact has its own.
        warnings: Differences from your request.
    """

    id: int
    name: str | None = None
    message: str | None = None
    merged: list[RecordName] = attrs.Factory(list)
    pointing: dict[str, int] = attrs.Factory(dict)
    taken_over: dict[str, Any] = attrs.Factory(dict)
    not_kept: list[str] = attrs.Factory(list)
    email: str | None = None
    phone: str | None = None
    vat: str | None = None
    warnings: list[str] = attrs.Factory(list)


@op.operation
def merge_contacts(
    odoo: Odoo,
    *,
    contact_id: Annotated[int | None, Doc("Id of the contact to keep.")] = None,
    contact_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    duplicates: Annotated[
        op.NamesOrIds, Doc("Contacts to merge into it, up to 10. They are deleted.")
    ] = None,
    dry_run: op.DryRun = False,
) -> MergeResult | op.Plan:
    """Merge duplicates into one contact. Their orders, invoices, messages and people move to it.

    >>> merge_contacts(odoo, contact_id=20, duplicates=[21]).merged[0].name
    'ACME Limited'

    A merge can't be undone, so look at the plan first. The contact keeps its values, and takes
    missing values from the duplicates. Odoo's wizard merges the duplicates one after the other. You
    need the right "Contact Creation". If the e-mail addresses differ, you need an administrator.

    It takes 3 requests, 1 for each kind of record that may link to contacts, 3 for each duplicate,
    and as many again to count afterwards.

    Raises:
        AmbiguousNameError: A name matches several contacts. Nothing was written.
        NotFoundError: The contact does not exist. Nothing was written.
        StateError: The contacts can't be merged. One is the parent of another, a duplicate has a
            user, they belong to different companies of the database, or an archived contact would
            stay. Nothing was written.
        ValidationError: You passed no duplicates, too many, or one twice.
        AccessError: Odoo or the policy does not allow it.
    """
    deleting = op.Call(
        model=MERGED.model,
        method="unlink",
        ids=(0,),
        access="delete",
        acts_on=MERGED.model,
        step=True,
    )
    op.permit(odoo, _merging(0, RecordName(id=0, name="")), dry_run=dry_run)
    # The others are deleted, whatever the wizard calls it.
    odoo.check(deleting, planned=dry_run)
    wanted = op.wanted_each(MERGED.model, duplicates, "duplicates")
    if not 1 <= len(wanted) <= MOST_MERGED:
        raise invalid(
            "duplicates",
            f"Pass 1 to {MOST_MERGED} duplicates, not {len(wanted)}.",
            most=MOST_MERGED,
        )
    target, *others = op.resolve_all(odoo, [MERGED.wanted(contact_id, contact_name), *wanted])
    ids = [number for number in (target, *others) if number is not None]
    if len(set(ids)) < len(ids):
        raise invalid(
            "duplicates",
            "The same contact is listed twice.",
            "List only the contacts to merge, without the one to keep.",
            ids=ids,
        )
    if not odoo.schema.may(WIZARD, "create"):
        raise make_error(
            "ACCESS_DENIED",
            "This user cannot merge contacts, which requires the Odoo group Contact Creation.",
            suggestion="Ask a user in this group, or ask an administrator to add you to the group.",
            details={"model": WIZARD},
        )
    kept, *sources = op.read_all(odoo, MERGED, ids)
    moving = _count(odoo, ids[1:])
    _check(odoo, kept, sources, moving.get("users", 0))
    takes, lost = _values(kept, sources)
    before = _count(odoo, ids)
    if before.get("users") and any(change.field == "email" for change in takes):
        raise _refused(
            f"{op.label(kept)} has a user and no e-mail address, and would get the address of "
            "another contact. Odoo would send this user's password reset link there.",
            "Set the address of this contact in Odoo first.",
            [kept],
        )
    gone = [RecordName(id=row["id"], name=row["name"]) for row in sources]
    steps: list[op.AnyStep] = []
    for source in gone:
        steps += [
            _merging(kept["id"], source),
            op.Check(
                check=partial(_check_gone, source=source),
                says=f"{source.name} merged",
                fails=f"{source.name} ({source.id}) is not merged",
            ),
        ]

    def result(done: op.Done) -> MergeResult:
        row = op.row_after(odoo, MERGED, done, name=kept["name"])
        left = _left(odoo, gone, done.warnings)
        merged = [source for source in gone if source.id not in left]
        counted = op.afterwards(lambda: _count(odoo, [kept["id"]]), done.warnings, "the others")
        after = counted or {}
        for kind, count in before.items():
            if counted and not left and after.get(kind, 0) < count:
                done.warnings.append(
                    f"{count} {kind} referred to the contacts. Now, only {after.get(kind, 0)} do."
                )
        return op.filled(
            MergeResult,
            row,
            message=f"Merged {len(merged)} of {len(gone)} contacts into {op.label(kept)}.",
            merged=merged,
            pointing={kind: count for kind, count in after.items() if count},
            taken_over={
                change.field: change.after
                for change in takes
                if _shown(row.get(change.field)) == change.after
            },
            not_kept=lost,
            warnings=done.warnings,
        )

    names = ", ".join(op.label(row) for row in sources)
    moves = ", ".join(f"{count} {kind}" for kind, count in moving.items() if count)
    would = f"Would merge {names} into {op.label(kept)}" + (
        f"; it takes over {moves}." if moves else "."
    )
    answer = op.operate(odoo, steps, [kept["id"]], result, message=would, dry_run=dry_run)
    if not isinstance(answer, op.Plan):
        return answer
    refusal = odoo.refusal(deleting) if odoo.policy.mode != "full" else None
    takes_more = f"{refusal.message} {refusal.suggestion}".strip() if refusal else None
    return attrs.evolve(
        answer,
        needs=answer.needs or takes_more,
        changes=takes,
        warnings=[*answer.warnings, *_warnings(kept, sources), *lost],
    )


def _merging(target: int, source: RecordName) -> op.WizardStep:
    return op.WizardStep(
        model=MERGED.model,
        wizard=WIZARD,
        values={"partner_ids": [[6, 0, [target, source.id]]], "dst_partner_id": target},
        seen=_gone(source.id),
        fails=f"{source.name} ({source.id}) is not merged",
    )


def _gone(number: int) -> op.Seen:
    """Return what sees that a contact is gone."""

    def seen(odoo: Odoo, _: int) -> bool | None:
        return None if op.read_rows(odoo, MERGED.model, [["id", "=", number]], ["name"]) else True

    return seen


def _check_gone(odoo: Odoo, target: int, *, source: RecordName) -> None:
    """Refuse to go on where Odoo answered and did nothing."""
    if not _gone(source.id)(odoo, target):
        raise StateError(
            f"Odoo reported no error, but {source.name} ({source.id}) still exists.",
            suggestion="Check the contact in Odoo. The toolkit did not move its documents.",
        )


def _left(odoo: Odoo, gone: Sequence[RecordName], warnings: list[str]) -> set[int]:
    """Return which of the contacts are still there."""
    try:
        domain = [["id", "in", [source.id for source in gone]]]
        return {row["id"] for row in op.read_rows(odoo, MERGED.model, domain, ["name"])}
    except OdooError as error:
        warnings.append(
            f"The toolkit cannot check whether the others were deleted: {error.message}"
        )
        return set()


# Checks before ------------------------------------------------------------------------------------


def _check(odoo: Odoo, kept: op.Row, sources: Sequence[op.Row], users: int) -> None:
    rows = {row["id"]: row for row in (kept, *sources)}
    if users:
        raise _refused(
            f"{_names(sources)}: merging would give {users} user{'s' if users > 1 else ''} the name"
            " and e-mail address of another contact.",
            "Keep the contact that has the user, or delete the user first.",
            list(sources),
        )
    companies = {row["company_id"].id for row in rows.values() if row.get("company_id")}
    if len(companies) > 1:
        raise _refused(
            f"{_names(list(rows.values()))} belong to different companies of this database.",
            "First set the same company on all these contacts, or none.",
            list(rows.values()),
        )
    archived = [row for row in sources if row.get("active") is False]
    if archived and odoo.version.major < 16:
        raise _refused(
            f"{_names(archived)} is archived, and Odoo {odoo.version.major} would not merge it.",
            "Unarchive the contact first.",
            archived,
        )
    if not kept.get("active", True):
        raise _refused(
            f"{op.label(kept)} is archived, so everything would move to an archived contact.",
            "Unarchive the contact first, or keep another one.",
            [kept],
        )
    for row in rows.values():
        for above in _above(odoo, row, rows):
            if above in rows:
                raise _refused(
                    f"{op.label(rows[above])} is the parent of {op.label(row)}: a company and its "
                    "people or addresses cannot be merged.",
                    "Remove the person or address from the company first, or keep both contacts.",
                    [rows[above], row],
                )


def _above(odoo: Odoo, row: op.Row, known: Mapping[int, op.Row]) -> list[int]:
    """Return the ids of what is above a contact; a round trip for each that is not known."""
    found: list[int] = []
    parent = row.get("parent_id")
    while parent and parent.id not in found:
        found.append(parent.id)
        if parent.id in known:
            parent = known[parent.id].get("parent_id")
            continue
        rows = op.read_rows(odoo, MERGED.model, [["id", "=", parent.id]], ["parent_id"])
        parent = rows[0]["parent_id"] if rows else None
    return found


def _names(rows: Sequence[op.Row]) -> str:
    return " and ".join(op.label(row) for row in rows)


def _refused(message: str, todo: str, rows: Sequence[op.Row]) -> StateError:
    details = {"model": MERGED.model, "ids": [row["id"] for row in rows]}
    return StateError(f"{message} Nothing was merged.", suggestion=todo, details=details)


# Before and after ---------------------------------------------------------------------------------


def _shown(value: Any) -> Any:
    return value.name if isinstance(value, RecordName) else value


def _values(kept: op.Row, sources: Sequence[op.Row]) -> tuple[list[op.PlannedChange], list[str]]:
    """Return the values that the contact takes over, and those of the others that are lost."""
    has = {field: _shown(kept.get(field)) for field in _VALUES}
    takes: list[op.PlannedChange] = []
    lost: list[str] = []
    for row in sources:
        for field in _VALUES:
            value = _shown(row.get(field))
            if not value or value == has[field]:
                continue
            if has[field]:
                lost.append(f"{field} {value} of {op.label(row)} is lost. {has[field]} stays.")
            else:
                has[field] = value
                takes.append(op.PlannedChange(id=kept["id"], field=field, before=None, after=value))
    return takes, lost


def _warnings(kept: op.Row, sources: Sequence[op.Row]) -> list[str]:
    found = ["Merging cannot be undone."]
    emails = {tuple(addresses(row.get("email"))) for row in (kept, *sources)}
    if len(emails) > 1:
        found.append("The e-mail addresses differ. Only an administrator can merge such contacts.")
    return found


def _count(odoo: Odoo, ids: Sequence[int]) -> dict[str, int]:
    """Return how many records of each kind point to contacts, as far as this user may count."""

    def count(model: str, field: str) -> int | None:
        try:
            if not odoo.schema.has_model(model):
                return None
            described = odoo.schema.fields(model)
            # Vendors of products are called name to 15.
            name = field if field in described or model != "product.supplierinfo" else "name"
            call = op.Call(
                model=model,
                method="search_count",
                arguments={"domain": [[name, "in", list(ids)]]},
                context={"active_test": False},
                step=True,
            )
            return int(odoo.call(call))
        except AccessError:
            return None

    counts = op.side_by_side([partial(count, model, field) for model, field, _ in POINTING])
    return {
        kind: number
        for (_, _, kind), number in zip(POINTING, counts, strict=True)
        if number is not None
    }
