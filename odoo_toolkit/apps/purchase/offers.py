"""What vendors offer: their prices for a product, from which quantity, how soon and how long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import currency_of, filled, read_rows
from odoo_toolkit.records.results import RecordName

#: The vendor is ``name`` up to 15, the unit ``product_uom`` up to 18; ``discount`` starts at 17.
_FIELDS = (
    "name",
    "partner_id",
    "product_tmpl_id",
    "product_id",
    "min_qty",
    "product_uom",
    "product_uom_id",
    "price",
    "discount",
    "currency_id",
    "delay",
    "date_start",
    "date_end",
    "product_code",
)

#: (template, variant or None for all of them) and what is offered of it.
Offered = tuple[tuple[int, int | None], "Offer"]


@attrs.frozen(kw_only=True)
class Offer(Shown):
    """A vendor's price for a product.

    Attributes:
        price: for one ``uom``, before ``discount`` per cent.
        min_quantity: from which the price holds, in ``uom``.
        delay: days from the order to the receipt.
        arrives: the day of the receipt of what is ordered today.
        date_start, date_end: the first and last day on which it may be ordered at this price.
        product_code: the vendor's own.
        unusable: why it does not hold today for the quantity asked about.
    """

    vendor: RecordName
    price: float
    currency: str | None = None
    discount: float = 0.0
    uom: RecordName | None = None
    min_quantity: float = 0.0
    delay: int = 0
    arrives: str | None = None
    date_start: str | None = None
    date_end: str | None = None
    product_code: str | None = None
    unusable: str | None = None


def read_offers(odoo: Odoo, domain: Sequence[Any], acts_on: str | None = None) -> list[Offered]:
    """Return the offers that match a domain, in Odoo's order: the preferred vendor's first."""
    order = "sequence, min_qty desc, price, id"
    rows = read_rows(
        odoo, "product.supplierinfo", domain, _FIELDS, acts_on=acts_on, order=order, limit=400
    )
    found = []
    for row in rows:
        vendor, uom = row["partner_id"] or row["name"], row["product_uom_id"] or row["product_uom"]
        offer = filled(
            Offer,
            row,
            vendor=vendor,
            currency=currency_of(row),
            uom=uom,
            min_quantity=row["min_qty"],
        )
        template, variant = row["product_tmpl_id"], row["product_id"]
        found.append(((template.id if template else 0, variant and variant.id), offer))
    return found


def offers_of(found: Iterable[Offered], product: Mapping[str, Any]) -> list[Offer]:
    """Return which offers are for a product, a row with its ``product_tmpl_id``."""
    template, variant = product["product_tmpl_id"].id, product["id"]
    return [o for (of, only), o in found if only == variant or (only is None and of == template)]


def obstacle(offer: Offer, quantity: float, day: date) -> str | None:
    """Return why an offer does not hold for a quantity in its unit, on a day; None if it does."""
    when = day.isoformat()
    if offer.date_end and offer.date_end < when:
        return "expired"
    if offer.date_start and offer.date_start > when:
        return "not yet valid"
    return "below minimum" if quantity < offer.min_quantity else None


def choose(offers: Iterable[Offer], quantity: float, day: date) -> Offer | None:
    """Return the offer that Odoo takes: of the first vendor whose prices hold, the cheapest."""
    usable = [offer for offer in offers if not obstacle(offer, quantity, day)]
    own = [offer for offer in usable if offer.vendor.id == usable[0].vendor.id]
    return min(own, key=lambda offer: offer.price * (1 - offer.discount / 100), default=None)
