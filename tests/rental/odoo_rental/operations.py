"""What is done with rental contracts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import Odoo, search_read
from odoo_toolkit.annotations import DryRun
from odoo_toolkit.display.results import Shown
from odoo_toolkit.operations.documents import (
    Document,
    Row,
    filled,
    find,
    row_after,
    shows,
    state_error,
)
from odoo_toolkit.operations.lines import checked_day
from odoo_toolkit.operations.steps import Done, Step, WizardStep, operate, permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.names import Wanted, resolve_all
from odoo_toolkit.records.results import RecordName

CONTRACT = Document(
    model="rental.contract",
    noun="rental contract",
    argument="contract_id",
    fields=(
        "name",
        "partner_id",
        "equipment_id",
        "date_start",
        "date_end",
        "price",
        "state",
        "damage",
    ),
    numbered=True,
)
CREATE = Step(model=CONTRACT.model, method="create", says="Contract created")
CONFIRM = Step(
    model=CONTRACT.model,
    method="action_confirm",
    says="Contract confirmed",
    seen=shows(CONTRACT, state=("confirmed",)),
)
HAND_OVER = Step(
    model=CONTRACT.model,
    method="action_hand_over",
    says="Equipment handed over",
    seen=shows(CONTRACT, state=("out",)),
)
RETURN = WizardStep(
    model=CONTRACT.model,
    wizard="rental.return",
    says="Equipment returned",
    seen=shows(CONTRACT, state=("returned",)),
)

ContractId = Annotated[int | None, Doc("Id of the contract.")]
ContractName = Annotated[str | None, Doc("Its number, instead of the id.")]


@attrs.frozen(kw_only=True)
class ContractResult(Shown):
    """A contract as it is now; None is what is empty or could not be read back."""

    id: int
    name: str
    message: str | None = None
    url: str | None = None
    partner: RecordName | None = None
    equipment: RecordName | None = None
    date_start: str | None = None
    date_end: str | None = None
    price: float | None = None
    state: str | None = None
    damage: str | None = None
    warnings: list[str] = attrs.Factory(list)


def get_contract(
    odoo: Odoo, *, contract_id: ContractId = None, contract_name: ContractName = None
) -> ContractResult:
    """Return a contract."""
    return filled(ContractResult, find(odoo, CONTRACT, contract_id, contract_name))


@operation
def create_contract(
    odoo: Odoo,
    *,
    partner_id: Annotated[int | None, Doc("Id of the customer.")] = None,
    partner_name: Annotated[str | None, Doc("Its name, instead of the id.")] = None,
    equipment_id: Annotated[int | None, Doc("Id of the equipment.")] = None,
    equipment_name: Annotated[str | None, Doc("Its name or code, instead of the id.")] = None,
    date_start: Annotated[str | None, Doc("YYYY-MM-DD; today by default.")] = None,
    date_end: Annotated[str | None, Doc("YYYY-MM-DD.")] = None,
    dry_run: DryRun = False,
) -> ContractResult | Plan:
    """Create a draft of a contract."""
    permit(odoo, CREATE, dry_run=dry_run)
    partner, equipment = resolve_all(
        odoo,
        [
            Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name),
            Wanted(
                model="rental.equipment", field="equipment_id", id=equipment_id, name=equipment_name
            ),
        ],
    )
    given = {
        "partner_id": partner,
        "equipment_id": equipment,
        "date_start": checked_day(date_start, "date_start"),
        "date_end": checked_day(date_end, "date_end"),
    }
    values = {key: value for key, value in given.items() if value is not None}

    def result(done: Done) -> ContractResult:
        row = row_after(odoo, CONTRACT, done, name=f"contract {done.id}")
        message = f"Created {row['name']}."
        return filled(ContractResult, row, message=message, warnings=done.warnings)

    steps = [CREATE.of(vals_list=values)]
    would = "Would create a rental contract."
    return operate(odoo, steps, (), result, message=would, dry_run=dry_run)


@operation
def confirm_contract(
    odoo: Odoo,
    *,
    contract_id: ContractId = None,
    contract_name: ContractName = None,
    dry_run: DryRun = False,
) -> ContractResult | Plan:
    """Confirm a contract."""
    return _taken_on(odoo, CONFIRM, "draft", _meant(contract_id, contract_name), dry_run)


@operation
def hand_over(
    odoo: Odoo,
    *,
    contract_id: ContractId = None,
    contract_name: ContractName = None,
    dry_run: DryRun = False,
) -> ContractResult | Plan:
    """Hand the equipment of a confirmed contract over."""
    return _taken_on(odoo, HAND_OVER, "confirmed", _meant(contract_id, contract_name), dry_run)


@operation
def return_contract(
    odoo: Odoo,
    *,
    contract_id: ContractId = None,
    contract_name: ContractName = None,
    damage: Annotated[str | None, Doc("What is broken, if anything.")] = None,
    dry_run: DryRun = False,
) -> ContractResult | Plan:
    """Take the equipment of a contract back."""
    meant = _meant(contract_id, contract_name)
    return _taken_on(odoo, RETURN, "out", meant, dry_run, damage=damage)


def _meant(contract_id: int | None, contract_name: str | None) -> dict[str, Any]:
    return {"record_id": contract_id, "name": contract_name}


def _taken_on(
    odoo: Odoo,
    step: Step | WizardStep,
    source: str,
    meant: Mapping[str, Any],
    dry_run: bool,
    **answers: Any,
) -> ContractResult | Plan:
    permit(odoo, step, dry_run=dry_run)
    row: Row = find(odoo, CONTRACT, **meant)
    if row["state"] != source:
        message = f"{row['name']} is {row['state']}, not {source}."
        raise state_error(CONTRACT, row, message, "Do first what leads there.")
    if isinstance(step, WizardStep):
        step = step.of(contract_id=row["id"], **answers)

    def result(done: Done) -> ContractResult:
        now = row_after(odoo, CONTRACT, done, name=row["name"])
        message = f"{row['name']} is {now.get('state')} now."
        return filled(ContractResult, now, message=message, warnings=done.warnings)

    would = f"Would take {row['name']} on from {source}."
    return operate(odoo, [step], [row["id"]], result, message=would, dry_run=dry_run)


def due_back(odoo: Odoo, day: str) -> str:
    """Return the text of the prompt."""
    domain = [["state", "=", "out"], ["date_end", "<=", checked_day(day, "day")]]
    found = search_read(odoo, CONTRACT.model, domain, ["name", "equipment_id", "date_end"])
    lines = [f"- {r['name']}: {r['equipment_id']['name']}, due {r['date_end']}" for r in found]
    return "\n".join(["Write to the customers of these contracts:", *lines])
