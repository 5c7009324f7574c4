"""Methods are taken back by their opposites, which tables and functions name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from odoo_toolkit.app_models import Block, Opposite, known
from odoo_toolkit.change_history import Write
from odoo_toolkit.change_history.undo_preview import less_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.operations.compensations import WayBack
from odoo_toolkit.operations.documents import read_rows
from odoo_toolkit.operations.steps import AnyStep, Step
from odoo_toolkit.undoing.compensations import way_back
from odoo_toolkit.undoing.parts import NAME, Item, Part

#: What makes a locked document one that can be changed; from 17 on that is no state.
_UNLOCKS = ("action_unlock", "button_unlock")


def looked_up(odoo: Odoo, write: Write) -> list[WayBack]:
    return way_back(write.model, write.method)(odoo, write)


def by_way(odoo: Odoo, write: Write, way: WayBack, unless: Sequence[Block], *, later: bool) -> Item:
    def blocks() -> str | None:
        # What is taken back before it may have been what blocked it.
        now = next((w for w in looked_up(odoo, write) if w.ids == way.ids), None)
        return (now.blocked if now else None) or others()

    def others() -> str | None:
        found = (_in_the_way(odoo, number, way.name, unless) for number in write.ids)
        return next((block for block in found if block), None) if unless else None

    return Item(
        part=Part(
            model=way.model,
            ids=way.ids,
            says=f"{way.name} would be {way.says}.",
            done=f"{way.name} is {way.says}.",
            blocked=None if later else way.blocked or others(),
        ),
        check=blocks if later else None,
        steps=way.steps,
    )


def opposites(
    odoo: Odoo,
    model: str,
    ids: Sequence[int],
    opposite: Opposite,
    before: Mapping[int, Mapping[str, Any]],
    states: dict[tuple[str, int], str],
    *,
    later: bool,
) -> list[Item]:
    """Return what takes back what a method did to some records.

    Args:
        states: in which records are after what is taken back before it; is added to.
    """
    names = [NAME, "state"] if "state" in odoo.schema.fields(model) else [NAME]
    names += [name for name in ("active", "locked") if name in odoo.schema.fields(model)]
    rows = {row["id"]: row for row in read_rows(odoo, model, [["id", "in", list(ids)]], names)}
    items = []
    for number in reversed(ids):
        row = rows.get(number)
        if row is None:
            continue  # deleted since: nothing is left of it
        name = row[NAME] or f"{model} {number}"
        back_to = before.get(number, {}).get("state")
        state = states.get((model, number), row.get("state"))
        # What leads back to that state alone, such as button_cancel>cancel.
        back = [one.partition(">")[0] for one in opposite.by if one.endswith(f">{back_to}")]
        methods = tuple(back or (one for one in opposite.by if ">" not in one))
        if row.get("locked") is False:
            methods = tuple(method for method in methods if method not in _UNLOCKS)
        named = {number: {NAME: name}}
        steps, then = _steps(odoo, model, methods, opposite.context, state, named, back_to)
        if not steps:
            continue  # what is taken back before it has done it
        if then is not None:
            states[model, number] = then
        less = less_of(opposite)
        what = "as before" if back else opposite.says or "as before"
        if any(getattr(step, "method", "") in _UNLOCKS for step in steps):
            what = f"unlocked, and {what}"
        other, _ = _steps(odoo, model, opposite.otherwise, opposite.context, state, named)
        blocks = functools.partial(_in_the_way, odoo, number, name, opposite.unless)
        items.append(
            Item(
                part=Part(
                    model=model,
                    ids=[number],
                    says=f"{name} would be {what}.",
                    done=f"{name} is {what}.",
                    # What is taken back before it may be what is in the way.
                    blocked=None if later else blocks(),
                ),
                check=blocks if later else None,
                steps=steps,
                otherwise=other,
                would_otherwise=f"{name} would be {less}.",
                says_otherwise=f"{name} is {less}.",
            )
        )
    return items


def _steps(
    odoo: Odoo,
    model: str,
    methods: Sequence[str],
    context: Sequence[str],
    state: str | None,
    named: Mapping[int, dict[str, Any]],
    back_to: str | None = None,
) -> tuple[list[AnyStep], str | None]:
    """Return the steps that some methods are, and the state to which they lead.

    Args:
        state: in which the record is; what is not for it is left out.
        named: the name of the record, which the history keeps of one that is deleted.
        back_to: in which it is to be; what leads on from there is left out.
    """
    steps: list[AnyStep] = []
    true = dict.fromkeys(context, True)
    for method in methods:
        if back_to is not None and state == back_to:
            break
        method, _, only = method.partition("@")
        if only and state != only:
            continue
        if method in ("archive", "unarchive"):
            if "active" in odoo.schema.fields(model):
                values = {"active": method == "unarchive"}
                steps.append(Step(model=model, method="write", arguments={"vals": values}))
            continue
        if method == "unlink":
            steps.append(Step(model=model, method="unlink", before=named))
            continue
        move = known(model).move(method, odoo.version.major)
        if move and state is not None:
            if state not in (*move.sources, *move.also):
                continue
            state = move.to[0]
            seen = _in_state(model, move.to)
            steps.append(Step(model=model, method=method, context=true, seen=seen))
        else:
            steps.append(Step(model=model, method=method, context=true))
    return steps, state


def _in_state(model: str, states: Sequence[str]) -> Callable[[Odoo, int], bool | None]:
    def seen(odoo: Odoo, number: int) -> bool | None:
        rows = read_rows(odoo, model, [["id", "=", number]], ["state"])
        return True if rows and rows[0]["state"] in states else None

    return seen


def _in_the_way(odoo: Odoo, number: int, name: str, blocks: Sequence[Block]) -> str | None:
    for block in blocks:
        domain = [[f, o, number if v == "ID" else v] for f, o, v in block.domain]
        try:
            rows = read_rows(odoo, block.model, domain, [NAME], limit=5)
        except OdooError as error:
            if error.code in ("UNKNOWN_MODEL", "INVALID_FIELD"):
                continue  # the module is not installed
            raise
        if rows:
            names = ", ".join(str(row[NAME]) for row in rows)
            return f"{name}: {block.says.format(names=names)}"
    return None
