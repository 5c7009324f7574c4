"""What a person allowed apart from the call is done, once; until then it waits in the history.

The question has all that would be done, and a yes is good for exactly that and for the one who
asked. It is another person's where the rules want that. Otherwise the one who asked says it on a
page, as their client cannot ask them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from odoo_toolkit.errors import AccessError, ConfigurationError, OdooError, make_error
from odoo_toolkit_mcp import audit
from odoo_toolkit_mcp.question import not_confirmed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from odoo_toolkit.change_history.approvals import Approval, Approvals
    from odoo_toolkit.client import Odoo
    from odoo_toolkit_mcp.approval_rules import Rules
    from odoo_toolkit_mcp.question import Question


def release(
    odoo: Odoo, rules: Rules, operation: str, question: Question, client: str, page: str | None
) -> str:
    """Return the digest of a question to which a person has said yes; that yes is used up.

    Args:
        odoo: the connection of the one who asks.
        rules: name those who decide on what others do.
        operation: the tool.
        question: all that would be done.
        client: the program that asks.
        page: address of the page on which people decide, if there is one.

    Raises:
        StateError: nobody has decided yet; the question waits.
        OdooError: somebody has said no.
    """
    approvals = approvals_of(odoo, rules.approvers if question.of_another else None)
    found = approvals.latest(odoo.uid, question.digest)
    if found and found.state == "approved" and approvals.use(found.id):
        return question.digest
    if found and found.state == "refused":
        raise _refusal(approvals, found)
    waits = found or approvals.ask(
        question.digest,
        uid=odoo.uid,
        who=_who(odoo),
        client=client,
        operation=operation,
        message=question.message,
    )
    if approvals.own:
        raise make_error(
            "CONFIRMATION_NEEDED",
            f"The user must confirm this on a web page first ({waits.id}). Nothing was done.",
            suggestion=f"Show your user the plan in asks, and ask them to confirm it at {page}."
            " Once they have, make exactly the same call again to run it. If the records have"
            " changed by then, the server asks for confirmation again.",
            details={"approval": waits.id, "page": page, "asks": question.message},
            outcome="not_sent",
        )
    where = f" Approvers decide at {page}." if page else ""
    raise make_error(
        "APPROVAL_NEEDED",
        f"Another user must approve this first ({waits.id}). Nothing was done.",
        suggestion=f"Tell the user that it waits for approval.{where} Once it is approved, make"
        " exactly the same call again to run it. If the records have changed by then, the server"
        " asks for approval again.",
        details={"approval": waits.id, "asks": question.message},
        outcome="not_sent",
    )


def _who(odoo: Odoo) -> str:
    """Return who asks: the login first, as people choose their names themselves."""
    # Imported here: the server must be able to start without them.
    from odoo_toolkit.users.acting_as import acting_as
    from odoo_toolkit_mcp.untrusted import clean

    return f"{login_of(odoo)} ({clean(acting_as(odoo).user or f'user {odoo.uid}')})"


def login_of(odoo: Odoo) -> str:
    """Return the login of the connected user, as approvers are named by it."""
    # Imported here: the server must be able to start without it.
    from odoo_toolkit.call import asking

    (row,) = odoo.call(asking("res.users", "read", (odoo.uid,), fields=["login"]))
    return str(row["login"]).lower()


def _refusal(approvals: Approvals, found: Approval) -> OdooError:
    """Return the error that says who has refused; people's own refusals count once."""
    if approvals.own:
        approvals.use(found.id, "refused")
        return not_confirmed()
    return AccessError(
        f"{found.decider} has refused this ({found.id}). Nothing was done.",
        suggestion="Do not repeat the call. Ask your user to talk to the approver.",
        details={"approval": found.id},
        outcome="not_sent",
    )


def approvals_of(odoo: Odoo, approvers: Iterable[str] | None) -> Approvals:
    """Return the approvals of a connection's database that certain people decide.

    Args:
        odoo: the connection.
        approvers: their logins. None for those who ask.

    Raises:
        ConfigurationError: the connection has no change history.
    """
    from odoo_toolkit.change_history import History
    from odoo_toolkit.change_history.approvals import Approvals
    from odoo_toolkit.change_history.recording import identity

    if not isinstance(odoo.history, History):
        raise ConfigurationError(
            "This needs a confirmation or an approval, which the server keeps in its change"
            " history, and that is off. Nothing was done.",
            suggestion="Ask the administrator to set history (ODOO_HISTORY).",
            outcome="not_sent",
        )
    return Approvals(odoo.history, identity(odoo), approvers, audit.record_happening)
