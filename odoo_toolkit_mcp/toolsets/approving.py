"""Tools for approvals.

They belong to the core toolset if the server has calls that need a second person.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.change_history.approvals import Approval
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, StateError
from odoo_toolkit_mcp.approval_rules import Rules
from odoo_toolkit_mcp.approvals import approvals_of, login_of
from odoo_toolkit_mcp.toolsets.base import Tool


@attrs.frozen(kw_only=True)
class ApprovalList:
    """Operations that wait, the newest first.

    Attributes:
        may_decide: whether this user may say yes to those of others.
    """

    waiting: list[Approval]
    may_decide: bool


def approval_tools(rules: Rules) -> tuple[Tool, Tool]:
    """Return the tools by which operations that wait are seen and decided upon."""

    def _list_approvals(odoo: Odoo) -> ApprovalList:
        decides = login_of(odoo) in rules.approvers
        approvals = approvals_of(odoo, rules.approvers)
        found: list[Approval] = approvals.waiting(None if decides else odoo.uid)
        return ApprovalList(waiting=found, may_decide=decides)

    def _open_to(odoo: Odoo, approval: int) -> tuple[Approval, str]:
        """Return an operation that this user may decide upon, and the user's login."""
        login = login_of(odoo)
        if login not in rules.approvers:
            raise AccessError(
                f"{login} does not decide upon what others do.",
                suggestion="ODOO_MCP_APPROVERS names those who do.",
                outcome="not_sent",
            )
        found: Approval | None = approvals_of(odoo, rules.approvers).get(approval)
        if found is None:
            raise NotFoundError(
                f"No operation {approval} waits for approval.",
                suggestion="odoo_core_list_approvals shows those that do.",
            )
        if found.uid == odoo.uid:
            raise AccessError(
                "Nobody approves what they have asked for themselves.",
                suggestion="Another person has to decide.",
                outcome="not_sent",
            )
        return found, login

    def _decide_approval(
        odoo: Odoo,
        approval: Annotated[int, Doc("Id of the operation.")],
        approve: Annotated[bool, Doc("true to allow it once, false to refuse it.")],
    ) -> Approval:
        found, login = _open_to(odoo, approval)
        approvals = approvals_of(odoo, rules.approvers)
        if not approvals.decide(approval, "approved" if approve else "refused", login):
            raise StateError(
                f"Operation {approval} is decided upon already: {found.state}.",
                suggestion="Nothing needs to be done.",
            )
        return approvals.get(approval) or found

    def _shown(odoo: Odoo, given: Mapping[str, Any]) -> str:
        found, _ = _open_to(odoo, given["approval"])
        return f"{found.who} asks for this:\n{found.message}"

    return (
        Tool(
            name="odoo_core_list_approvals",
            title="List pending approvals",
            description="List the operations that wait for an approval: who requested them, when,"
            " and every planned change.",
            function=_list_approvals,
            access="read",
        ),
        Tool(
            name="odoo_core_decide_approval",
            title="Approve or refuse",
            description="Approve or refuse an operation that another user requested. Only the"
            " approver whom the administrator named may decide, after reading it.",
            function=_decide_approval,
            access="write",
            asks="always",
            needs_person=True,
            shows=_shown,
            consequence="If you approve, the other user can do this once.",
        ),
    )
