"""The lines of an invoice, with prices and taxes that are the same on every version of Odoo.

To 15, Odoo fills in nothing for a call from outside: no price, no tax, no terms of payment, no
fiscal position. From 16 on it computes them as its own form does, but 16 puts the company's
default tax on lines that have no tax of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odoo_toolkit.apps.accounting.invoices import company_leaf
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, ValidationError, make_error
from odoo_toolkit.parallel import side_by_side

LINE_KEYS = (
    "product_id",
    "product_name",
    "name",
    "quantity",
    "price_unit",
    "account_id",
    "tax_ids",
)

#: The first version that computes prices, taxes and terms of what is created from outside.
COMPUTES = 16

#: What a product has for a sale and for a purchase: its taxes, its price.
_OF_PRODUCT = {
    "sale": ("taxes_id", "lst_price"),
    "purchase": ("supplier_taxes_id", "standard_price"),
}

Row = dict[str, Any]


def fill_lines(
    odoo: Odoo, header: Mapping[str, Any], lines: Sequence[Mapping[str, Any]], company: int
) -> tuple[Row, list[Any], list[str]]:
    """Return more values of the invoice, the commands that make its lines, and warnings.

    Args:
        odoo: the connection.
        header: the invoice's own values; ``move_type`` and ``partner_id`` among them.
        lines: checked, the products resolved.
        company: the invoice's.

    Raises:
        NotFoundError: a product or tax does not exist.
        ValidationError: a tax is another company's or for the other direction.
    """
    kind = "sale" if header["move_type"].startswith("out_") else "purchase"
    taxes_field, price_field = _OF_PRODUCT[kind]
    computed = odoo.version.major >= COMPUTES
    product_ids = sorted({line["product_id"] for line in lines if "product_id" in line})
    fields = ["display_name", taxes_field, *([] if computed else [price_field, "uom_id"])]
    rows, more = side_by_side(
        [
            lambda: _read(odoo, "product.product", product_ids, fields),
            lambda: [] if computed else [_of_partner(odoo, header)],
        ]
    )
    products = {row["id"]: row for row in rows}
    extra: Row = more[0] if more else {}
    told = {tax for i, line in enumerate(lines) for tax in _tax_ids(line, i)}
    own = {tax for row in rows for tax in row[taxes_field]}
    usable = _usable_taxes(odoo, told, own, kind, company)
    mapping = _tax_mapping(odoo, extra.get("fiscal_position_id"), usable)
    foreign = not computed and header.get("currency_id") is not None
    commands, untaxed = [], []
    for index, line in enumerate(lines):
        values: Row = {"quantity": line["quantity"]}
        values |= {key: line[key] for key in ("name", "price_unit", "account_id") if key in line}
        product = products.get(line.get("product_id"))
        if product is not None:
            values["product_id"] = product["id"]
            default = [tax for tax in product[taxes_field] if tax in usable]
            if not computed:
                values["product_uom_id"] = product["uom_id"][0]
                if "price_unit" not in line:
                    if foreign:
                        raise make_error(
                            "MISSING_REQUIRED_FIELD",
                            f"lines[{index}] needs a price_unit: to 15, Odoo does not convert the"
                            " product's price to the invoice's currency.",
                            suggestion="Give price_unit, or leave out currency_id.",
                            details={"field": f"lines[{index}].price_unit"},
                        )
                    values["price_unit"] = product[price_field]
                default = list(dict.fromkeys(t for tax in default for t in mapping.get(tax, [tax])))
            elif default and "tax_ids" not in line:
                # Left to Odoo, which maps them by the fiscal position.
                commands.append([0, 0, values])
                continue
        else:
            default = []
            values.setdefault("price_unit", 0.0)
        taxes = list(line.get("tax_ids", default))
        values["tax_ids"] = [[6, 0, taxes]]
        if not taxes and "tax_ids" not in line:
            untaxed.append(index)
        commands.append([0, 0, values])
    warnings = []
    if untaxed:
        which = ", ".join(f"lines[{index}]" for index in untaxed)
        warnings.append(f"No tax on {which}: no product that has one; tax_ids would set it.")
    return extra, commands, warnings


def _tax_ids(line: Mapping[str, Any], index: int) -> list[int]:
    ids = line.get("tax_ids", [])
    if not isinstance(ids, (list, tuple)) or any(
        isinstance(tax, bool) or not isinstance(tax, int) or tax < 1 for tax in ids
    ):
        raise ValidationError(
            f"lines[{index}].tax_ids must be a list of tax ids.",
            suggestion="Give e.g. [1], or [] for no tax.",
            details={"field": f"lines[{index}].tax_ids"},
        )
    return list(ids)


def _read(odoo: Odoo, model: str, ids: Sequence[int], fields: Sequence[str]) -> list[Row]:
    if not ids:
        return []
    rows: list[Row] = odoo.call(
        Call(model=model, method="read", ids=tuple(ids), arguments={"fields": list(fields)})
    )
    if missing := sorted(set(ids) - {row["id"] for row in rows}):
        raise NotFoundError(
            f"There is no {model} {', '.join(map(str, missing))}.",
            suggestion=f"Look for it with odoo_core_search_read on {model}.",
            details={"model": model, "ids": missing},
        )
    return rows


def _of_partner(odoo: Odoo, header: Mapping[str, Any]) -> Row:
    """Return what Odoo's form takes from the partner: terms of payment and fiscal position."""
    wanted = ("invoice_payment_term_id", "fiscal_position_id")
    values = {
        key: header[key] for key in ("move_type", "partner_id", "journal_id") if key in header
    }
    answer = odoo.call(
        Call(
            model="account.move",
            method="onchange",
            ids=(),
            arguments={
                "values": values,
                "field_names": ["partner_id"],
                "fields_spec": {**dict.fromkeys(wanted, ""), **dict.fromkeys(values, "1")},
            },
            context={"default_move_type": header["move_type"]},
            access="read",
            step=True,
        )
    )
    filled = answer.get("value") or {}
    return {
        name: filled[name][0] if isinstance(filled[name], (list, tuple)) else filled[name]
        for name in wanted
        if filled.get(name)
    }


def _usable_taxes(odoo: Odoo, told: set[int], own: set[int], kind: str, company: int) -> set[int]:
    """Return which of the taxes the company can use; refuse those told that do not fit."""
    if not told | own:
        return set()
    domain = [["id", "in", sorted(told | own)], company_leaf(odoo, company)]
    rows = odoo.call(
        Call(
            model="account.tax",
            method="search_read",
            arguments={"domain": domain, "fields": ["name", "type_tax_use"]},
        )
    )
    found = {row["id"]: row for row in rows}
    if missing := sorted(told - found.keys()):
        raise NotFoundError(
            f"The company has no tax {', '.join(map(str, missing))}.",
            suggestion="odoo_core_search_read on account.tax lists the taxes.",
            details={"model": "account.tax", "ids": missing, "field": "tax_ids"},
        )
    for tax in sorted(told):
        if found[tax]["type_tax_use"] not in (kind, "none"):
            raise ValidationError(
                f"The tax {found[tax]['name']} ({tax}) is for"
                f" {found[tax]['type_tax_use']}s, this is a {kind}.",
                suggestion=f"Choose a tax with type_tax_use {kind}.",
                details={"model": "account.tax", "field": "tax_ids", "id": tax},
            )
    return set(found)


def _tax_mapping(odoo: Odoo, position: int | None, taxes: set[int]) -> dict[int, list[int]]:
    """Return which taxes a fiscal position puts in the place of others (to Odoo 15)."""
    if not position or not taxes:
        return {}
    rows = odoo.call(
        Call(
            model="account.fiscal.position.tax",
            method="search_read",
            arguments={
                "domain": [["position_id", "=", position], ["tax_src_id", "in", sorted(taxes)]],
                "fields": ["tax_src_id", "tax_dest_id"],
            },
        )
    )
    mapping: dict[int, list[int]] = {}
    for row in rows:
        targets = mapping.setdefault(row["tax_src_id"][0], [])
        if row["tax_dest_id"]:
            targets.append(row["tax_dest_id"][0])
    return mapping
