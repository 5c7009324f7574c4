"""Functions that create, change and return leads and opportunities."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import date
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.operations import stages
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain

STAGE = "crm.stage"

#: Of a lead or an opportunity.
LeadId = Annotated[int | None, Doc("Id of the lead or opportunity.")]
LeadName = Annotated[str | None, Doc("Name, instead of the id.")]

LEAD = op.Document(
    model="crm.lead",
    noun="lead",
    argument="lead_id",
    fields="""
        name type active stage_id team_id user_id partner_id partner_name email_from phone
        expected_revenue probability date_deadline tag_ids
    """,
)


@attrs.frozen(kw_only=True)
class LeadResult(op.Shown):
    """A lead or opportunity as it is now. None means empty, or that the value could not be read.

    Attributes:
        partner: The contact. ``partner_name`` is the company's name as text.
        expected_revenue: Expected revenue in the company's currency.
        probability: Probability of winning, in percent.
        date_deadline: Expected closing date.
        tags: Tags, if you changed them.
        active: False if it is lost or archived.
        warnings: Differences from your request.
    """

    id: int
    name: str
    type: str | None = None
    message: str
    stage: RecordName | None = None
    team: RecordName | None = None
    user: RecordName | None = None
    partner: RecordName | None = None
    partner_name: str | None = None
    email_from: str | None = None
    phone: str | None = None
    expected_revenue: float | None = None
    probability: float | None = None
    date_deadline: str | None = None
    tags: list[RecordName] | None = None
    active: bool | None = None
    warnings: list[str] = attrs.Factory(list)


def lead_result(row: op.Row, message: str, warnings: list[str]) -> LeadResult:
    """Return a row of :data:`LEAD` as a result."""
    return op.filled(LeadResult, row, message=message, warnings=warnings)


@contextlib.contextmanager
def given_to(odoo: Odoo, user: int | None) -> Iterator[None]:
    """Say what is meant where Odoo refuses to give a lead to somebody else.

    Odoo 17 and 18 read it once more when it is given away; who sees only their own may not then.
    """
    try:
        yield
    except AccessError as error:
        given_away = user not in (None, odoo.uid)
        if (
            given_away
            and error.outcome == "rolled_back"
            and error.details.get("operation") == "read"
        ):
            error.message = (
                f"Odoo {odoo.version.major} does not let this user assign a lead to another user, "
                "because this user could no longer see it. Nothing was changed."
            )
            error.suggestion = "Omit the salesperson, or connect as a user who can see all leads."
        raise


CREATE = op.Step(model=LEAD.model, method="create", says="Lead created")


@op.operation
def create_lead(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("Title of the lead.")],
    partner_id: Annotated[int | None, Doc("Id of the contact.")] = None,
    partner_name: Annotated[
        str | None,
        Doc("Name, instead of the id. If unknown, the lead's company name."),
    ] = None,
    email_from: Annotated[str | None, Doc("E-mail address.")] = None,
    phone: Annotated[str | None, Doc("Phone number.")] = None,
    type: Annotated[  # noqa: A002 - Odoo's name for it
        Literal["lead", "opportunity"], Doc("lead, or opportunity in the pipeline.")
    ] = "lead",
    expected_revenue: Annotated[float | None, Ge(0), Doc("In the company's currency.")] = None,
    team_id: Annotated[int | None, Doc("Id of the team.")] = None,
    team_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    user_id: Annotated[int | None, Doc("Salesperson. Default: the connected user.")] = None,
    user_name: Annotated[str | None, Doc("Login or name of the user, instead of the id.")] = None,
    stage_id: Annotated[int | None, Doc("Id of the stage.")] = None,
    stage_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    description: Annotated[str | None, Doc("Plain text.")] = None,
    tag_ids: Annotated[op.NamesOrIds, Doc("Ids or names of tags.")] = None,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Create a lead or an opportunity.

    >>> lead = create_lead(odoo, name="Chairs", partner_name="Zork", expected_revenue=9000)
    >>> lead.type, lead.user and lead.user.name
    ('lead', 'Mitchell Admin')

    A ``lead`` still has to be qualified, and an ``opportunity`` is in the pipeline. The toolkit
    always sends the type, because Odoo's default depends on the settings. If no contact matches
    ``partner_name``, it becomes the company name of the lead.

    Without a team, Odoo chooses one. The stage must belong to the team, or be shared by all teams.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        ValidationError: An argument is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = op.checked_name(name, "Set name to the subject of the lead.")
    op.permit(odoo, CREATE, dry_run=dry_run)
    described = odoo.schema.fields(LEAD.model)
    team, user, *tags = op.linked_ids(
        odoo,
        [
            op.Wanted(model="crm.team", field="team_id", id=team_id, name=team_name),
            op.Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
        ],
        op.wanted_each("crm.tag", tag_ids, "tag_ids"),
    )
    partner, company = _partner_or_text(odoo, partner_id, partner_name)
    if dry_run:
        op.look_for(odoo, [op.Wanted(model="res.partner", field="partner_id", id=partner_id)])
    by_stage = stage_id is not None or stage_name is not None
    revenue = plain(expected_revenue)
    values = {
        "name": name,
        "type": type,
        "partner_id": partner,
        "partner_name": company,
        "email_from": email_from,
        "phone": phone,
        "expected_revenue": None
        if revenue is None
        else op.checked_number(revenue, "expected_revenue", positive=False),
        "team_id": team,
        "user_id": user,
        "stage_id": find_stage(odoo, team, stage_id, stage_name).id if by_stage else None,
        "description": op.written_text(described["description"], description)
        if description
        else None,
        "tag_ids": [[6, 0, list(dict.fromkeys(tags))]] if tags else None,
    }
    create = CREATE.of(vals_list={key: value for key, value in values.items() if value is not None})

    def result(done: op.Done) -> LeadResult:
        asked: list[Callable[[], Any]] = [
            lambda: op.row_after(odoo, LEAD, done, name=name, type=type),
            lambda: type != "lead" or _shows_leads(odoo),
        ]
        row, listed = op.side_by_side(asked)
        if not listed:
            done.warnings.append(
                "Leads are disabled for this user. To see this lead in Odoo, "
                "convert it with convert_to_opportunity."
            )
        return lead_result(row, f"Created {type} {name!r} with ID {done.id}", done.warnings)

    would = f"Would create the {type} {name!r}."
    return op.operate(odoo, [create], (), result, message=would, dry_run=dry_run)


def _partner_or_text(
    odoo: Odoo, partner_id: int | None, partner_name: str | None
) -> tuple[int | None, str | None]:
    """Return the contact meant, or what was said as the name of a company that is none yet."""
    wanted = op.Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    try:
        return op.resolve(odoo, wanted, required=False), None
    except NotFoundError as error:
        if error.code != "NOT_FOUND" or partner_name is None:
            raise
        return None, partner_name.strip()


def _shows_leads(odoo: Odoo) -> bool:
    """Whether Odoo lists leads for this user: where it does not, it makes opportunities."""
    call = op.Call(
        model=LEAD.model, method="default_get", arguments={"fields": ["type"]}, step=True
    )
    try:
        return bool(odoo.call(call).get("type") != "opportunity")
    except OdooError:
        return True


CHANGE = op.Step(model=LEAD.model, method="write", says="Changed", fails="Not changed")
RESTORE = op.Step(
    model=LEAD.model,
    method="action_unarchive",
    says="Restored",
    seen=op.shows(LEAD, active=(True,)),
)


@op.operation
def update_lead(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    expected_revenue: Annotated[float | None, Ge(0), Doc("In the company's currency.")] = None,
    date_deadline: Annotated[
        str | date | None, op.JsonSchema({"type": "string"}), Doc("Expected closing.")
    ] = None,
    stage_id: Annotated[int | None, Doc("Id of the stage.")] = None,
    stage_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    user_id: Annotated[int | None, Doc("Salesperson.")] = None,
    user_name: Annotated[str | None, Doc("Login or name of the user, instead of the id.")] = None,
    team_id: Annotated[int | None, Doc("Id of the team.")] = None,
    team_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    add_tags: Annotated[op.NamesOrIds, Doc("Names or ids of tags to add.")] = None,
    remove_tags: Annotated[op.NamesOrIds, Doc("Names or ids of tags to remove.")] = None,
    description: Annotated[str | None, Doc("New internal note in plain text.")] = None,
    restore: Annotated[bool, Doc("Reopen a lost one.")] = False,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Change a lead or opportunity. Values that you do not pass stay the same.

    >>> lead = update_lead(odoo, lead_name="Chairs", add_tags=["Furniture"])
    >>> [tag.name for tag in lead.tags or ()]
    ['Furniture']

    The stage must belong to the team, or be shared by all teams. A won stage marks the lead as won.
    To reopen a lost or archived lead, pass ``restore=True``, which removes its lost reason.

    Raises:
        StateError: You passed ``restore``, and the lead is not archived. Nothing was written.
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The lead, stage, tag or another record does not exist. Nothing was written.
        ValidationError: There is nothing to change, or a value is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    described = odoo.schema.fields(LEAD.model)
    values = plain_values(
        expected_revenue=expected_revenue,
        date_deadline=date_deadline,
    )
    if description is not None:
        values["description"] = op.written_text(described["description"], description)
    links = [
        op.Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
        op.Wanted(model="crm.team", field="team_id", id=team_id, name=team_name),
    ]
    tags = [
        *op.wanted_each("crm.tag", add_tags, "add_tags"),
        *op.wanted_each("crm.tag", remove_tags, "remove_tags"),
    ]
    by_stage = stage_id is not None or stage_name is not None
    linked = [link for link in links if link.id is not None or link.name is not None]
    changes = bool(values or linked or tags or by_stage)
    if not changes and not restore:
        raise ValidationError("There are no new values.", suggestion="Pass at least one new value.")
    steps = [*([RESTORE] if restore else []), *([CHANGE] if changes else [])]
    op.permit(odoo, *steps, dry_run=dry_run)
    # Names are looked for among what is archived only where that is what is meant.
    archived = restore and lead_id is None
    document = attrs.evolve(LEAD, domain=(("active", "=", False),)) if archived else LEAD
    lead = op.find(odoo, document, lead_id, lead_name)
    what = op.label(lead)
    if restore and lead["active"]:
        raise lead_error(lead, lead["type"], "is not lost or archived", "Omit restore.")
    ids = op.linked_ids(odoo, [*linked, *tags])
    chosen = {link.field: found for link, found in zip(linked, ids, strict=False)}
    values |= chosen
    if by_stage:
        own = lead["team_id"].id if lead["team_id"] else None
        values["stage_id"] = find_stage(odoo, chosen.get("team_id", own), stage_id, stage_name).id
    if tags:
        first = len(linked) + len(add_tags or ())
        added, removed = set(ids[len(linked) : first]), set(ids[first:])
        if added & removed:
            raise ValidationError(
                "The same tag is in add_tags and in remove_tags.",
                suggestion="Remove the tag from one of them.",
                details={"field": "remove_tags"},
            )
        kept = {*(lead["tag_ids"] or ()), *added} - removed
        # The whole set: so a lost answer can be told from one that was not written.
        values["tag_ids"] = [[6, 0, sorted(kept)]]
    if changes:
        steps[-1] = CHANGE.of(vals=values)

    def result(done: op.Done) -> LeadResult:
        now = op.row_after(odoo, LEAD, done, name=lead["name"])
        links = {**chosen, "stage_id": values.get("stage_id")}
        done.warnings.extend(op.not_taken(now, links) if done.complete else [])
        verb = "Restored and changed" if restore and changes else "Restored" if restore else ""
        if tags:
            shown, model = now.pop("tag_ids", ()), LEAD.model
            now["tags"] = op.linked_names(
                odoo, "crm.tag", shown, "tags", done.warnings, acts_on=model
            )
        told = f"{verb or 'Changed'} {what}." if done.complete else f"Restored {what} only."
        return lead_result(now, told, done.warnings)

    would = f"Would {'restore' if restore else 'change'} {what}."
    with given_to(odoo, values.get("user_id")):
        return op.operate(odoo, steps, [lead["id"]], result, message=would, dry_run=dry_run)


def plain_values(**given: Any) -> dict[str, Any]:
    """Return what was given, checked."""
    values = {field: plain(value) for field, value in given.items() if plain(value) is not None}
    if "expected_revenue" in values:
        revenue = op.checked_number(values["expected_revenue"], "expected_revenue", positive=False)
        if revenue < 0:
            raise ValidationError(
                f"expected_revenue must not be negative, got {revenue:g}.",
                details={"field": "expected_revenue"},
            )
    if "date_deadline" in values:
        values["date_deadline"] = op.checked_day(values["date_deadline"], "date_deadline")
    return values


def lead_error(lead: op.Row, state: str, why: str, todo: str) -> StateError:
    """Return the error for a lead that is in no state for what was asked."""
    return op.state_error(LEAD, {**lead, "state": state}, f"{op.label(lead)} {why}.", todo)


def find_stage(
    odoo: Odoo, team: int | None, stage_id: int | None, stage_name: str | None
) -> RecordName:
    """Return the stage meant, which must be shared by all teams or belong to the lead's."""
    # Several teams share a stage from Odoo 19 on.
    field = "team_ids" if "team_ids" in odoo.schema.fields(STAGE) else "team_id"
    domain: list[Any] = [[field, "=", False]]
    return stages.find_stage(
        odoo,
        STAGE,
        ["|", *domain, [field, "in", [team]]] if team else domain,
        stage_id,
        stage_name,
        of="the stages of its sales team or of all teams",
        acts_on=LEAD.model,
        where_none=f"This team has no stages. Create a {STAGE}: without teams, all teams share it.",
    )
