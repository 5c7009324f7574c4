"""The plans of a team server that wait: to be confirmed by their user, or approved by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import attrs

from odoo_toolkit_mcp.accounts.activity import Activity, Notes
from odoo_toolkit_mcp.accounts.grants import Account
from odoo_toolkit_mcp.accounts.team import APPROVALS, Instance
from odoo_toolkit_mcp.approval_rules import rules_of
from odoo_toolkit_mcp.audit import of_plan
from odoo_toolkit_mcp.requests import history_for

if TYPE_CHECKING:
    from odoo_toolkit.change_history.approvals import Approval, Approvals, Happening

Note = Callable[["Happening", "Approval"], None]
"""Is told what happens to a plan."""

#: The plans of the person who asked, or of other people, who need an approval.
Whose = Literal["own", "others"]


@attrs.frozen(kw_only=True)
class Waiting:
    """Plans that wait, as one person sees them.

    Attributes:
        own: plans of this person, to confirm.
        others: plans of others, to approve; None if this person approves none.
        elsewhere: plans of this person that another person decides upon.
    """

    own: list[Approval]
    others: list[Approval] | None
    elsewhere: list[Approval]

    @property
    def more(self) -> bool:
        """True if others may have more plans than these."""
        from odoo_toolkit.change_history.approvals import SHOWN

        return len(self.others or ()) == SHOWN

    @property
    def count(self) -> int:
        """How many wait for this person."""
        return len(self.own) + len(self.others or ())


def approves(instance: Instance, login: str) -> bool:
    """Return true if a user decides upon what others do."""
    return login.lower() in approvers_of(instance)


def waiting(instance: Instance, account: Account) -> Waiting:
    """Return the plans that wait for a person, and those of theirs that wait for another."""
    decides = approves(instance, account.login)
    decides = decides and instance.may_admit(account.login, account.groups)
    with opened(instance) as plans:
        if not plans:
            return Waiting(own=[], others=[] if decides else None, elsewhere=[])
        return Waiting(
            own=plans["own"].waiting(account.uid),
            others=plans["others"].waiting(but=account.uid) if decides else None,
            elsewhere=plans["others"].waiting(account.uid),
        )


def approvers_of(instance: Instance) -> frozenset[str]:
    """Return the logins of those who decide, which no rule changes."""
    rules = instance.rules
    return rules_of(rules[0].settings).approvers if rules else frozenset()


@contextmanager
def opened(instance: Instance, note: Note | None = None) -> Iterator[dict[Whose, Approvals]]:
    """Open the plans that wait, by whose they are; there are none without a change history."""
    from odoo_toolkit.change_history.approvals import Approvals
    from odoo_toolkit.change_history.recording import name_of_database

    connection = instance.connection
    history = history_for(connection, instance.rules[0].settings) if instance.rules else None
    if history is None:
        yield {}
        return
    try:
        database = name_of_database(connection.url, connection.database)
        yield {
            "own": Approvals(history, database, None, note),
            "others": Approvals(history, database, approvers_of(instance), note),
        }
    finally:
        history.store.close()


def expire(instance: Instance, activity: Activity) -> None:
    """Note which plans have waited for too long, or were approved and not carried out in time."""
    with opened(instance, noting(activity, instance)) as plans:
        for found in plans.values():
            found.expire()


def noting(activity: Activity, instance: Instance, account: Account | None = None) -> Note:
    """Return what notes in the audit log what happens to a plan, for the person."""
    whose = {"account": account.id, "login": account.login} if account else {}
    notes = Notes(activity, instance.name)

    def note(happening: Happening, plan: Approval) -> None:
        program = APPROVALS if account else ""
        notes({**whose, "program": program, **of_plan(happening, plan)})

    return note
