"""What another person allowed is done, once; what nobody has decided yet waits in the history.

The question has all that would be done, and a yes is good for exactly that and for the one who
asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from odoo_toolkit.errors import AccessError, make_error

if TYPE_CHECKING:
    from odoo_toolkit.change_history.approvals import Approvals
    from odoo_toolkit.client import Odoo
    from odoo_toolkit_mcp.approval_rules import Rules


def release(
    odoo: Odoo, rules: Rules, operation: str, message: str, digest: str, client: str
) -> str:
    """Return the digest of a question to which another person has said yes; that yes is used up.

    Args:
        odoo: the connection of the one who asks.
        rules: name those who decide.
        operation: the tool.
        message: all that would be done.
        digest: stands for it.
        client: the program that asks.

    Raises:
        StateError: nobody has decided yet; the question waits.
        AccessError: somebody has said no.
    """
    # Imported here: the server must be able to start without them.
    from odoo_toolkit.users.acting_as import acting_as

    approvals = approvals_of(odoo, rules)
    found = approvals.latest(odoo.uid, digest)
    if found and found.state == "approved" and approvals.use(found.id):
        return digest
    if found and found.state == "refused":
        raise AccessError(
            f"{found.decider} has refused this ({found.id}). Nothing was done.",
            suggestion="Do not repeat the call. Ask your user to talk to the approver.",
            details={"approval": found.id},
            outcome="not_sent",
        )
    waits = found or approvals.ask(
        digest,
        uid=odoo.uid,
        who=acting_as(odoo).user or f"user {odoo.uid}",
        client=client,
        operation=operation,
        message=message,
    )
    raise make_error(
        "APPROVAL_NEEDED",
        f"Another user must approve this first ({waits.id}). Nothing was done.",
        suggestion="Tell the user that it waits for approval. Once it is approved, make exactly the"
        " same call again to run it. If the records have changed by then, the server asks for"
        " approval again.",
        details={"approval": waits.id, "asks": message},
        outcome="not_sent",
    )


def approvals_of(odoo: Odoo, rules: Rules) -> Approvals:
    """Return the approvals of a connection's database that certain people decide.

    Raises:
        ConfigurationError: the connection has no change history.
    """
    from odoo_toolkit.change_history.approvals import Approvals
    from odoo_toolkit.change_history.recording import identity
    from odoo_toolkit.undoing.functions import history_of

    return Approvals(history_of(odoo), identity(odoo), rules.approvers)
