"""Models that are loaded together, by what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from odoo_toolkit.errors import ValidationError

_BASE = ("res.partner", "res.company", "res.currency", "res.users", "product.product")

#: Only models of the app's own module and of what it needs, so that they are there on 14 to 19.
BUNDLES: Mapping[str, Sequence[str]] = {
    "sales": ("sale.order", "sale.order.line", "crm.team", "product.template", *_BASE),
    "accounting": (
        "account.move",
        "account.move.line",
        "account.payment",
        "account.account",
        "account.journal",
        "account.tax",
        *_BASE,
    ),
    "stock": (
        "stock.picking",
        "stock.move",
        "stock.move.line",
        "stock.quant",
        "stock.location",
        "stock.warehouse",
        "product.template",
        *_BASE,
    ),
    "crm": ("crm.lead", "crm.stage", "crm.team", "res.partner", "res.users"),
}


def models_of(models: Sequence[str], bundles: Sequence[str] = ()) -> list[str]:
    """Return the models that are named and those of bundles, each once.

    Raises:
        ValidationError: there is no such bundle, or there are no models.
    """
    for bundle in bundles:
        if bundle not in BUNDLES:
            raise ValidationError(
                f"{bundle} is not a bundle.", suggestion=f"Choose from {', '.join(BUNDLES)}."
            )
    if isinstance(models, str):
        models = [models]
    bundled = [model for bundle in bundles for model in BUNDLES[bundle]]
    found = list(dict.fromkeys([*models, *bundled]))
    if not found:
        raise ValidationError(
            "The list of models is empty.",
            suggestion="Pass models such as sale.order, or pass a bundle.",
        )
    return found
