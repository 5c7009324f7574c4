"""Functions for helpdesk tickets. The module is part of Odoo Enterprise."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit import operations as op
from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.chatter import attachments, messages
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.results import RecordName

__all__ = ["TicketResult", "assign_ticket", "create_ticket", "get_ticket"]

TEAM = "helpdesk.team"

TicketId = Annotated[int | None, Doc("Id of the ticket.")]
TicketName = Annotated[str | None, Doc("Subject, instead of the id.")]

TICKET = op.Document(
    model="helpdesk.ticket",
    noun="ticket",
    argument="ticket_id",
    fields="""
        name ticket_ref team_id user_id stage_id priority partner_id partner_name partner_email
        tag_ids description active create_date
    """,
)
CREATE = op.Step(model=TICKET.model, method="create", says="Ticket created")
ASSIGN = op.Step(model=TICKET.model, method="write", says="Ticket assigned")


@attrs.frozen(kw_only=True)
class TicketResult(op.Shown):
    """A ticket as it is now. None means empty, or that the value could not be read.

    Attributes:
        name: Subject of the ticket.
        ticket_ref: Number of the ticket, if Odoo has one.
        priority: ``0`` to ``3``, which is urgent.
        partner: The customer, if it is a contact.
        description: Description as plain text.
        create_date: Date and time of creation, in UTC.
        messages: Messages, newest first, see :class:`odoo_toolkit.chatter.messages.Message`.
        has_more_messages: True if there are older messages. Raise the limit, or read
            ``mail.message``.
        attachments: Attachments, newest first, without their content.
        warnings: Differences from your request.
    """

    id: int
    name: str
    message: str | None = None
    ticket_ref: str | None = None
    team: RecordName | None = None
    user: RecordName | None = None
    stage: RecordName | None = None
    priority: str | None = None
    partner: RecordName | None = None
    partner_name: str | None = None
    partner_email: str | None = None
    tags: list[RecordName] = attrs.Factory(list)
    description: str | None = None
    active: bool | None = None
    create_date: str | None = None
    messages: list[dict[str, Any]] | None = None
    has_more_messages: bool = False
    attachments: list[dict[str, Any]] | None = None
    warnings: list[str] = attrs.Factory(list)


@op.operation
def create_ticket(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("Subject.")],
    partner_id: Annotated[int | None, Doc("Id of the customer.")] = None,
    partner_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    team_id: Annotated[int | None, Doc("Helpdesk team.")] = None,
    team_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    user_id: Annotated[int | None, Doc("Assignee.")] = None,
    user_name: Annotated[str | None, Doc("Login or name of the user, instead of the id.")] = None,
    description: Annotated[str | None, Doc("Plain text.")] = None,
    priority: Annotated[Literal["0", "1", "2", "3"], Doc("3 is urgent.")] = "0",
    tag_ids: Annotated[op.NamesOrIds, Doc("Ids or names of tags.")] = None,
    dry_run: op.DryRun = False,
) -> TicketResult | op.Plan:
    """Create a helpdesk ticket.

    >>> ticket = create_ticket(odoo, name="Lamp", partner_name="Acme")
    >>> ticket.stage and ticket.stage.name, ticket.partner_name
    ('New', 'Acme')

    Without a team, Odoo uses its default team. Without a user, the team may assign one.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The customer, team or user does not exist.
        ValidationError: An argument is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = op.checked_name(name, "Set name to the subject of the ticket.")
    op.permit(odoo, CREATE, dry_run=dry_run)
    partner, team, user, *tags = op.resolve_all(
        odoo,
        [
            op.Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name),
            op.Wanted(model=TEAM, field="team_id", id=team_id, name=team_name),
            op.Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
            *op.wanted_each("helpdesk.tag", tag_ids, "tag_ids"),
        ],
        required=False,
    )
    described = odoo.schema.fields(TICKET.model)
    given = {
        "name": name,
        "priority": priority,
        "partner_id": partner,
        "team_id": team,
        "user_id": user,
        "tag_ids": [[6, 0, list(dict.fromkeys(tags))]] if tags else None,
        "description": op.written_text(described["description"], description)
        if description and "description" in described
        else description,
    }
    values = {key: value for key, value in given.items() if value is not None}
    known = {key: value for key, value in values.items() if key in described}

    def result(done: op.Done) -> TicketResult:
        done.warnings.extend(
            f"Tickets in this Odoo have no {key}." for key in values if key not in known
        )
        row = op.row_after(odoo, TICKET, done, name=name)
        return _result(odoo, row, f"Created ticket {name!r} with ID {done.id}", done.warnings)

    would = f"Would create the ticket {name!r}."
    steps = [CREATE.of(vals_list=known)]
    return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run)


def get_ticket(
    odoo: Odoo,
    *,
    ticket_id: TicketId = None,
    ticket_name: TicketName = None,
    include_messages: Annotated[bool, Doc("Include e-mails and comments.")] = True,
    include_attachments: Annotated[bool, Doc("Include a list of its attachments.")] = False,
    message_limit: Annotated[int, Ge(1), op.AtMost(100), Doc("Maximum number of messages.")] = 20,
) -> TicketResult:
    """Return a ticket with its messages and attachments.

    >>> ticket = get_ticket(odoo, ticket_name="Lamp", include_messages=False)
    >>> ticket.description, [tag.name for tag in ticket.tags]
    ('It flickers', ['Repair'])

    You get at most 100 messages, newest first.

    Raises:
        AmbiguousNameError: Several tickets match the name.
        NotFoundError: The ticket does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    message_limit = checked_count(message_limit, "message_limit", 1)
    found = op.find_id(odoo, TICKET, ticket_id, ticket_name)
    warnings: list[str] = []

    def read_messages() -> dict[str, Any]:
        limit = min(message_limit, messages.MAX_MESSAGES)
        answer = messages.get_messages(odoo, TICKET.model, found, limit=limit)
        shown = [attrs.asdict(message) for message in answer.messages]
        return {"messages": shown, "has_more_messages": answer.has_more}

    def files() -> dict[str, Any]:
        answer = attachments.list_attachments(odoo, TICKET.model, found)
        return {"attachments": [attrs.asdict(row) for row in answer.attachments]}

    parts = {"messages": read_messages} if include_messages else {}
    parts |= {"attachments": files} if include_attachments else {}
    ticket, *answers = op.gather(
        lambda: op.read(odoo, TICKET, found),
        *(op.readable(what, ask, warnings, instead={what: []}) for what, ask in parts.items()),
    )
    more = {name: value for answer in answers for name, value in answer.items()}
    return attrs.evolve(_result(odoo, ticket, None, warnings), **more)


@op.operation
def assign_ticket(
    odoo: Odoo,
    *,
    ticket_id: TicketId = None,
    ticket_name: TicketName = None,
    user_id: Annotated[int | None, Doc("New assignee.")] = None,
    user_name: Annotated[str | None, Doc("Login or name of the user, instead of the id.")] = None,
    team_id: Annotated[int | None, Doc("New team.")] = None,
    team_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> TicketResult | op.Plan:
    """Assign a ticket to a user, a team, or both.

    >>> user = assign_ticket(odoo, ticket_name="Lamp", user_name="Marc").user
    >>> user and user.name
    'Marc'

    You can assign a user outside the team, which gives a warning. Odoo may change the stage if you
    change the team.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The ticket, user or team does not exist.
        ValidationError: You passed neither user nor team. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    if all(given is None for given in (user_id, user_name, team_id, team_name)):
        raise ValidationError(
            "user_id and team_id are both missing.",
            suggestion="Set user_id, team_id or both.",
            code="MISSING_REQUIRED_FIELD",
            details={"fields": ["user_id", "team_id"]},
        )
    op.permit(odoo, ASSIGN, dry_run=dry_run)
    found, user, team = op.resolve_all(
        odoo,
        [
            TICKET.wanted(ticket_id, ticket_name),
            op.Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
            op.Wanted(model=TEAM, field="team_id", id=team_id, name=team_name),
        ],
        required=False,
    )
    ticket = op.find(odoo, TICKET, found, None)
    values, what = op.differing(ticket, {"user_id": user, "team_id": team}), op.label(ticket)
    if not values:
        return _result(odoo, ticket, f"{what} is already assigned as requested.", [])

    def result(done: op.Done) -> TicketResult:
        row = op.row_after(odoo, TICKET, done, name=ticket["name"])
        told = _result(odoo, row, f"Assigned {what}.", done.warnings)
        told.warnings.extend(op.not_taken(row, values))
        if told.user and told.team:
            told.warnings.extend(_outsider(odoo, told.user, told.team))
        return told

    seen = op.shows(TICKET, **{key: (value,) for key, value in values.items()})
    steps = [attrs.evolve(ASSIGN.of(vals=values), seen=seen)]
    would = f"Would assign {what}."
    return op.operate(odoo, steps, [ticket["id"]], result, message=would, dry_run=dry_run)


def _outsider(odoo: Odoo, user: RecordName, team: RecordName) -> list[str]:
    """Say so where the user is no member of the team; Odoo allows it."""
    domain = [["id", "=", team.id]]
    try:
        rows = op.read_rows(odoo, TEAM, domain, ["member_ids"], acts_on=TICKET.model)
    except OdooError:
        return []
    if not rows or not rows[0]["member_ids"] or user.id in rows[0]["member_ids"]:
        return []
    return [f"{user.name} is not a member of the team {team.name}."]


def _result(odoo: Odoo, row: op.Row, message: str | None, warnings: list[str]) -> TicketResult:
    ids = row.get("tag_ids") or ()
    tags = op.linked_names(odoo, "helpdesk.tag", ids, "tags", warnings, acts_on=TICKET.model)
    return op.filled(TicketResult, row, tags=tags, message=message, warnings=warnings)


readable_signatures(globals())
