"""Contacts: two of three similar contacts are the same company."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Lindqvist Marine is in our contacts twice. Make one of them, and keep the record that has the sales
order. Then set its street to "Varvsgatan 8" and its city to "Malmö". Lindqvist Marina is another
company: leave it alone.
"""
ANSWER = {
    "id": "id of the contact that stays, a number",
    "phone": "its phone number",
}


def prepare(db: Database) -> Facts:
    """Make the pair and the namesake; the younger of the pair has the order."""
    email = "office@lindqvist-marine.example"
    double = records.company(
        db, "Lindqvist Marine", email=email, phone="+46 40 123 456", comment="Pays on time"
    )
    kept = records.company(db, "Lindqvist Marine AB", email=email)
    other = records.company(db, "Lindqvist Marina", email="post@lindqvist-marina.example")
    product = records.service(db, "Hull Survey", 400)
    for partner in (kept, other):
        line = {"product_id": product, "product_uom_qty": 1}
        db.create("sale.order", {"partner_id": partner, "order_line": [[0, 0, line]]})
    return {"kept": kept, "double": double, "other": other}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """The record with the order is the only one left, has the phone, and the new address."""
    ids = [facts["kept"], facts["double"], facts["other"]]
    left = db.search(
        "res.partner", [["id", "in", ids]], ["phone", "street", "city", "email"], order="id"
    )
    faults = unequal(
        "the contacts left", sorted([facts["kept"], facts["other"]]), [one["id"] for one in left]
    )
    rows = {one["id"]: one for one in left}
    if facts["kept"] in rows:
        kept = rows[facts["kept"]]
        faults += unequal("the phone", "+46 40 123 456", kept["phone"])
        faults += unequal("the street", "Varvsgatan 8", kept["street"])
        faults += unequal("the city", "Malmö", kept["city"])
    orders = db.count("sale.order", [["partner_id", "=", facts["kept"]]])
    others = db.count("sale.order", [["partner_id", "=", facts["other"]]])
    faults += unequal("the orders of both companies", (1, 1), (orders, others))
    faults += unequal("the id in the answer", facts["kept"], answer["id"])
    digits = "".join(one for one in str(answer["phone"]) if one.isdigit())
    return faults + unequal("the phone in the answer", "4640123456", digits)


def solve(call: Call, facts: Facts) -> Answer:
    """Find the pair, see who has the order, merge into it, and write the address."""
    order = call(
        "odoo_core_search_read",
        model="sale.order",
        domain=[["partner_id.email", "=", "office@lindqvist-marine.example"]],
        fields=["partner_id"],
    )["records"][0]
    kept = order["partner_id"]["id"]
    merged = call("odoo_contacts_merge_contacts", contact_id=kept, duplicates=["Lindqvist Marine"])
    call(
        "odoo_core_write",
        model="res.partner",
        ids=[kept],
        values={"street": "Varvsgatan 8", "city": "Malmö"},
    )
    return {"id": kept, "phone": merged["phone"]}
