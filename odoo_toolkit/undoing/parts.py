"""The parts of which taking something back is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from odoo_toolkit.change_history import Write
from odoo_toolkit.change_history.entries import GONE
from odoo_toolkit.display.results import Shown
from odoo_toolkit.operations.steps import AnyStep

#: How a record is called in messages, where it is found.
NAME = "display_name"


@attrs.frozen(kw_only=True)
class Part(Shown):
    """One thing that is taken back.

    Attributes:
        model, ids: the records.
        says: what would come of it.
        done: what has come of it, once it is done.
        blocked: why it cannot be done; None where nothing is known to be in the way.
    """

    model: str
    ids: list[int]
    says: str
    done: str = ""
    blocked: str | None = None


@attrs.define(kw_only=True)
class Item:
    """A part, and the steps by which it is done; ``of`` has the places of the writes it is of.

    ``otherwise`` does less, where the steps are refused. ``verify`` says what is not taken back
    though all was done.
    """

    part: Part
    of: frozenset[int] = frozenset()
    steps: list[AnyStep] = attrs.Factory(list)
    otherwise: list[AnyStep] = attrs.Factory(list)
    would_otherwise: str = ""
    says_otherwise: str = ""
    check: Callable[[], str | None] | None = None
    verify: Callable[[], str | None] | None = None


@attrs.define(kw_only=True)
class Found:
    """What takes some writes back.

    Attributes:
        writes: in the order in which they were made.
        items: in the order in which they are taken back.
        not_undone: what cannot be undone.
        lost: of ``not_undone``, what is no mere trace, by the place of its write.
        done: the items that were done.
    """

    writes: Sequence[Write]
    items: list[Item] = attrs.Factory(list)
    not_undone: list[str] = attrs.Factory(list)
    lost: dict[int, list[str]] = attrs.Factory(dict)
    done: list[Item] = attrs.Factory(list)

    @property
    def blocked(self) -> list[str]:
        """What is in the way of items."""
        return list(dict.fromkeys(item.part.blocked for item in self.items if item.part.blocked))

    def outcome(self, place: int) -> str:
        """Return what has become of a write."""
        write = self.writes[place]
        own = [item for item in self.items if place in item.of]
        done = sum(item in self.done for item in own)
        doubtful = write.outcome in ("sent", "doubtful") and not done
        if write.outcome in GONE or doubtful:
            return write.outcome
        if done == len(own) and place not in self.lost:
            return "undone"
        return "partial" if done else write.outcome
