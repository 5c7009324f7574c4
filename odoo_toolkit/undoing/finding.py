"""Finds the way back of some writes, the last first, and which of them have none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from odoo_toolkit.app_models import known
from odoo_toolkit.change_history import Write
from odoo_toolkit.change_history.entries import GONE, is_only_of, passing
from odoo_toolkit.change_history.undo_preview import CREATES, not_allowed, opposite_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.compensations import WayBack
from odoo_toolkit.operations.steps import AnyStep
from odoo_toolkit.undoing.opposites import by_way, looked_up, opposites
from odoo_toolkit.undoing.parts import Found, Item
from odoo_toolkit.undoing.restored import Restored
from odoo_toolkit.wizards.actions import is_transient


def find(odoo: Odoo, writes: Sequence[Write]) -> Found:
    """Return what takes some writes back, the last first, and what nothing takes back."""
    version = odoo.version.major
    gone = passing(writes)
    there = [
        (place, write)
        for place, write in enumerate(writes)
        if write.outcome not in GONE and not is_only_of(write, gone)
    ]
    made = {(w.made_model, n) for _, w in there for n in w.made}
    # Lines of what is made go with it; a wizard's are of the records that it was opened for.
    parts = [
        (place, part)
        for place, write in there
        for part in (
            (write,)
            if is_only_of(write, made) and not known(write.model).is_wizard
            else (*write.lines, write)
        )
    ]
    flat, origins = [part for _, part in parts], [place for place, _ in parts]
    ways: dict[int, list[WayBack]] = {}
    seen: set[tuple[str, tuple[int, ...]]] = set()
    for place, write in enumerate(flat):
        if _is_looked_up(write, version):
            ways[place] = [
                way
                for way in looked_up(odoo, write)
                # A button and the wizard that it opened lead to the same.
                if (way.model, tuple(way.ids)) not in seen
            ]
            seen |= {(way.model, tuple(way.ids)) for way in ways[place]}
    # What a way back settles is not taken back by itself.
    settled = {record for own in ways.values() for way in own for record in way.covers}
    restored = Restored(odoo, flat, made | settled)
    found = Found(writes=writes)
    items, not_undone = found.items, found.not_undone
    states: dict[tuple[str, int], str] = {}

    def lost(place: int, *told: str) -> None:
        not_undone.extend(told)
        if told:
            found.lost.setdefault(origins[place], []).extend(told)

    for place in range(len(flat) - 1, -1, -1):
        write = flat[place]
        before = len(items)
        if place in ways:
            opposite = opposite_of(write.model, write.method, version)
            unless = opposite.unless if opposite else ()
            items += [by_way(odoo, write, w, unless, later=bool(items)) for w in ways[place]]
            _are_of(items[before:], [origins[place]])
            not_undone += [opposite.not_undone] if opposite and opposite.not_undone else []
            continue
        if write.method in ("create", "write") and known(write.model).is_wizard:
            continue
        if write.method == "write":
            for item, of in restored.at(place):
                _are_of([item], [origins[each] for each in of])
                items.append(item)
            lost(place, *restored.told(place))
            continue
        opposite = known(write.model).opposite(write.method, version)
        # What Odoo does not tell to be a wizard may be a record that somebody wants gone.
        if opposite is None and is_transient(odoo, write.model, untold=False):
            if write.method != "create":
                lost(
                    place, f"The toolkit does not know how to undo {write.method} of {write.model}."
                )
            continue
        opposite = opposite or opposite_of(write.model, write.method, version)
        if opposite and opposite.not_undone and not opposite.is_known and not opposite.made:
            lost(place, opposite.not_undone)
        elif opposite and opposite.not_undone:
            not_undone.append(opposite.not_undone)
        model, ids = write.model, write.ids
        if write.made:
            model = write.made_model
            ids = [number for number in write.made if (model, number) not in settled]
            opposite = opposite_of(model, "create", version)
            if opposite and opposite.not_undone:
                not_undone.append(opposite.not_undone)
        elif opposite and opposite.made:
            opposite = None
        elif opposite and opposite.of:
            model, ids = opposite.of, list(write.before)
        if opposite is None or not opposite.by:
            if opposite is None and not write.made:
                lost(place, _unknown(write))
            continue
        if write.method in CREATES and not write.made:
            # The records that a copy was called on are those that it was made of.
            not_undone.append(
                f"It is unknown whether a record of {model} was created. Look for it."
            )
            continue
        items += opposites(odoo, model, ids, opposite, write.before, states, later=bool(items))
        _are_of(items[before:], [origins[place]])
    not_undone += [text for item in items if (text := _within_policy(odoo, item))]
    _block_followers(items)
    found.not_undone = list(dict.fromkeys(not_undone))
    return found


def _block_followers(items: Sequence[Item]) -> None:
    """Block what waits for something that is blocked, so that a preview is what happens."""
    blocked: dict[tuple[str, int], str] = {}
    free = False
    for item in items:
        records = [(item.part.model, number) for number in item.part.ids]
        if blocked and not item.part.blocked:
            own = next((blocked[record] for record in records if record in blocked), None)
            in_the_way = item.check() if item.check and (own or not free) else None
            if in_the_way or (own and any(_deletes(step) for step in item.steps)):
                item.part = attrs.evolve(item.part, blocked=own or in_the_way)
        if item.part.blocked:
            blocked |= {record: item.part.blocked for record in records if item.steps}
        free = free or not item.part.blocked


def _deletes(step: AnyStep) -> bool:
    return getattr(step, "method", "") == "unlink"


def _within_policy(odoo: Odoo, item: Item) -> str:
    """Have an item do less where the policy is against its steps, or block it; say what stays."""
    against = _refused(odoo, item, item.steps)
    if item.part.blocked or not against or odoo.policy.mode == "readonly":
        return ""
    if not item.otherwise or _refused(odoo, item, item.otherwise):
        says = f"{item.part.says.rstrip('.')}, but {against[:1].lower()}{against[1:]}"
        item.part = attrs.evolve(item.part, blocked=says)
        return ""
    item.part = attrs.evolve(item.part, says=item.would_otherwise, done=item.says_otherwise)
    item.steps, item.otherwise = item.otherwise, []
    return not_allowed(item.part.model, against, less=True)


def _refused(odoo: Odoo, item: Item, steps: Sequence[AnyStep]) -> str:
    for step in steps:
        for call in step.calls(odoo, tuple(item.part.ids)):
            if refusal := odoo.refusal(call):
                return refusal.message.rstrip(".")
    return ""


def _are_of(items: Sequence[Item], places: Iterable[int]) -> None:
    for item in items:
        item.of = frozenset(places)


def _unknown(write: Write) -> str:
    if write.made_model:
        return f"It is unknown which {write.made_model} {write.method} of {write.model} created."
    return f"The toolkit does not know how to undo {write.method} of {write.model}."


def _is_looked_up(write: Write, version: int) -> bool:
    """Whether a function says how a call is taken back."""
    opposite = opposite_of(write.model, write.method, version)
    return opposite is not None and "looked_up" in opposite.by
