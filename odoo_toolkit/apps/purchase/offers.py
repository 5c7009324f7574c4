"""Vendors' offers of a product: prices, minimum quantities, lead times and validity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import RecordName

_MODEL = "product.supplierinfo"
#: The vendor is ``name`` up to 15, the unit ``product_uom`` up to 18; ``discount`` starts at 17.
_FIELDS = op.words("""
    name partner_id product_tmpl_id product_id min_qty product_uom product_uom_id price discount
    currency_id delay date_start date_end product_code product_name
""")
#: What is written down of a vendor; up to 18 a selection says whether the warning is in use.
_OF_VENDOR = ("comment", "purchase_warn", "purchase_warn_msg")
_LONGEST_NOTE = 300

#: Odoo has no field for a vendor's most; people add one, or write it down.
_MOST = re.compile(r"(?<![a-z])max", re.IGNORECASE)
_OTHER_MOST = re.compile(r"day|delay|time|lead|price|amount|value|discount|weight", re.IGNORECASE)
_MOST_IN_TEXT = re.compile(
    r"\b(?:max(?:imum|\b\.?)|at most|(?:no|not) more than|limited to)"
    r"(?P<what>[^\d\n;.]{0,40}?)"
    r"(?P<number>\d{1,3}(?:,\d{3})+|\d+)(?![\d.,]*\d)(?P<after>\s*[^\s\d]{0,6})",
    re.IGNORECASE,
)
_OTHER_UNIT = re.compile(
    r"\s*(?:%|€|\$|£|(?:per ?cent|days?|weeks?|months?|hours?|eur|usd|gbp|kg|km)\b)", re.IGNORECASE
)

#: Offers that are read.
MOST = 400

BELOW, ABOVE = "below minimum", "above maximum"

#: (template, variant or None for all of them) and what is offered of it.
Offered = tuple[tuple[int, int | None], "Offer"]


@attrs.frozen(kw_only=True)
class Offer(op.Shown):
    """A vendor's price for a product.

    Attributes:
        price: Price for one ``uom``, before ``discount`` percent and without taxes.
        min_quantity: Minimum quantity for this price, in ``uom``.
        max_quantity: Maximum quantity that the vendor sells, in ``uom``. From a custom field of the
            price list, or from ``note``.
        delay: Days from the order to the receipt.
        arrives: Arrival date, if you order today, or on ``date_start``.
        order_by: Last day to order, to have the goods on the day you need them.
        date_start, date_end: First and last day to order at this price.
        product_code: The vendor's product code.
        note: Notes about the offer and its vendor.
        unusable: Reason why the offer is not valid for your quantity and day.
    """

    vendor: RecordName
    price: float
    currency: str | None = None
    discount: float = 0.0
    uom: RecordName | None = None
    min_quantity: float = 0.0
    max_quantity: float | None = None
    delay: int = 0
    arrives: str | None = None
    order_by: str | None = None
    date_start: str | None = None
    date_end: str | None = None
    product_code: str | None = None
    note: str | None = None
    unusable: str | None = None


def read_offers(odoo: Odoo, domain: Sequence[Any], acts_on: str | None = None) -> list[Offered]:
    """Return the offers that match a domain, in Odoo's order: the preferred vendor's first."""
    order = "sequence, min_qty desc, price, id"
    most, texts = _added(odoo)
    rows = op.read_rows(
        odoo, _MODEL, domain, (*_FIELDS, *most, *texts), acts_on=acts_on, order=order, limit=MOST
    )
    found = []
    for row in rows:
        vendor, uom = row["partner_id"] or row["name"], row["product_uom_id"] or row["product_uom"]
        note = _joined(row[name] for name in ("product_name", *texts))
        told = [row[name] for name in most if row[name]]
        offer = op.filled(
            Offer,
            row,
            vendor=vendor,
            currency=op.currency_of(row),
            uom=uom,
            min_quantity=row["min_qty"],
            max_quantity=min(told) if told else most_in(note),
            note=note,
        )
        template, variant = row["product_tmpl_id"], row["product_id"]
        found.append(((template.id if template else 0, variant and variant.id), offer))
    return found


def with_notes(odoo: Odoo, offered: Sequence[Offered]) -> list[Offered]:
    """Return offers with what is written down of their vendors, too; 1 round trip."""
    vendors = sorted({offer.vendor.id for _, offer in offered})
    if not vendors:
        return list(offered)
    rows = op.read_rows(odoo, "res.partner", [["id", "in", vendors]], _OF_VENDOR, acts_on=_MODEL)
    notes = {row["id"]: _of_vendor(row) for row in rows}
    return [(of, _noted(offer, notes.get(offer.vendor.id))) for of, offer in offered]


def _of_vendor(row: op.Row) -> str | None:
    silent = row["purchase_warn"] == "no-message"
    return _joined([row["comment"], None if silent else row["purchase_warn_msg"]])


def _noted(offer: Offer, note: str | None) -> Offer:
    most = offer.max_quantity if offer.max_quantity is not None else most_in(note)
    return attrs.evolve(offer, note=_joined([offer.note, note]), max_quantity=most)


def _joined(texts: Iterable[str | None]) -> str | None:
    told = [text.strip() for text in texts if text and text.strip()]
    return " | ".join(dict.fromkeys(told))[:_LONGEST_NOTE] or None


def _added(odoo: Odoo) -> tuple[list[str], list[str]]:
    """Return the fields that somebody has added to offers: of the most sold, and texts."""
    described = odoo.schema.fields(_MODEL)
    most, texts = [], []
    for name, field in described.items():
        words = f"{name} {field.string}"
        if field.type in ("float", "integer") and name not in _FIELDS:
            most += [name] if _MOST.search(words) and not _OTHER_MOST.search(words) else []
        elif field.type in ("char", "text", "html") and name.startswith("x_"):
            texts.append(name)
    return most, texts


def most_in(note: str | None) -> float | None:
    """Return the most that a vendor sells, as a text says it; None where it does not, or twice.

    >>> most_in("Reliable. Max. order quantity: 1,200 pieces")
    1200.0
    """
    said = {
        float(match["number"].replace(",", ""))
        for match in _MOST_IN_TEXT.finditer(note or "")
        if not _OTHER_MOST.search(match["what"]) and not _OTHER_UNIT.match(match["after"])
    }
    return said.pop() if len(said) == 1 else None


def offers_of(found: Iterable[Offered], product: Mapping[str, Any]) -> list[Offer]:
    """Return which offers are for a product, a row with its ``product_tmpl_id``."""
    template, variant = product["product_tmpl_id"].id, product["id"]
    return [o for (of, only), o in found if only == variant or (only is None and of == template)]


def obstacle(offer: Offer, quantity: float | None, day: date) -> str | None:
    """Return why an offer does not hold for a quantity in its unit, on a day; None if it does.

    Args:
        offer: the offer.
        quantity: None for any.
        day: on which it is ordered.
    """
    when = day.isoformat()
    if offer.date_end and offer.date_end < when:
        return "expired"
    if offer.date_start and offer.date_start > when:
        return "not yet valid"
    if quantity is None:
        return None
    if offer.max_quantity is not None and quantity > offer.max_quantity:
        return ABOVE
    return BELOW if quantity < offer.min_quantity else None


def judged(offer: Offer, quantity: float, day: date, needed_by: date | None = None) -> Offer:
    """Return an offer with when it comes, and why it does not hold.

    Args:
        offer: the offer.
        quantity: in its unit.
        day: today.
        needed_by: the day by which it must be there; then a price that starts later counts, too.
    """
    ordered = day
    if needed_by and offer.date_start:
        ordered = max(day, date.fromisoformat(offer.date_start))
    arrives = ordered + timedelta(days=offer.delay)
    problem, last = obstacle(offer, quantity, ordered), None
    if needed_by:
        last = needed_by - timedelta(days=offer.delay)
        if offer.date_end:
            last = min(last, date.fromisoformat(offer.date_end))
        late = (arrives - needed_by).days
        if late > 0 and problem in (None, BELOW, ABOVE):
            problem = f"comes {late} day{'s' if late > 1 else ''} too late, on {arrives}"
        last = last if problem in (None, BELOW, ABOVE) else None
    return attrs.evolve(
        offer,
        arrives=arrives.isoformat(),
        order_by=last.isoformat() if last else None,
        unusable=problem,
    )


def preferred(usable: Sequence[Offer]) -> Offer | None:
    """Return the offer that Odoo takes of those that hold: of the first vendor, the cheapest."""
    own = [offer for offer in usable if offer.vendor.id == usable[0].vendor.id]
    return min(own, key=net_price, default=None)


def net_price(offer: Offer) -> float:
    """Return what one unit of an offer costs."""
    return offer.price * (1 - offer.discount / 100)


def choose(offers: Iterable[Offer], quantity: float | None, day: date) -> Offer | None:
    """Return the offer that Odoo takes for a quantity, or for any if that is None."""
    return preferred([offer for offer in offers if not obstacle(offer, quantity, day)])
