"""Helpdesk tickets; the module is part of Odoo Enterprise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit.annotations import AtMost, DryRun
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.plain_text import written_text
from odoo_toolkit.records.arguments import checked_count, optional_ids
from odoo_toolkit.records.names import Wanted, resolve, resolve_all
from odoo_toolkit.records.reading import name_get
from odoo_toolkit.records.results import Record, RecordName
from odoo_toolkit.records.rows import read_rows

TICKET, TEAM = "helpdesk.ticket", "helpdesk.team"

TicketId = Annotated[int | None, Doc("Id of the ticket.")]
TicketName = Annotated[str | None, Doc("Its subject, instead of the id.")]

#: What is read; what a server lacks is left out.
_FIELDS = (
    "name",
    "ticket_ref",
    "team_id",
    "user_id",
    "stage_id",
    "priority",
    "partner_id",
    "partner_name",
    "partner_email",
    "tag_ids",
    "description",
    "active",
    "create_date",
)


@attrs.frozen(kw_only=True)
class TicketResult:
    """A ticket as it is now.

    Attributes:
        name: the subject.
        ticket_ref: its number, where Odoo gives it one.
        priority: from ``0`` to ``3``, urgent.
        partner: the customer, if it is a contact.
        description: as plain text.
        create_date: when it was created, in UTC.
        messages: newest first, see :class:`odoo_toolkit.chatter.Message`.
        has_more_messages: there are older ones; raise the limit, or read ``mail.message``.
        attachments: newest first, without their content.
        warnings: what is not as one might expect.
    """

    id: int
    name: str
    message: str = ""
    ticket_ref: str = ""
    team: RecordName | None = None
    user: RecordName | None = None
    stage: RecordName | None = None
    priority: str = "0"
    partner: RecordName | None = None
    partner_name: str = ""
    partner_email: str = ""
    tags: list[RecordName] = attrs.Factory(list)
    description: str = ""
    active: bool = True
    create_date: str | None = None
    messages: list[dict[str, Any]] | None = None
    has_more_messages: bool = False
    attachments: list[dict[str, Any]] | None = None
    warnings: list[str] = attrs.Factory(list)


def create_ticket(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("The subject.")],
    partner_id: Annotated[int | None, Doc("Id of the customer.")] = None,
    partner_name: str | None = None,
    team_id: Annotated[int | None, Doc("Helpdesk team.")] = None,
    team_name: str | None = None,
    user_id: Annotated[int | None, Doc("Who works on it.")] = None,
    user_name: str | None = None,
    description: Annotated[str | None, Doc("Plain text.")] = None,
    priority: Annotated[Literal["0", "1", "2", "3"], Doc("3 is urgent.")] = "0",
    tag_ids: Sequence[int] | None = None,
    dry_run: DryRun = False,
) -> TicketResult | Plan:
    """Create a helpdesk ticket.

    Args:
        odoo: the connection.
        name: the subject.
        partner_id: the customer.
        partner_name: instead of the id; so for team and user.
        team_id: Odoo's default team without it.
        user_id: who works on it; the team may assign somebody without it.
        description: plain text.
        priority: from ``0`` to ``3``, urgent.
        tag_ids: ids of ``helpdesk.tag``.
        dry_run: return the :class:`~odoo_toolkit.operations.plans.Plan` instead of writing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such customer, team or user.
        ValidationError: an argument is wrong; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    if not name.strip():
        raise ValidationError("name is empty.", suggestion="Say what the ticket is about.")
    odoo.check(_create({"name": name}))
    partner, team, user = resolve_all(
        odoo,
        [
            Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name),
            Wanted(model=TEAM, field="team_id", id=team_id, name=team_name),
            Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
        ],
        required=False,
    )
    fields = odoo.schema.fields(TICKET)
    given: Record = {
        "name": name.strip(),
        "priority": priority,
        "partner_id": partner,
        "team_id": team,
        "user_id": user,
        "tag_ids": [[6, 0, tags]] if (tags := optional_ids(tag_ids)) else None,
        "description": written_text(fields["description"], description)
        if description and "description" in fields
        else description,
    }
    values = {key: value for key, value in given.items() if value is not None}
    call = _create({key: value for key, value in values.items() if key in fields})
    left_out = [f"This Odoo's tickets have no {key}." for key in values if key not in fields]
    if dry_run:
        return plan(odoo, f"Would create the ticket {name.strip()!r}.", [call])
    answer = odoo.call(call)
    ticket_id = answer[0] if isinstance(answer, list) else answer
    message = f"Created ticket {name.strip()!r} with ID {ticket_id}"
    return _after(odoo, {"id": ticket_id, "name": name.strip()}, message, left_out)


def get_ticket(
    odoo: Odoo,
    *,
    ticket_id: TicketId = None,
    ticket_name: TicketName = None,
    include_messages: Annotated[bool, Doc("With its e-mails and comments.")] = True,
    include_attachments: Annotated[bool, Doc("With a list of its attachments.")] = False,
    message_limit: Annotated[int, Ge(1), AtMost(100), Doc("Most messages.")] = 20,
) -> TicketResult:
    """Return a ticket with its messages and attachments, asked for side by side.

    Args:
        odoo: the connection.
        ticket_id: which one.
        ticket_name: its subject, instead of the id.
        include_messages: whether to read its e-mails and comments.
        include_attachments: whether to list its attachments.
        message_limit: most messages, at most 100; the newest come first.

    Raises:
        AmbiguousNameError: several tickets match the name.
        NotFoundError: there is no such ticket.
        AccessError: Odoo or the policy does not allow it.
    """
    message_limit = checked_count(message_limit, "message_limit", 1)
    wanted = Wanted(model=TICKET, field="ticket_id", id=ticket_id, name=ticket_name)
    found = int(resolve(odoo, wanted) or 0)
    asked: list[Callable[[], Any]] = [lambda: _read(odoo, found)]
    if include_messages:
        asked.append(lambda: _messages(odoo, found, min(message_limit, 100)))
    if include_attachments:
        asked.append(lambda: _attachments(odoo, found))
    ticket, *parts = side_by_side(asked)
    result = _result(odoo, _existing(ticket, found))
    for found_too, problem in parts:
        result = attrs.evolve(result, **found_too)
        if problem:
            result.warnings.append(problem)
    return result


def assign_ticket(
    odoo: Odoo,
    *,
    ticket_id: TicketId = None,
    ticket_name: TicketName = None,
    user_id: Annotated[int | None, Doc("Who works on it from now on.")] = None,
    user_name: str | None = None,
    team_id: Annotated[int | None, Doc("The team from now on.")] = None,
    team_name: str | None = None,
    dry_run: DryRun = False,
) -> TicketResult | Plan:
    """Assign a ticket to a user, a team, or both.

    Args:
        odoo: the connection.
        ticket_id: which one.
        ticket_name: its subject, instead of the id.
        user_id: who works on it from now on. Somebody outside the team is taken, with a warning.
        user_name: instead of the id.
        team_id: the team from now on; Odoo then may change the stage.
        team_name: instead of the id.
        dry_run: return the :class:`~odoo_toolkit.operations.plans.Plan` instead of writing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such ticket, user or team.
        ValidationError: neither user nor team was given; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    if all(given is None for given in (user_id, user_name, team_id, team_name)):
        raise ValidationError(
            "Neither a user nor a team was given.",
            suggestion="Give user_id, team_id or both.",
            code="MISSING_REQUIRED_FIELD",
            details={"fields": ["user_id", "team_id"]},
        )
    odoo.check(_write(1, {"user_id": 1, "team_id": 1}))
    found, user, team = resolve_all(
        odoo,
        [
            Wanted(model=TICKET, field="ticket_id", id=ticket_id, name=ticket_name),
            Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
            Wanted(model=TEAM, field="team_id", id=team_id, name=team_name),
        ],
        required=False,
    )
    ticket = _existing(_read(odoo, _given(found)), _given(found))
    wanted = {"user_id": user, "team_id": team}
    now = {key: ticket[key]["id"] if ticket[key] else None for key in wanted}
    values = {key: value for key, value in wanted.items() if value and value != now[key]}
    what = f"{ticket['name']!r} ({ticket['id']})"
    if not values:
        return _result(odoo, ticket, f"{what} is assigned so already.")
    call = _write(ticket["id"], values)
    if dry_run:
        return plan(odoo, f"Would assign {what}.", [call])
    odoo.call(call)
    result = _after(odoo, ticket, f"Assigned {what}.", [])
    for key in values:
        taken = getattr(result, key.removesuffix("_id"))
        if taken is not None and taken.id != values[key]:
            result.warnings.append(f"Odoo did not take {key} {values[key]}.")
    if result.user and result.team:
        result.warnings.extend(_outsider(odoo, result.user, result.team))
    return result


def _given(ticket_id: int | None) -> int:
    if ticket_id is None:
        raise ValidationError(
            "ticket_id or ticket_name is needed.",
            suggestion="Give the id, or the subject to look up.",
            code="MISSING_REQUIRED_FIELD",
            details={"field": "ticket_id"},
        )
    return ticket_id


def _create(values: Mapping[str, Any]) -> Call:
    return Call(model=TICKET, method="create", arguments={"vals_list": dict(values)}, step=True)


def _write(ticket_id: int, values: Mapping[str, Any]) -> Call:
    return Call(
        model=TICKET, method="write", ids=(ticket_id,), arguments={"vals": dict(values)}, step=True
    )


def _read(odoo: Odoo, ticket_id: int) -> Record | None:
    described = odoo.policy.readable_fields(TICKET, odoo.schema.fields(TICKET))
    rows = read_rows(odoo, TICKET, [ticket_id], [name for name in _FIELDS if name in described])
    return {**dict.fromkeys(_FIELDS), **rows[0]} if rows else None


def _existing(ticket: Record | None, ticket_id: int) -> Record:
    if ticket is None:
        raise NotFoundError(
            f"There is no {TICKET} with id {ticket_id} (ticket_id), or this user may not see it.",
            suggestion=f"Look for it with search_read on {TICKET}.",
            details={"model": TICKET, "field": "ticket_id", "id": ticket_id},
        )
    return ticket


def _messages(odoo: Odoo, ticket_id: int, limit: int) -> tuple[dict[str, Any], str]:
    """Return the messages as attributes of the result, or why there are none."""
    from odoo_toolkit.chatter import get_messages

    try:
        found = get_messages(odoo, TICKET, ticket_id, limit=limit)
    except OdooError as error:
        # The ticket itself is told anyway.
        return {"messages": []}, f"The messages cannot be read: {error.message}"
    rows = [attrs.asdict(message) for message in found.messages]
    return {"messages": rows, "has_more_messages": found.has_more}, ""


def _attachments(odoo: Odoo, ticket_id: int) -> tuple[dict[str, Any], str]:
    """Return the attachments as attributes of the result, or why there are none."""
    from odoo_toolkit.attachments import list_attachments

    try:
        found = list_attachments(odoo, TICKET, ticket_id)
    except OdooError as error:
        return {"attachments": []}, f"The attachments cannot be read: {error.message}"
    return {"attachments": [attrs.asdict(row) for row in found.attachments]}, ""


def _outsider(odoo: Odoo, user: RecordName, team: RecordName) -> list[str]:
    """Say so where the user is no member of the team; Odoo allows it."""
    try:
        members = read_rows(odoo, TEAM, [team.id], ["member_ids"])[0]["member_ids"]
    except (OdooError, LookupError):
        return []
    if not members or user.id in members:
        return []
    return [f"{user.name} is not a member of the team {team.name}."]


def _after(odoo: Odoo, ticket: Record, message: str, warnings: Sequence[str]) -> TicketResult:
    """Return the ticket as it is now that something was done to it, which nothing here undoes."""
    unread = "this user may not see it"
    try:
        now = _read(odoo, ticket["id"])
    except OdooError as error:
        now, unread = None, error.message
    if now is None:
        told = [*warnings, f"This is done, but cannot be read back: {unread}"]
        return TicketResult(id=ticket["id"], name=ticket["name"], message=message, warnings=told)
    result = _result(odoo, now, message)
    result.warnings.extend(warnings)
    return result


def _result(odoo: Odoo, ticket: Record, message: str = "") -> TicketResult:
    linked: dict[str, Any] = {
        key: RecordName(**ticket[f"{key}_id"])
        for key in ("team", "user", "stage", "partner")
        if ticket[f"{key}_id"]
    }
    plain: dict[str, Any] = {
        key: ticket[key]
        for key in _FIELDS
        if not key.endswith(("_id", "_ids")) and ticket[key] is not None
    }
    tags: list[RecordName] = []
    warnings = []
    if ticket["tag_ids"]:
        try:
            tags = name_get(odoo, "helpdesk.tag", ticket["tag_ids"]).names
        except OdooError as error:
            warnings.append(f"The tags' names cannot be read: {error.message}")
    return TicketResult(
        id=ticket["id"], message=message, tags=tags, warnings=warnings, **linked, **plain
    )
