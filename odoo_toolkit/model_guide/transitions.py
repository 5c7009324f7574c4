"""Where the buttons of Odoo's own documents lead: what neither forms nor documentation say."""

from __future__ import annotations

import attrs

from odoo_toolkit.compat import NEWEST, OLDEST


@attrs.frozen(kw_only=True)
class Move:
    """What a method does to the state of a record.

    Attributes:
        to: the states it may lead to, the usual one first.
        sources: the states it is for, where the form shows the button without regard to the
            state.
        never: states in which the button is shown, too, but leaves the state as it is.
        label: what the menu calls it, for methods that have no button on the form.
        since: first Odoo version for which this is so.
        until: last one.
    """

    to: tuple[str, ...]
    sources: tuple[str, ...]
    never: tuple[str, ...] = ()
    label: str = ""
    since: int = OLDEST
    until: int = NEWEST


def _move(
    to: str,
    sources: str,
    *,
    never: str = "",
    label: str = "",
    since: int = OLDEST,
    until: int = NEWEST,
) -> tuple[Move, ...]:
    return (
        Move(
            to=_states(to),
            sources=_states(sources),
            never=_states(never),
            label=label,
            since=since,
            until=until,
        ),
    )


def _states(listed: str) -> tuple[str, ...]:
    return tuple(listed.split("|")) if listed else ()


#: model -> method -> what it does; states are separated by ``|``.
#: Read off Odoo's behaviour; the forms of 14 to 19 say from where.
MOVES: dict[str, dict[str, tuple[Move, ...]]] = {
    "sale.order": {
        "action_quotation_send": _move("sent", "draft", never="sale"),
        "action_confirm": _move("sale", "draft|sent"),
        "action_done": _move("done", "sale", label="Lock", until=16),
        "action_unlock": _move("sale", "done", label="Unlock", until=16),
        "action_cancel": _move("cancel", "draft|sent|sale"),
        "action_draft": _move("draft", "cancel"),
    },
    "purchase.order": {
        "action_rfq_send": _move("sent", "draft", never="purchase"),
        "button_confirm": _move("purchase|to approve", "draft|sent"),
        "button_approve": _move("purchase", "to approve"),
        "button_done": _move("done", "purchase", until=18),
        "button_unlock": _move("purchase", "done", until=18),
        "button_cancel": _move("cancel", "draft|sent"),
        "button_draft": _move("draft", "cancel"),
    },
    "account.move": {
        "action_post": _move("posted", "draft"),
        "button_draft": _move("draft", "posted|cancel"),
        "button_cancel": _move("cancel", "draft"),
    },
    "account.payment": {
        "action_post": _move("posted", "draft", until=17)
        + _move("in_process|paid", "draft", since=18),
        "action_validate": _move("paid", "in_process", since=18),
        "action_reject": _move("rejected", "in_process", since=18),
        "action_draft": _move("draft", "posted|cancel", until=17)
        + _move("draft", "in_process|paid|canceled|rejected", since=18),
        "action_cancel": _move("cancel", "draft", until=17) + _move("canceled", "draft", since=18),
    },
    "stock.picking": {
        "action_confirm": _move("confirmed|waiting|assigned", "draft"),
        "action_assign": _move("assigned", "confirmed|waiting"),
        "do_unreserve": _move("confirmed", "assigned"),
        "button_validate": _move("done", "draft|waiting|confirmed|assigned"),
        "action_cancel": _move("cancel", "draft|waiting|confirmed|assigned"),
    },
    "mrp.production": {
        "action_confirm": _move("confirmed", "draft"),
        "button_mark_done": _move("done", "confirmed|progress|to_close"),
        "action_cancel": _move("cancel", "draft|confirmed|progress|to_close"),
    },
    "hr.leave": {
        "action_approve": _move("validate|validate1", "confirm"),
        "action_validate": _move("validate", "validate1"),
        "action_refuse": _move("refuse", "confirm|validate1|validate"),
    },
}

#: Method -> the state it leads to by its name, on models that are not in :data:`MOVES`; only where
#: the model has such a state and the form ties the button to states.
USUAL_MOVES: dict[str, tuple[str, ...]] = {
    "action_cancel": ("cancel", "cancelled", "canceled"),
    "button_cancel": ("cancel", "cancelled", "canceled"),
    "action_draft": ("draft",),
    "action_reset_to_draft": ("draft",),
    "action_set_draft": ("draft",),
    "action_set_to_draft": ("draft",),
    "button_draft": ("draft",),
    "action_confirm": ("confirmed", "confirm", "open"),
    "button_confirm": ("confirmed", "confirm", "open"),
    "action_approve": ("approved", "approve"),
    "button_approve": ("approved", "approve"),
    "action_refuse": ("refused", "refuse"),
    "action_reject": ("rejected", "reject"),
    "action_done": ("done",),
    "button_done": ("done",),
    "action_validate": ("done", "validated", "validate"),
    "button_validate": ("done", "validated", "validate"),
    "action_close": ("closed", "close", "done"),
    "action_post": ("posted", "post"),
}


def move_of(model: str, method: str, version: int) -> Move | None:
    """Return what a method of Odoo's own does to the state on a version; None where not known."""
    for move in MOVES.get(model, {}).get(method, ()):
        if move.since <= version <= move.until:
            return move
    return None
