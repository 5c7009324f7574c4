"""Calls that another person has to allow.

The rules are of calls to Odoo, and not of tools: whatever tool, wizard or batch leads to a call of
a rule is stopped, and so is what amounts to one, such as a command that deletes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.arguments import read_commands
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
    "account.payment": ("amount_company_currency_signed", ""),
    "purchase.order": ("amount_total", "currency_rate"),
    "sale.order": ("amount_total", "currency_rate"),
}

#: The wizard that pays documents, and what of it is known once it is filled in.
_PAYS, _FORM = "account.payment.register", ["line_ids", "amount", "currency_id"]
_MOVE = "account.move"

#: What is read of a payment belongs to the documents that are paid.
_ACTS_ON = dict.fromkeys((_PAYS, "account.move.line", "res.currency"), _MOVE)


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
        calls = list(calls)
        effects = [one for call in calls for one in implied(call, odoo.schema.described)]
        found: list[Effect] = []
        for rule in self.rules:
            of_rule = [one for one in effects if rule.names(one)]
            if of_rule and (rule.over is None or _amount(odoo, of_rule, calls) > rule.over):
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
        if over and found["model"] not in (*_AMOUNTS, _PAYS):
            raise ConfigurationError(
                f"ODOO_MCP_APPROVAL: the toolkit does not know the amount of {found['model']}.",
                suggestion=f"Set an amount only for {', '.join([*_AMOUNTS, _PAYS])}.",
            )
    if rules and not settings.approvers:
        raise ConfigurationError(
            "ODOO_MCP_APPROVAL has rules, but ODOO_MCP_APPROVERS lists no approver.",
            suggestion="Set ODOO_MCP_APPROVERS to the logins of Odoo users, separated by commas.",
        )
    approvers = frozenset(login.lower() for login in settings.approvers)
    return Rules(rules=rules, approvers=approvers)


def _amount(odoo: Odoo, effects: Sequence[Effect], calls: Sequence[Call]) -> float:
    """Return the amounts of all records together; infinite where they are not known."""
    try:
        if effects[0].model == _PAYS:
            return _paid(odoo, effects, calls)
        if not all(effect.ids and effect.within is None for effect in effects):
            return float("inf")
        amount, rate = _AMOUNTS[effects[0].model]
        ids = {number for effect in effects for number in effect.ids or ()}
        rows = _rows(odoo, effects[0].model, ids, [amount, rate] if rate else [amount])
        return float(sum(abs(row[amount]) / ((row[rate] if rate else 1) or 1) for row in rows))
    except (OdooError, ArithmeticError, LookupError, TypeError, ValueError):
        return float("inf")


def _paid(odoo: Odoo, effects: Sequence[Effect], calls: Sequence[Call]) -> float:
    """Return the totals of the documents that are paid, or what is paid if that is more.

    Of a part the document counts, too: what is paid in two halves is not below the amount.
    """
    wizards = {number for effect in effects for number in effect.ids or ()}
    payments = {_payment(odoo, row) for row in _rows(odoo, _PAYS, wizards, _FORM)}
    if later := sum(not effect.ids for effect in effects):
        # A call of a plan does not say on what it is opened; the one that is about to be sent does.
        made = [one for one in calls if (one.model, one.method) == (_PAYS, "create") if one.context]
        if later > len(made):
            raise ValueError("a wizard of which nothing is known")
        payments |= {_planned(odoo, call) for call in made}
    ids = {number for documents, *_ in payments for number in documents}
    fields = ["amount_total_signed", "amount_residual", "currency_id", "company_currency_id"]
    moves = {row["id"]: row for row in _rows(odoo, _MOVE, ids, fields)}
    paid = [(amount, currency) for _, amount, currency in payments if amount]
    for documents in {documents for documents, amount, _ in payments if not amount}:
        own = [moves[number] for number in documents]
        paid += [(row["amount_residual"], _id(row["currency_id"])) for row in own]
    (home,) = {_id(row["company_currency_id"]) for row in moves.values()}
    currencies = {home, *(currency for _, currency in paid)}
    rates = {row["id"]: row["rate"] for row in _rows(odoo, "res.currency", currencies, ["rate"])}
    total = sum(abs(row["amount_total_signed"]) for row in moves.values())
    return float(max(total, sum(abs(amount) / rates[of] * rates[home] for amount, of in paid)))


#: The documents of a payment, the amount, which is that of the documents if it is 0, and its
#: currency.
_Payment = tuple[frozenset[int], float, int]


def _payment(odoo: Odoo, row: Mapping[str, Any]) -> _Payment:
    """Return what a wizard that is filled in pays."""
    return _documents(odoo, row["line_ids"]), float(row["amount"]), _id(row["currency_id"])


def _planned(odoo: Odoo, call: Call) -> _Payment:
    """Return what a wizard is to pay that is not filled in yet."""
    values = call.arguments["vals_list"]
    if "line_ids" in values:
        (command,) = read_commands(values["line_ids"], "line_ids")
        if command.kind != "set":
            raise ValueError("lines that are not known")
        documents = _documents(odoo, command.ids)
    elif call.context["active_model"] == _MOVE:
        documents = frozenset(map(_id, call.context["active_ids"]))
    else:
        raise ValueError("a wizard for other records")
    amount = float(values.get("amount") or 0)
    return documents, amount, _id(values["currency_id"]) if amount else 0


def _documents(odoo: Odoo, items: Collection[int]) -> frozenset[int]:
    """Return the documents of journal items."""
    rows = _rows(odoo, "account.move.line", items, ["move_id"])
    return frozenset(_id(row["move_id"]) for row in rows)


def _id(value: Any) -> int:
    found = value[0] if isinstance(value, (list, tuple)) else value
    if type(found) is not int:
        raise TypeError("no record")
    return found


def _rows(odoo: Odoo, model: str, ids: Collection[int], fields: list[str]) -> list[Any]:
    """Return the rows of all these records.

    Raises:
        OdooError, LookupError: not all can be read.
    """
    if not ids:
        return []
    arguments = {"fields": fields}
    read = Call(model=model, method="read", ids=tuple(sorted(ids)), arguments=arguments, step=True)
    rows: list[Any] = odoo.call(attrs.evolve(read, acts_on=_ACTS_ON.get(model)))
    if len(rows) < len(ids):
        raise LookupError("records that cannot be read")
    return rows
