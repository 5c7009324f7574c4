"""Calls that another person has to allow.

The rules are of calls to Odoo, and not of tools: whatever tool, wizard or batch leads to a call of
a rule is stopped, and so is what amounts to one, such as a command that deletes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.errors import ConfigurationError, OdooError
from odoo_toolkit.policy.implied import Effect, implied

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
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

    def names(self, effect: Effect) -> bool:
        """Whether this is such a call."""
        return self.method == effect.method.lower() and self.model in ("*", effect.model)


@attrs.frozen(kw_only=True)
class Rules:
    """All rules of a server.

    Attributes:
        rules: the calls.
        approvers: logins of those who may say yes.
    """

    rules: Sequence[Rule] = ()
    approvers: frozenset[str] = frozenset()

    def found(self, odoo: Odoo, calls: Iterable[Call]) -> list[Effect]:
        """Return what of some calls needs a yes; that of which the amount is not known does.

        An amount is that of all records of all these calls together.
        """
        effects = [one for call in calls for one in implied(call, odoo.schema.described)]
        found: list[Effect] = []
        for rule in self.rules:
            of_rule = [one for one in effects if rule.names(one)]
            if of_rule and (rule.over is None or _amount(odoo, of_rule) > rule.over):
                found += of_rule
        return found


NO_RULES = Rules()


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
                suggestion="Write a rule as model and method, such as account.move.action_post. To"
                " set an amount in the company's currency, write sale.order.action_confirm>5000.",
            )
        over = found["over"]
        rules.append(
            Rule(model=found["model"], method=found["method"], over=float(over) if over else None)
        )
        if over and found["model"] not in _AMOUNTS:
            raise ConfigurationError(
                f"ODOO_MCP_APPROVAL: the toolkit does not know the amount of {found['model']}.",
                suggestion=f"Set an amount only for {', '.join(_AMOUNTS)}.",
            )
    if rules and not settings.approvers:
        raise ConfigurationError(
            "ODOO_MCP_APPROVAL has rules, but ODOO_MCP_APPROVERS lists no approver.",
            suggestion="Set ODOO_MCP_APPROVERS to the logins of Odoo users, separated by commas.",
        )
    approvers = frozenset(login.lower() for login in settings.approvers)
    return Rules(rules=rules, approvers=approvers)


def _amount(odoo: Odoo, effects: Sequence[Effect]) -> float:
    """Return the amounts of all records together; infinite where they are not known."""
    ids = {number for effect in effects for number in effect.ids or ()}
    if not all(effect.ids and effect.within is None for effect in effects):
        return float("inf")
    amount, rate = _AMOUNTS[effects[0].model]
    fields = [amount, rate] if rate else [amount]
    read = Call(
        model=effects[0].model,
        method="read",
        ids=tuple(sorted(ids)),
        arguments={"fields": fields},
        step=True,
    )
    try:
        rows = odoo.call(read)
        if len(rows) < len(ids):
            return float("inf")
        return float(sum(abs(row[amount]) / ((row[rate] if rate else 1) or 1) for row in rows))
    except (OdooError, KeyError, TypeError):
        return float("inf")
