"""Products and their prices."""

from __future__ import annotations

from odoo_toolkit.apps import products
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_products_create_product",
        title="Create a product",
        description="Create a product with variants, barcodes, costs, vendors, taxes and units in"
        " one call. The result lists each value that Odoo stored differently. Do not use"
        " odoo_core_create: it drops the barcodes and costs of products with variants.",
        function=products.create_product,
        access="create",
        creates="product.template",
    ),
    Tool(
        name="odoo_products_change_prices",
        title="Change sales prices",
        description="Change the sales prices of a category or of some products, by a percentage"
        " or formula, with rounding. Each call changes them again. Use dry_run first, and show the"
        " user the old and new prices. For prices by customer or quantity, use"
        " odoo_products_create_price_list.",
        function=products.change_prices,
        access="write",
    ),
    Tool(
        name="odoo_products_create_price_list",
        title="Create a price list",
        description="Create a pricelist with its rules (fixed price, discount, or a formula on"
        " price or cost; by product, variant, category, quantity and dates), and assign it to"
        " customers. To change sales prices themselves, use odoo_products_change_prices.",
        function=products.create_price_list,
        access="create",
        creates="product.pricelist",
    ),
    Tool(
        name="odoo_products_get_customer_price",
        title="Get a customer's price",
        description="Get a customer's price for a product at a given quantity and date, calculated"
        " by Odoo with the customer's pricelist, and the rules that apply.",
        function=products.get_customer_price,
        access="read",
    ),
)


class ProductsToolset(BaseToolset):
    """Tools for products and prices."""

    about = ToolsetMetadata(
        name="products",
        description="Create products with variants, change prices, create price lists",
        required_modules=("product",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
