"""The rules that match bank lines with open items. They write nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.books import NOTHING
from odoo_toolkit.apps.accounting.overdue import Open
from odoo_toolkit.records.results import RecordName

#: Names that are so much alike are the same; shorter references say nothing.
_ALIKE, _SHORTEST = 0.86, 4
#: Most candidates that are shown for a line.
_MOST = 8

#: What part of a line the amount of a document may differ by, to be shown as near.
_NEAR = 0.05

_LEGAL = frozenset(
    {"ag", "bv", "co", "corp", "eg", "gmbh", "inc", "kg", "llc", "ltd", "nv", "ohg", "plc", "sa"}
    | {"sarl", "se", "spa", "srl", "the", "und", "and"}
)


@attrs.frozen(kw_only=True)
class BankCandidate(op.Shown):
    """A document that a bank line may pay.

    Attributes:
        document: Invoice, bill, credit note or payment.
        left: Open amount. Negative if the company owes it.
        reasons: Reasons for the match.
    """

    document: RecordName
    partner: RecordName | None = None
    due_date: str
    left: float
    currency: str | None = None
    reasons: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class Group:
    """The open items of one document; instalments have several.

    Attributes:
        left: what is open of it together, as long as no line of this call has taken it.
    """

    document: RecordName
    items: tuple[Open, ...]
    left: float

    @property
    def first(self) -> Open:
        """Return the item that has been due the longest."""
        return self.items[0]


@attrs.frozen(kw_only=True)
class Wish:
    """A bank line as far as it matters for what it pays.

    Attributes:
        amount: positive where money came in.
        text: its reference.
        name: of who paid or was paid, as the bank writes it.
        chosen: ids of the documents that the caller names; none where that is left open.
    """

    amount: float
    text: str = ""
    name: str = ""
    chosen: tuple[int, ...] = ()


@attrs.frozen(kw_only=True)
class Verdict:
    """What a line pays, or what it may pay.

    Attributes:
        status: match, ask (several fit, or too little speaks for one) or none.
        groups: the documents that it pays; of ``ask`` and ``none`` those that come nearest.
        reasons: why.
    """

    status: str
    groups: list[Group]
    reasons: list[str]


def grouped_items(items: Iterable[Open]) -> list[Group]:
    """Return open items by document, those of a document by their due dates."""
    found: dict[tuple[int, int], list[Open]] = {}
    for item in items:
        found.setdefault((item.document.id, item.account.id), []).append(item)
    return [
        Group(
            document=parts[0].document,
            items=tuple(sorted(parts, key=lambda part: (part.due, part.id))),
            left=round(sum(part.left for part in parts), 6),
        )
        for parts in found.values()
    ]


def candidate(group: Group, wish: Wish, tolerance: float) -> BankCandidate:
    """Return a document with what speaks for it."""
    return BankCandidate(
        document=group.document,
        partner=group.first.partner,
        due_date=group.first.due,
        left=group.left,
        currency=group.first.currency,
        reasons=reasons_for(group, wish, tolerance),
    )


def reasons_for(group: Group, wish: Wish, tolerance: float) -> list[str]:
    """Return what speaks for a document."""
    reasons = []
    if group.document.id in wish.chosen:
        reasons.append("You selected it.")
    if reference := _named(group, wish.text):
        reasons.append(f"The reference contains {reference}.")
    if _equal(group.left, wish.amount, tolerance):
        reasons.append("The amount equals the document's open amount.")
    elif _instalment(group, wish.amount, tolerance):
        reasons.append("The amount equals one of the document's instalments.")
    if _same_name(group, wish.name):
        reasons.append(f"The name matches {_partner(group)}.")
    return reasons


def is_named(group: Group, wish: Wish) -> bool:
    """Whether a line names a document: its number is in the reference, or the caller said it."""
    return group.document.id in wish.chosen or bool(_named(group, wish.text))


def judge(wish: Wish, groups: Sequence[Group], tolerance: float) -> Verdict:
    """Return what a line pays.

    Args:
        wish: the line.
        groups: the open documents in the line's currency; those of the other direction do not
            fit.
        tolerance: by how much amounts may differ to be the same.
    """
    fitting = [group for group in groups if group.left * wish.amount > 0]
    if wish.chosen:
        chosen = [group for group in fitting if group.document.id in wish.chosen]
        return _chosen(wish, chosen)
    named = [group for group in fitting if _named(group, wish.text)]
    exact = [group for group in fitting if _fits(group, wish.amount, tolerance)]
    if named:
        return _by_reference(wish, named, tolerance)
    of_name = [group for group in exact if _same_name(group, wish.name)]
    if len(of_name) == 1:
        return Verdict(
            status="match",
            groups=of_name,
            reasons=reasons_for(of_name[0], wish, tolerance),
        )
    if of_name:
        return Verdict(
            status="ask",
            groups=of_name[:_MOST],
            reasons=["Several open documents of this partner have this amount."],
        )
    if exact:
        reason = "Only the amount fits. Neither the reference nor the name identifies the partner."
        return Verdict(status="ask", groups=exact[:_MOST], reasons=[reason])
    near = [group for group in fitting if _same_name(group, wish.name)]
    reason = "No open document has this amount or has its number in the reference."
    if near:
        reason += " The open documents of this partner are listed."
    else:
        near = [g for g in fitting if abs(g.left - wish.amount) <= _NEAR * abs(wish.amount)]
        reason += " The listed documents have similar amounts." if near else ""
    near.sort(key=lambda group: abs(group.left - wish.amount))
    return Verdict(status="none", groups=near[:_MOST], reasons=[reason])


def _chosen(wish: Wish, chosen: Sequence[Group]) -> Verdict:
    missing = set(wish.chosen) - {group.document.id for group in chosen}
    if missing:
        way = "money that came in" if wish.amount > 0 else "money that went out"
        listed = ", ".join(map(str, sorted(missing)))
        reason = (
            f"None of the documents that you selected has an open amount that {way} could pay "
            f"(id {listed})."
        )
        return Verdict(status="none", groups=list(chosen), reasons=[reason])
    return _one_partner(list(chosen), ["You selected it."])


def _by_reference(wish: Wish, named: list[Group], tolerance: float) -> Verdict:
    """Return what a line pays whose reference has the number of a document, or of several."""
    exact = [group for group in named if _fits(group, wish.amount, tolerance)]
    if len(exact) == 1:
        return Verdict(status="match", groups=exact, reasons=reasons_for(exact[0], wish, tolerance))
    if exact:
        reason = "The reference and the amount fit several documents."
        return Verdict(status="ask", groups=exact[:_MOST], reasons=[reason])
    total = round(sum(group.left for group in named), 6)
    if len(named) > 1 and _equal(total, wish.amount, tolerance):
        listed = ", ".join(_named(group, wish.text) for group in named)
        reasons = [
            f"The reference contains {listed}.",
            "The amount equals their total open amount.",
        ]
        return _one_partner(named, reasons)
    if len(named) == 1 and abs(wish.amount) < abs(total):
        reasons = reasons_for(named[0], wish, tolerance)
        reasons.append("The amount covers part of the open amount.")
        return Verdict(status="match", groups=named, reasons=reasons)
    reason = (
        "The reference contains several document numbers, but the amount differs from their sum."
    )
    if len(named) == 1:
        reason = (
            f"The reference contains {_named(named[0], wish.text)}, but the amount is higher "
            "than its open amount."
        )
    return Verdict(status="ask", groups=named[:_MOST], reasons=[reason])


def _one_partner(groups: list[Group], reasons: list[str]) -> Verdict:
    """Return the match of several documents; one line is booked for one partner and account."""
    owners = {(g.first.partner and g.first.partner.id, g.first.account.id) for g in groups}
    if len(owners) > 1:
        reason = "They belong to different partners or accounts, so one line cannot pay them all."
        return Verdict(status="ask", groups=groups[:_MOST], reasons=[reason])
    return Verdict(status="match", groups=groups, reasons=reasons)


def _equal(one: float, other: float, tolerance: float) -> bool:
    return abs(one - other) <= tolerance + NOTHING


def _instalment(group: Group, amount: float, tolerance: float) -> bool:
    first = group.items[0]
    return len(group.items) > 1 and _equal(first.left, amount, tolerance)


def _fits(group: Group, amount: float, tolerance: float) -> bool:
    return _equal(group.left, amount, tolerance) or _instalment(group, amount, tolerance)


def _named(group: Group, text: str) -> str:
    """Return which of a document's references a text has; "" for none."""
    for item in group.items:
        for reference in item.references:
            if has_reference(text, reference):
                return reference
    return ""


def has_reference(text: str, reference: str) -> bool:
    """Whether a text has a reference: however its parts are set apart, and not as part of more."""
    parts = re.findall(r"[a-z]+|\d+", _folded(reference))
    joined = "".join(parts)
    # A year, or a number of a few digits, may stand for anything.
    if len(joined) < _SHORTEST + joined.isdigit() or not any(part.isdigit() for part in parts):
        return False
    pattern = r"[^a-z0-9]*".join(parts)
    return re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", _folded(text)) is not None


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _partner(group: Group) -> str:
    return str(group.first.partner.name if group.first.partner else "")


def _same_name(group: Group, name: str) -> bool:
    return bool(name) and same_name(name, _partner(group))


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same but for order, accents, legal forms and slips."""
    words = [
        {word for word in re.findall(r"[a-z0-9]+", _folded(text)) if word not in _LEGAL}
        for text in (one, other)
    ]
    if not all(words):
        return False
    few, many = sorted(words, key=len)
    if few <= many and len("".join(few)) >= _SHORTEST:
        return True
    first, second = ("".join(sorted(some)) for some in words)
    return SequenceMatcher(None, first, second).ratio() >= _ALIKE
