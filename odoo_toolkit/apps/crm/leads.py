"""Leads and opportunities: created, changed, returned, converted, moved, won and lost."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import (
    AccessError,
    NotFoundError,
    OdooError,
    StateError,
    ValidationError,
    invalid,
)
from odoo_toolkit.operations import stages
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.search_text import literal

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
        row, listed = op.gather(
            lambda: op.row_after(odoo, LEAD, done, name=name, type=type),
            lambda: type != "lead" or _shows_leads(odoo),
        )
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
        str | date | None, op.JsonSchema({"type": "string"}), Doc("Expected closing date.")
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
    restore: Annotated[bool, Doc("Reopen a lost lead.")] = False,
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
        raise ValidationError(
            "There is nothing to change.", suggestion="Pass at least one new value."
        )
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
            raise invalid(
                "remove_tags",
                "The same tag is in add_tags and in remove_tags.",
                "Remove the tag from one of the lists.",
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
            raise invalid(
                "expected_revenue", f"expected_revenue must not be negative, got {revenue:g}."
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
        where_none=f"This team has no stages. Create a {STAGE}: with no team, all teams share it.",
    )


CONVERT = op.WizardStep(
    model=LEAD.model,
    wizard="crm.lead2opportunity.partner",
    says="Converted",
    seen=op.shows(LEAD, type=("opportunity",)),
)

CONVERTED = op.Step(
    model=LEAD.model,
    method="write",
    says="Revenue and stage written",
    fails="It is converted, but revenue and stage are not written",
)

#: What Odoo does with ``create_customer``.
CUSTOMER = op.Step(model="res.partner", method="create")

#: State of what cannot be converted -> what to do.
_SUGGESTIONS = {
    "opportunity": "To change its stage, use move_stage.",
    "archived": "First restore it, with update_lead and restore=True.",
    "won": "First move it to an open stage with move_stage.",
}


@op.operation
def convert_to_opportunity(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    partner_id: Annotated[int | None, Doc("Id of the contact.")] = None,
    partner_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    create_customer: Annotated[
        bool, Doc("Create a customer from its data if it has none.")
    ] = False,
    user_id: Annotated[int | None, Doc("Salesperson.")] = None,
    user_name: Annotated[str | None, Doc("Login or name of the user, instead of the id.")] = None,
    team_id: Annotated[int | None, Doc("Id of the team.")] = None,
    team_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    expected_revenue: Annotated[float | None, Ge(0), Doc("In the company's currency.")] = None,
    stage_id: Annotated[int | None, Doc("Default: the first stage.")] = None,
    stage_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Convert a lead to an opportunity with Odoo's wizard. It is never merged with another lead.

    >>> lead = convert_to_opportunity(odoo, lead_name="Chairs", stage_name="Qualified")
    >>> lead.type, lead.stage and lead.stage.name
    ('opportunity', 'Qualified')

    With ``create_customer``, Odoo creates a customer from the lead's company, contact and e-mail
    address. The policy must allow you to create contacts. Without a team or salesperson, the lead
    keeps its team. The stage must belong to the team, or be shared by all teams. A won stage marks
    the opportunity as won.

    Raises:
        StateError: It is already an opportunity, or won or lost. Nothing was written.
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The lead, customer, user, team or stage does not exist. Nothing was written.
        ValidationError: The stage belongs to another team, or the revenue is wrong. Nothing was
            written.
        AccessError: Odoo or the policy does not allow it.
    """
    changed = plain_values(expected_revenue=expected_revenue)
    by_stage = stage_id is not None or stage_name is not None
    then = CONVERTED if changed or by_stage else None
    op.permit(odoo, CONVERT, *([then] if then else []), dry_run=dry_run)
    lead = op.find(odoo, LEAD, lead_id, lead_name)
    _check_convertible(lead)
    partner, user, team = op.linked_ids(
        odoo,
        [
            op.Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name),
            op.Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
            op.Wanted(model="crm.team", field="team_id", id=team_id, name=team_name),
        ],
    )
    if partner is None and lead["partner_id"]:
        partner = lead["partner_id"].id
    makes_customer = partner is None and create_customer
    if makes_customer:
        op.permit(odoo, CUSTOMER, dry_run=dry_run)
    if team is None and user is None and lead.get("team_id"):
        # Left to itself, the wizard takes a team of the salesperson.
        team = lead["team_id"].id
    if by_stage:
        stage = find_stage(odoo, team, stage_id, stage_name)
        changed["stage_id"] = stage.id
    chosen = {"partner_id": partner, "user_id": user, "team_id": team}
    # Left to itself, the wizard merges leads that share an e-mail address.
    values = {"name": "convert", **_customer(odoo, partner, makes_customer)}
    values |= {key: value for key, value in chosen.items() if value}
    if (user or team) and "force_assignment" in odoo.schema.fields(CONVERT.wizard):
        values["force_assignment"] = True
    what, email = op.label(lead), lead["email_from"]
    # Looked for before: the conversion makes a company and its contact, both with the address.
    others = _same_email(odoo, email) if email and makes_customer and not dry_run else {}

    def result(done: op.Done) -> LeadResult:
        now = op.row_after(odoo, LEAD, done, name=lead["name"])
        if now.get("type", "opportunity") != "opportunity":
            done.warnings.append("Odoo's wizard reported no error, but the record is still a lead.")
            return lead_result(now, f"{what} was not converted.", done.warnings)
        asked = {**chosen, "stage_id": changed.get("stage_id")} if done.complete else chosen
        done.warnings.extend(op.not_taken(now, asked))
        made = now.get("partner_id")
        if others and made and made.id not in others:
            names = ", ".join(f"{name} ({number})" for number, name in others.items())
            done.warnings.append(
                f"A new customer was created, although {email} belongs to {names}."
            )
        if not partner and not makes_customer and made:
            done.warnings.append("Odoo linked a customer automatically.")
        return lead_result(now, f"Converted {what} to an opportunity.", done.warnings)

    new = []
    if (revenue := changed.get("expected_revenue")) is not None:
        new.append(f"an expected revenue of {revenue:g}")
    if by_stage:
        new.append(f"the stage {stage.name}")
    customer = " Odoo creates a customer from the lead's data." if makes_customer else ""
    would = f"Would convert {what} to an opportunity{' with ' * bool(new)}{' and '.join(new)}."
    steps: list[op.AnyStep] = [attrs.evolve(CONVERT, values=values)]
    if then:
        steps.append(then.of(vals=changed))
    with given_to(odoo, user):
        return op.operate(
            odoo, steps, [lead["id"]], result, message=would + customer, dry_run=dry_run
        )


def _customer(odoo: Odoo, partner: int | None, makes_customer: bool) -> dict[str, Any]:
    """Return what the wizard is told of the customer."""
    if partner or makes_customer:
        return {"action": "exist" if partner else "create"}
    actions = dict(odoo.schema.fields(CONVERT.wizard)["action"].selection)
    # Odoo 19 cannot be told to link none: it links an existing one, and there none is given.
    return (
        {"action": "nothing"} if "nothing" in actions else {"action": "exist", "partner_id": False}
    )


def _check_convertible(lead: op.Row) -> None:
    if lead["type"] != "lead":
        state, why = "opportunity", "is already an opportunity"
    elif lead["active"] is False:
        state, why = "archived", "is lost or archived, and Odoo converts only open leads"
    elif (lead["probability"] or 0) >= 100:
        state, why = "won", "is won, and Odoo converts only open leads"
    else:
        return
    raise lead_error(lead, state, why, _SUGGESTIONS[state])


def _same_email(odoo: Odoo, email: str) -> dict[int, str]:
    """Return the names of some contacts that have an e-mail address, by id."""
    domain = [["email", "=ilike", literal(email)]]
    try:
        rows = op.read_rows(
            odoo,
            "res.partner",
            domain,
            ["display_name"],
            acts_on=LEAD.model,
            limit=3,
            active_test=True,
        )
    except OdooError:
        return {}
    return {row["id"]: row["display_name"] for row in rows}


WIN = op.Step(
    model=LEAD.model, method="action_set_won", says="Won", seen=op.shows(LEAD, probability=(100.0,))
)
LOSE = op.Step(
    model=LEAD.model, method="action_set_lost", says="Lost", seen=op.shows(LEAD, active=(False,))
)


@op.operation
def move_stage(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    stage_id: Annotated[int | None, Doc("Id of the stage.")] = None,
    stage_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Move a lead or opportunity to another stage.

    >>> stage = move_stage(odoo, lead_name="Chairs", stage_name="Qualified").stage
    >>> stage and stage.name
    'Qualified'

    The stage must belong to the lead's team, or be shared by all teams. Odoo itself would accept
    any stage.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The lead or stage does not exist.
        ValidationError: The stage belongs to another team. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """

    def stage_for(lead: op.Row) -> RecordName:
        team = lead["team_id"].id if lead["team_id"] else None
        return find_stage(odoo, team, stage_id, stage_name)

    return stages.move(odoo, LEAD, lead_id, lead_name, stage_for, lead_result, dry_run=dry_run)


@op.operation
def mark_won(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Mark an opportunity as won. It moves to the won stage of its team.

    >>> mark_won(odoo, lead_name="Chairs").probability
    100.0

    As in Odoo, this reopens a lost or archived opportunity.

    Raises:
        StateError: It is a lead. Convert it first. Nothing was written.
        NotFoundError: The opportunity does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, WIN, dry_run=dry_run)
    lead = op.find(odoo, LEAD, lead_id, lead_name)
    what = op.label(lead)
    if lead["type"] != "opportunity":
        raise lead_error(
            lead,
            "lead",
            "is a lead, and only an opportunity can be won",
            "First convert the lead with convert_to_opportunity.",
        )

    def result(done: op.Done) -> LeadResult:
        now = op.row_after(odoo, LEAD, done, name=lead["name"])
        if (probability := now.get("probability")) is not None and probability < 100:
            done.warnings.append("Odoo did not mark it as won. Its team may have no won stage.")
            return lead_result(now, f"{what} is not won.", done.warnings)
        if lead["active"] is False:
            done.warnings.append("The lead was lost or archived, and is now open again.")
        return lead_result(now, f"{what} is won.", done.warnings)

    would = f"Would mark {what} as won."
    return op.operate(odoo, [WIN], [lead["id"]], result, message=would, dry_run=dry_run)


@op.operation
def mark_lost(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    reason_id: Annotated[int | None, Doc("Id of the lost reason.")] = None,
    reason_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Mark a lead or opportunity as lost. It is archived with a probability of 0.

    >>> mark_lost(odoo, lead_name="Chairs", reason_name="Too expensive").active
    False

    Raises:
        StateError: It is already lost or archived. Nothing was written.
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The lead or reason does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, LOSE, dry_run=dry_run)
    lead = op.find(odoo, LEAD, lead_id, lead_name)
    if lead["active"] is False:
        raise lead_error(lead, "archived", "is already lost or archived", "Nothing is left to do.")
    wanted = op.Wanted(model="crm.lost.reason", field="reason_id", id=reason_id, name=reason_name)
    (reason,) = op.linked_ids(odoo, [wanted])
    # The argument is called as the field: lost_reason to Odoo 15, lost_reason_id since.
    field = (
        "lost_reason_id" if "lost_reason_id" in odoo.schema.fields(LEAD.model) else "lost_reason"
    )
    lose = LOSE.of(**{field: reason}) if reason else LOSE

    def result(done: op.Done) -> LeadResult:
        now = op.row_after(odoo, LEAD, done, name=lead["name"])
        return lead_result(now, f"{op.label(lead)} is lost.", done.warnings)

    would = f"Would mark {op.label(lead)} as lost."
    return op.operate(odoo, [lose], [lead["id"]], result, message=would, dry_run=dry_run)
