"""Products: created with all that belongs to them, their prices, and what customers pay."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.products.creation import (
    ProductResult,
    Variant,
    Vendor,
    VendorLine,
    create_product,
)
from odoo_toolkit.apps.products.price_lists import (
    CustomerPrice,
    PriceListResult,
    PriceRule,
    PriceRuleLine,
    create_price_list,
    get_customer_price,
)
from odoo_toolkit.apps.products.pricing import PriceChange, PricesPlan, PricesResult, change_prices
from odoo_toolkit.apps.products.variants import AttributeLine, VariantLine

__all__ = [
    "AttributeLine",
    "CustomerPrice",
    "PriceChange",
    "PriceListResult",
    "PriceRule",
    "PriceRuleLine",
    "PricesPlan",
    "PricesResult",
    "ProductResult",
    "Variant",
    "VariantLine",
    "Vendor",
    "VendorLine",
    "change_prices",
    "create_price_list",
    "create_product",
    "get_customer_price",
]

readable_signatures(globals())
