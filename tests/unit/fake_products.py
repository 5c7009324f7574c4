"""A shop in memory: products with attributes and variants, made as Odoo makes them."""

from __future__ import annotations

from itertools import product as combinations
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from tests.kit.real_fields import real_fields
from tests.unit.scripted import Scripted, contents

TEMPLATE, VARIANT = "product.template", "product.product"
TEMPLATE_VALUE = "product.template.attribute.value"


#: Model -> its fields that the functions of products look at, on any version.
_FIELDS = {
    TEMPLATE_VALUE: (
        "name product_tmpl_id attribute_id product_attribute_value_id price_extra ptav_active"
    ),
    "product.supplierinfo": (
        "product_tmpl_id name partner_id price min_qty delay sequence currency_id product_code "
        "product_uom_id"
    ),
    "account.tax": "name type_tax_use company_id",
    "uom.uom": "name",
    "res.partner": "name email property_product_pricelist",
    "res.currency": "name",
    "res.company": "name parent_ids",
    "res.users": "name company_id",
    "product.pricelist": "name active currency_id company_id item_ids",
    "product.pricelist.item": (
        "name pricelist_id applied_on categ_id product_tmpl_id product_id compute_price "
        "fixed_price percent_price base base_pricelist_id price_discount price_surcharge "
        "price_round price_min_margin min_quantity date_start date_end"
    ),
}


def models(major: int, *, stock: bool = True) -> dict[str, dict[str, Any]]:
    """Return the fields that are looked at, as the version has them."""
    selection = [["consu", "Goods"], ["service", "Service"]]
    storable = [*selection, *([["product", "Storable"]] if stock else [])]
    kinds: dict[str, Any] = {
        "type": {
            "type": "selection",
            "selection": storable if major < 15 else selection,
            "store": True,
        }
    }
    if 15 <= major < 18:
        kinds["detailed_type"] = {"type": "selection", "selection": storable, "store": True}
    if major >= 18:
        kinds["is_storable"] = "boolean"
    shared = {
        "name": "char",
        "list_price": "float",
        "standard_price": "float",
        "default_code": "char",
        "barcode": "char",
        "weight": "float",
        "active": "boolean",
        "categ_id": "many2one product.category",
        "currency_id": "many2one res.currency",
    }
    return {
        TEMPLATE: {
            **shared,
            **kinds,
            "uom_id": "many2one uom.uom",
            **({"uom_po_id": "many2one uom.uom"} if major < 19 else {}),
            "taxes_id": "many2many account.tax",
            "supplier_taxes_id": "many2many account.tax",
            "sale_ok": "boolean",
            "purchase_ok": "boolean",
            "description_sale": "text",
            "product_variant_count": "integer",
            "attribute_line_ids": "one2many product.template.attribute.line product_tmpl_id",
            "seller_ids": "one2many product.supplierinfo product_tmpl_id",
        },
        VARIANT: {
            **shared,
            "lst_price": "float",
            "product_tmpl_id": f"many2one {TEMPLATE}",
            "product_template_attribute_value_ids": f"many2many {TEMPLATE_VALUE}",
        },
        "product.template.attribute.line": {
            "product_tmpl_id": f"many2one {TEMPLATE}",
            "attribute_id": "many2one product.attribute",
            "value_ids": "many2many product.attribute.value",
        },
        "product.attribute": {"name": "char", "create_variant": "char"},
        "product.attribute.value": {"name": "char", "attribute_id": "many2one product.attribute"},
        "product.category": {
            "name": "char",
            "complete_name": "char",
            "parent_id": "many2one product.category",
        },
        **real_fields(major, _FIELDS),
    }


class Shop(Scripted):
    """A shop with the attributes Size and Colour, some products, a vendor and a customer."""

    def __init__(
        self, major: int = 19, policy: Policy | None = None, *, stock: bool = True
    ) -> None:
        records: dict[str, list[dict[str, Any]]] = {model: [] for model in models(major)}
        records |= {
            "product.attribute": [
                {"id": 1, "name": "Size", "create_variant": "always"},
                {"id": 2, "name": "Colour", "create_variant": "always"},
                {"id": 3, "name": "Engraving", "create_variant": "no_variant"},
                {"id": 4, "name": "Frame", "create_variant": "dynamic"},
            ],
            "product.attribute.value": [
                {"id": number, "name": name, "attribute_id": attribute}
                for number, (name, attribute) in enumerate(
                    [("S", 1), ("XL", 1), ("Red", 2), ("Blue", 2), ("Yes", 3), ("Oak", 4)], 1
                )
            ],
            "product.category": [
                {"id": 1, "name": "All", "complete_name": "All", "parent_id": False},
                {"id": 2, "name": "Tables", "complete_name": "All / Tables", "parent_id": 1},
            ],
            "account.tax": [
                {"id": 1, "name": "21%", "type_tax_use": "sale", "company_id": 1},
                {"id": 2, "name": "21% G", "type_tax_use": "purchase", "company_id": 1},
            ],
            "uom.uom": [{"id": 1, "name": "Units"}, {"id": 2, "name": "Dozens"}],
            "res.partner": [
                {"id": 7, "name": "Cotton & Co", "property_product_pricelist": False},
                {"id": 8, "name": "Azure Interior", "property_product_pricelist": 1},
            ],
            "res.currency": [{"id": 1, "name": "EUR"}, {"id": 2, "name": "USD"}],
            "res.company": [{"id": 1, "name": "My Company", "parent_ids": []}],
            "res.users": [{"id": 2, "name": "Me", "company_id": 1}],
            "product.pricelist": [{"id": 1, "name": "Retail", "active": True, "currency_id": 1}],
            "product.pricelist.item": [
                {
                    "id": 1,
                    "name": "All",
                    "pricelist_id": 1,
                    "applied_on": "3_global",
                    "compute_price": "percentage",
                    "percent_price": 10.0,
                    "min_quantity": 0.0,
                }
            ],
            TEMPLATE: [
                {
                    "id": number,
                    "name": name,
                    "list_price": price,
                    "standard_price": cost,
                    "active": True,
                    "categ_id": 2,
                    "currency_id": 1,
                    "product_variant_count": 1,
                }
                for number, name, price, cost in (
                    (10, "Oak Table", 100.0, 60.0),
                    (11, "Pine Table", 49.5, 0.0),
                    (12, "Free Sample", 0.0, 1.0),
                )
            ],
        }
        records[VARIANT] = [
            {
                "id": row["id"] + 100,
                "product_tmpl_id": row["id"],
                "barcode": "111" if row["id"] == 10 else False,
                **{k: row[k] for k in ("name", "list_price", "standard_price", "active")},
                "display_name": row["name"],
                "lst_price": row["list_price"],
                "categ_id": 2,
                "currency_id": 1,
                "product_template_attribute_value_ids": [],
            }
            for row in records[TEMPLATE]
        ]
        answers = {
            (VARIANT, "get_contextual_price"): self._reckon,
            (TEMPLATE, "create"): self._make_variants,
            (TEMPLATE_VALUE, "write"): self._price_value,
        }
        super().__init__(major, answers, policy, models(major, stock=stock), records=records)

    def _make_variants(self, call: Call) -> Any:
        """Create the product as Odoo does: of several variants it drops barcode and cost."""
        values = contents(call)
        rows = self.server.records
        number = max(row["id"] for row in rows[TEMPLATE]) + 1
        lines = [command[2] for command in values.get("attribute_line_ids") or ()]
        sides: list[list[int]] = []
        for line in lines:
            ids = []
            for kind, value_id, new in line["value_ids"]:
                if kind == 0:
                    value_id = len(rows["product.attribute.value"]) + 1
                    rows["product.attribute.value"].append({"id": value_id, **new})
                value = next(v for v in rows["product.attribute.value"] if v["id"] == value_id)
                own = len(rows[TEMPLATE_VALUE]) + 1
                rows[TEMPLATE_VALUE].append(
                    {
                        "id": own,
                        "name": value["name"],
                        "product_tmpl_id": number,
                        "attribute_id": line["attribute_id"],
                        "product_attribute_value_id": value_id,
                        "price_extra": 0.0,
                        "ptav_active": True,
                    }
                )
                ids.append(own)
            sides.append(ids)
            kept_line = {"id": len(rows["product.template.attribute.line"]) + 1}
            kept_line |= {"product_tmpl_id": number, "attribute_id": line["attribute_id"]}
            rows["product.template.attribute.line"].append(kept_line)
        kept = dict(values)
        several = [*combinations(*sides)]
        if len(several) > 1:
            kept |= {"barcode": False, "standard_price": 0.0}
        for command in kept.pop("seller_ids", None) or ():
            seller = {"id": len(rows["product.supplierinfo"]) + 1, "sequence": 1, "delay": 1}
            seller |= {"min_qty": 0.0, "currency_id": 1, "product_tmpl_id": number, **command[2]}
            rows["product.supplierinfo"].append(seller)
        kept.pop("attribute_line_ids", None)
        taxes = {name: (kept.get(name) or [[6, 0, [1]]])[0][2] for name in ("taxes_id",)}
        defaults = {"uom_id": 1, "list_price": 1.0, "type": "consu", "standard_price": 0.0}
        template = {**defaults, **kept, **taxes, "supplier_taxes_id": [], "active": True}
        for name in ("supplier_taxes_id",):
            template[name] = (values.get(name) or [[6, 0, []]])[0][2]
        rows[TEMPLATE].append(
            {"id": number, **template, "create_uid": 2, "product_variant_count": len(several)}
        )
        for values_of in several:
            rows[VARIANT].append(
                {
                    "id": max(row["id"] for row in rows[VARIANT]) + 1,
                    "name": kept["name"],
                    "product_tmpl_id": number,
                    "active": True,
                    "standard_price": template["standard_price"],
                    "barcode": template.get("barcode") or False,
                    "default_code": template.get("default_code") if len(several) == 1 else False,
                    "lst_price": template["list_price"],
                    "weight": 0.0,
                    "product_template_attribute_value_ids": list(values_of),
                }
            )
        return [number]

    def _reckon(self, call: Call) -> float:
        """Reckon as Odoo does, as far as the first rule is a discount or a price."""
        product = next(r for r in self.server.records[VARIANT] if r["id"] == (call.ids or (0,))[0])
        for rule in self.server.records["product.pricelist.item"]:
            if rule["pricelist_id"] == call.context.get("pricelist"):
                off = rule["percent_price"] / 100
                return float(rule.get("fixed_price") or product["lst_price"] * (1 - off))
        return float(product["lst_price"])

    def _price_value(self, call: Call) -> Any:
        for row in self.server.records[VARIANT]:
            if (call.ids or (0,))[0] in row["product_template_attribute_value_ids"]:
                row["lst_price"] += contents(call)["price_extra"]
        return NotImplemented
