"""The prompt ``odoo_domain_help``: everything about Odoo's search filters."""

from __future__ import annotations

from odoo_toolkit.client import Odoo
from odoo_toolkit_mcp.server_facts import Served

_HEAD = """\
# Odoo domains

A domain is a JSON list of conditions. A condition is `[field, operator, value]`. A record \
matches if all conditions are true. `[]` finds every record.

`[["state", "=", "sale"], ["amount_total", ">=", 1000]]`

## And, or, not

Operators precede their conditions. `"|"` (or) and `"&"` (and) join the next two conditions, and \
`"!"` (not) negates the next one. Conditions without an operator are joined by "and".

- A or B: `["|", A, B]`
- A or B or C: `["|", "|", A, B, C]`
- (A or B) and C: `["|", A, B, C]`
- A or (B and C): `["|", A, "&", B, C]`
- not A: `["!", A]`; neither A nor B: `["!", A, "!", B]`

## Comparisons

| operator | finds records whose field | example |
|---|---|---|
| `=` `!=` | is, is not the value | `["state", "=", "draft"]` |
| `>` `>=` `<` `<=` | is more, less | `["amount_total", ">", 500]` |
| `in` `not in` | is, is not one of a list | `["state", "in", ["draft", "sent"]]` |
| `ilike` `not ilike` | contains, does not contain the text, ignoring case | \
`["name", "ilike", "desk"]` |
| `like` `not like` | the same, but case-sensitive | `["name", "like", "Desk"]` |
| `=ilike` `=like` | matches a pattern: `%` is any text, `_` is one character | \
`["ref", "=ilike", "inv%"]` |
| `=?` | is the value. A false value means no filter | `["company_id", "=?", false]` |
| `child_of` | is the record, or below it in the hierarchy | `["categ_id", "child_of", 5]` |
| `parent_of` | is the record, or above it | `["categ_id", "parent_of", 9]` |
"""
_ANY = """\
| `any` `not any` | has, has no related record that a domain finds | \
`["order_line", "any", [["price_unit", ">", 100]]]` |
"""
_REST = """
## Empty values

`["email", "=", false]` is empty, `["email", "!=", false]` is filled in. A yes/no field is \
compared with `true` and `false`. `!=` and `not in` also find records with an empty field.

## Text

- contains: `["name", "ilike", "acme"]`
- starts with: `["name", "=ilike", "acme%"]`; ends with: `["name", "=ilike", "%ltd"]`
- exactly, in any case: `["name", "=ilike", "acme"]`
- any of two words: `["|", ["name", "ilike", "desk"], ["name", "ilike", "chair"]]`
- `%` and `_` in text are wildcards. `\\\\%` and `\\\\_` are the characters themselves.

## Dates

A date is `"2025-02-09"`. A datetime is in UTC: `"2025-02-09T14:30:00Z"`.

- a month: `["invoice_date", ">=", "2025-02-01"], ["invoice_date", "<=", "2025-02-28"]`
- a month of datetimes: `["date_order", ">=", "2025-02-01"], ["date_order", "<", "2025-03-01"]`. \
`=` would compare with midnight
- overdue: `["date_deadline", "<", "<today>"]`

## Relations

- a certain record: `["partner_id", "=", 7]`; one of several: `["partner_id", "in", [7, 9]]`
- a company and its contacts: `["partner_id", "child_of", 7]`
- by the name of the related record: `["partner_id", "ilike", "acme"]`
- through a relation, with dots: `["partner_id.country_id.code", "=", "PT"]`. More than four \
steps are slow
- with a tag: `["tag_ids", "in", [3]]`; without any: `["tag_ids", "=", false]`
- in a list, a condition is true if at least one record meets it: \
`["order_line.product_id", "=", 12]`

## States

`odoo_core_fields_get` shows the values under `selection`. In a domain, use the value, not the \
label: `["state", "in", ["draft", "sent"]]`.

## Archived records

A search omits records with `active = false`. To find only these, add `["active", "=", false]`. To \
find both, add `["active", "in", [true, false]]`, or pass the context `{"active_test": false}`.

## Writing to lists (one2many, many2many)

These commands are not part of a domain. Write a list of them to the field:

| command | effect |
|---|---|
| `[0, 0, {values}]` | creates a record in the list |
| `[1, id, {values}]` | changes one |
| `[2, id]` | deletes one |
| `[3, id]` | removes one from the list, without deleting it |
| `[4, id]` | adds an existing one |
| `[5]` | empties the list |
| `[6, 0, [ids]]` | replaces the list with these |

A wrong domain raises an error that explains the mistake. Odoo never searches without the filter.
"""


def text(odoo: Odoo, served: Served) -> str:
    """Return the reference of domains as the connected Odoo understands them."""
    return domain_help(odoo.version.major)


def domain_help(version: int) -> str:
    """Return the reference of domains; ``any`` exists from Odoo 17 on."""
    return _HEAD + (_ANY if version >= 17 else "") + _REST
