"""Calls that another person has to allow.

The rules are of calls to Odoo, and not of tools: whatever tool, wizard or batch leads to a call of
a rule is stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, ConfigurationError, OdooError

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit.plans import PlannedCall
    from odoo_toolkit_mcp.settings import ServerSettings

_RULE = re.compile(
    r"(?P<model>[a-z][a-z0-9_.]*|\*)\.(?P<method>[a-z][a-z0-9_]*)(?:>(?P<over>\d+))?"
)

#: Fields by which a document's amount is known in its company's currency: the amount, and the rate
#: by which it is divided, if there is one.
_AMOUNTS: Mapping[str, tuple[str, str]] = {
    "account.move": ("amount_total_signed", ""),
    "purchase.order": ("amount_total", "currency_rate"),
    "sale.order": ("amount_total", "currency_rate"),
}


@attrs.frozen(kw_only=True)
class Rule:
    """A call that needs a yes.

    Attributes:
        model: of the call; ``*`` is any.
        method: of the call.
        over: an amount in the company's currency; documents of more than that need one.
    """

    model: str
    method: str
    over: float | None = None


@attrs.frozen(kw_only=True)
class Rules:
    """All rules of a server.

    Attributes:
        rules: the calls.
        approvers: logins of those who may say yes.
    """

    rules: Sequence[Rule] = ()
    approvers: frozenset[str] = frozenset()

    def stop(self, odoo: Odoo, calls: Iterable[Call | PlannedCall]) -> bool:
        """Whether one of some calls needs a yes; one whose amount is not known does."""
        return any(
            rule.method == call.method
            and rule.model in ("*", call.model)
            and (rule.over is None or _amount(odoo, call) > rule.over)
            for call in calls
            for rule in self.rules
        )


NO_RULES = Rules()


class WithoutApproval:
    """A connection on which no call of a rule is made, where nobody can be asked to allow it.

    Args:
        odoo: the connection.
        rules: of the calls that another person has to allow.
    """

    def __init__(self, odoo: Odoo, rules: Rules) -> None:
        self._odoo = odoo
        self._rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self._odoo, name)

    def check(self, call: Call, *, planned: bool = False) -> Call:
        """Ask the policy about a call that is to come, which must be of no rule."""
        self._refuse(call)
        return self._odoo.check(call, planned=planned)

    def call(self, call: Call) -> Any:
        """Send a call that is of no rule."""
        self._refuse(call)
        return self._odoo.call(call)

    def _refuse(self, call: Call) -> None:
        if not call.reads and self._rules.stop(self._odoo, [call]):
            raise AccessError(
                "This takes the approval of another person, which cannot be asked for here."
                " Nothing was done.",
                suggestion="Let your program do it: then that person is asked.",
                outcome="not_sent",
            )


def rules_of(settings: ServerSettings) -> Rules:
    """Return the rules that the settings give.

    Raises:
        ConfigurationError: one is not understood, or nobody may say yes.
    """
    rules = []
    for text in settings.approval:
        found = _RULE.fullmatch(text.replace(" ", ""))
        if not found:
            raise ConfigurationError(
                f"ODOO_MCP_APPROVAL: {text!r} is not a rule.",
                suggestion="Write a call as account.move.action_post, or with an amount in the"
                " company's currency as sale.order.action_confirm>5000.",
            )
        over = found["over"]
        rules.append(
            Rule(model=found["model"], method=found["method"], over=float(over) if over else None)
        )
        if over and found["model"] not in _AMOUNTS:
            raise ConfigurationError(
                f"ODOO_MCP_APPROVAL: the amount of {found['model']} is not known.",
                suggestion=f"Amounts are known of {', '.join(_AMOUNTS)}; leave it out for others.",
            )
    if rules and not settings.approvers:
        raise ConfigurationError(
            "ODOO_MCP_APPROVAL has rules, and ODOO_MCP_APPROVERS names nobody who may say yes.",
            suggestion="Give the logins of Odoo users, separated by commas.",
        )
    approvers = frozenset(login.lower() for login in settings.approvers)
    return Rules(rules=rules, approvers=approvers)


def _amount(odoo: Odoo, call: Call | PlannedCall) -> float:
    """Return the amounts of the records of a call together; infinite where they are not known."""
    ids = [number for number in call.ids or () if isinstance(number, int)]
    if not ids or len(ids) < len(call.ids or ()):
        return float("inf")
    amount, rate = _AMOUNTS[call.model]
    fields = [amount, rate] if rate else [amount]
    read = Call(
        model=call.model, method="read", ids=tuple(ids), arguments={"fields": fields}, step=True
    )
    try:
        rows = odoo.call(read)
        if len(rows) < len(set(ids)):
            return float("inf")
        return float(sum(abs(row[amount]) / ((row[rate] if rate else 1) or 1) for row in rows))
    except (OdooError, KeyError, TypeError):
        return float("inf")
