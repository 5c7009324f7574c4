"""Products, their variants and what they are sorted by."""

from odoo_toolkit.app_models.model import AppModel

_MEANINGS = """
    service: type = service
    storable|stockable: is_storable = true / type = product
    consumable|goods: type = consu
    sellable|saleable|for sale|can be sold: sale_ok = true
    purchasable|can be purchased: purchase_ok = true
    out of stock|not in stock|not available: qty_available <= 0
    in stock|available|on hand: qty_available > 0
"""

MODELS = (
    AppModel(
        "product.product",
        "Product",
        nouns="product variant|product|item|article",
        meanings=_MEANINGS,
        name_fields="name default_code barcode",
        searched=6,
        search_fields="name default_code",
        deep_fields="barcode description description_sale",
        # is_storable tells from 18 on what the type "product" did.
        key_fields="id name default_code list_price qty_available type is_storable",
        disambiguation_fields="default_code lst_price qty_available barcode categ_id",
    ),
    AppModel(
        "product.template",
        "Product Template",
        module="product",
        nouns="product|item|article",
        meanings=_MEANINGS,
        name_fields="name default_code barcode",
        tips=(
            "Documents point to product.product, the variants; product_variant_id is the first.",
        ),
        disambiguation_fields="default_code list_price qty_available barcode categ_id",
    ),
    AppModel(
        "product.category",
        "Product Category",
        has_parts=True,
        disambiguation_fields="parent_id",
    ),
    AppModel("product.pricelist", "Pricelist", disambiguation_fields="currency_id"),
    AppModel("uom.uom", "Product Unit of Measure", disambiguation_fields="category_id"),
)
