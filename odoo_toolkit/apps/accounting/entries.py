"""A function that creates and posts journal entries other than invoices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import CREATE, POST
from odoo_toolkit.apps.accounting.books import lock_warnings
from odoo_toolkit.apps.accounting.invoices import INVOICE, move_result, of_companies, pick_journal
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid
from odoo_toolkit.records.results import RecordName

_ENTRY = op.Document(
    model=INVOICE.model,
    noun="journal entry",
    argument="entry_id",
    fields=(
        *("name", "display_name", "state", "date", "ref", "journal_id"),
        *("amount_total", "currency_id"),
    ),
)
_ACCOUNT = op.Document(
    model="account.account", noun="account", argument="account_id", fields=("name",)
)


class EntryLine(TypedDict, total=False):
    """A line of a journal entry, with a debit or a credit."""

    account_id: int
    account_name: Annotated[str, Doc("Name or code.")]
    debit: float
    credit: float
    name: str
    partner_id: op.IdOrName


@attrs.frozen(kw_only=True)
class Entry(op.Shown):
    """A journal entry. ``date`` is its accounting date in Odoo."""

    id: int
    name: str | None = None
    state: str | None = None
    message: str
    date: str | None = None
    ref: str | None = None
    journal: RecordName | None = None
    amount_total: float | None = None
    currency: str | None = None
    warnings: list[str] = attrs.Factory(list)

    @property
    def posted(self) -> bool:
        """Whether it is posted, as read back."""
        return self.state == "posted"


@op.operation
def create_entry(
    odoo: Odoo,
    *,
    lines: Annotated[
        Sequence[EntryLine],
        Len(2, 500),
        Doc("Debits must equal credits, in the company's currency."),
    ],
    date: Annotated[str | None, Doc("Default: today.")] = None,
    ref: Annotated[str | None, Doc("Reference of the entry.")] = None,
    journal_id: Annotated[
        op.NameOrId, Doc("Id or name of a miscellaneous journal. Default: the first.")
    ] = None,
    post: Annotated[bool, Doc("Also post it.")] = False,
    dry_run: op.DryRun = False,
) -> Entry | op.Plan:
    """Create a journal entry, and post it if you ask for it.

    >>> lines: list[EntryLine] = [{"account_id": 15, "debit": 9}, {"account_id": 10, "credit": 9}]
    >>> entry = create_entry(odoo, lines=lines, ref="Rent")
    >>> entry.journal and entry.journal.name, entry.ref
    ('Misc', 'Rent')

    Each line has ``account_id`` or ``account_name`` (a name or code), and ``debit`` or ``credit``.
    Optional keys are ``name`` and ``partner_id`` (an id or a name).

    Odoo 15 and later move a date before a lock date to the first open day, and the result says so.
    If posting fails, the draft stays, and the result says why. It takes 7 requests, and 1 more to
    post.

    Raises:
        ValidationError: The lines do not balance, or one is wrong. Nothing was written.
        AmbiguousNameError: A name matches several accounts. Nothing was written.
        NotFoundError: An account, partner or journal does not exist. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    steps = [CREATE, POST] if post else [CREATE]
    op.permit(odoo, *steps, dry_run=dry_run)
    checked = _checked(lines)
    day = op.checked_day(date, "date") or op.today(odoo)
    company = op.acting_company(odoo, INVOICE.model)
    own = of_companies(odoo, company)
    wanted = [
        op.Wanted(
            model="account.account",
            field=f"lines[{index}].account_id",
            id=line.get("account_id"),
            name=line.get("account_name"),
            domain=(own,),
        )
        for index, line in enumerate(checked)
    ]
    wanted += [
        op.Wanted.of("res.partner", line["partner_id"], f"lines[{index}].partner_id")
        for index, line in enumerate(checked)
        if "partner_id" in line
    ]
    found = op.resolve_all(odoo, wanted)
    partners = iter(found[len(checked) :])
    used = sorted({number for number in found[: len(checked)] if number})
    accounts = attrs.evolve(_ACCOUNT, domain=(own,))
    # Ids are taken as they are: whether the company has such accounts is found out here.
    journal, _ = op.gather(
        lambda: pick_journal(odoo, journal_id, ("general",), company),
        lambda: op.read_all(odoo, accounts, used, acts_on=INVOICE.model),
    )
    commands: list[Any] = []
    for line, account in zip(checked, found, strict=False):
        values = {
            key: next(partners) if key == "partner_id" else line[key]
            for key in ("name", "partner_id", "debit", "credit")
            if key in line
        }
        commands.append([0, 0, {"account_id": account, **values}])
    head = {"move_type": "entry", "journal_id": journal["id"], "date": day}
    head |= {"ref": ref} if ref is not None else {}
    steps[0] = CREATE.of(vals_list=[{**head, "line_ids": commands}])

    def result(done: op.Done) -> Entry:
        made, row = move_result(odoo, _ENTRY, Entry, done, "Created", posting=post)
        if row and row["date"] != day:
            done.warnings.append(f"Odoo booked it on {row['date']}, because {day} is locked.")
        return made

    total = sum(line.get("debit", 0.0) for line in checked)
    would = f"Would create an entry with {op.counted(len(commands), 'line')}: {total:.2f}."

    def doubts() -> list[str]:
        return lock_warnings(odoo, company, day)

    return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run, doubts=doubts)


def _checked(lines: Sequence[op.Line]) -> list[dict[str, Any]]:
    checked = op.check_lines(lines, EntryLine.__annotations__)
    for index, line in enumerate(checked):
        where = f"lines[{index}]"
        sides = [side for side in ("debit", "credit") if line.get(side)]
        if len(sides) != 1:
            raise invalid(
                where,
                f"{where} must have either a debit or a credit.",
                "Write a line such as {'account_name': '400000', 'credit': 50}.",
            )
        # Odoo to 15 refuses negative amounts, later ones turn them.
        line[sides[0]] = op.checked_number(line[sides[0]], f"{where}.{sides[0]}", positive=True)
    debit, credit = (sum(line.get(side, 0.0) for line in checked) for side in ("debit", "credit"))
    if abs(debit - credit) > 1e-6:
        raise invalid(
            "lines",
            f"The entry does not balance: debits {debit:.2f}, credits {credit:.2f},"
            f" difference {debit - credit:.2f}.",
            "Correct the lines. Nothing was written.",
            difference=round(debit - credit, 6),
        )
    return checked
