"""Files: a quotation's PDF, kept on the customer's newest quotation under a name."""

from __future__ import annotations

import base64

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Teal Wharf wants their newest quotation on paper. Print the quotation as a PDF and keep it as a
file on that quotation, named "Teal Wharf offer.pdf". Leave an internal note on it: "Printed for
Teal Wharf". Nothing is sent to the customer.
"""
ANSWER = {
    "quotation": "number of the quotation",
    "attachment": "id of the attachment, a number",
}


def prepare(db: Database) -> Facts:
    """Make two quotations of the customer; the newest by its date was made first."""
    customer = records.company(db, "Teal Wharf", email="quay@teal-wharf.example")
    product = records.service(db, "Quay Cleaning", 90)
    ids = {}
    for key, days in (("newest", -2), ("older", -12)):
        line = {"product_id": product, "product_uom_qty": 3}
        ids[key] = db.create(
            "sale.order",
            {
                "partner_id": customer,
                "date_order": f"{records.days_from_now(days)} 09:00:00",
                "order_line": [[0, 0, line]],
            },
        )
    name = db.get("sale.order", ids["newest"], ["name"])["name"]
    return {**ids, "name": name, "customer": customer}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """The PDF is on the right quotation, a note too, and no message went to the customer."""
    found = db.search(
        "ir.attachment",
        [
            ["res_model", "=", "sale.order"],
            ["res_id", "in", [facts["newest"], facts["older"]]],
            ["name", "=", "Teal Wharf offer.pdf"],
        ],
        ["res_id", "datas"],
    )
    faults = unequal("where the file is", [facts["newest"]], [one["res_id"] for one in found])
    if not all(base64.b64decode(one["datas"] or "").startswith(b"%PDF-") for one in found):
        faults.append("the file is not a PDF")
    messages = db.search(
        "mail.message",
        [["model", "=", "sale.order"], ["res_id", "=", facts["newest"]]],
        ["body", "is_internal", "subtype_id", "partner_ids"],
    )
    notes = [one for one in messages if "Printed for Teal Wharf" in (one["body"] or "")]
    faults += unequal("the number of notes", 1, len(notes))
    note = db.reference("mail.mt_note")
    if any((one["subtype_id"] or [0])[0] != note for one in notes):
        faults.append("the note is not internal")
    told = [one["id"] for one in messages if facts["customer"] in one["partner_ids"]]
    faults += unequal("the messages to the customer", [], told)
    state = db.get("sale.order", facts["newest"], ["state"])["state"]
    faults += unequal("the quotation's state", "draft", state)
    faults += unequal("the quotation in the answer", facts["name"], answer["quotation"])
    ids = [one["id"] for one in found]
    return faults + unequal("the attachment in the answer", ids, [answer["attachment"]])


def solve(call: Call, facts: Facts) -> Answer:
    """Find the quotation, print it onto itself, and leave the note."""
    quotation = call(
        "odoo_core_search_read",
        model="sale.order",
        domain=[["partner_id", "=", "Teal Wharf"], ["state", "=", "draft"]],
        fields=["name"],
        order="date_order desc",
        limit=1,
    )["records"][0]
    kept = call(
        "odoo_reports_attach",
        report_name="sale.report_saleorder",
        record=quotation["name"],
        file_name="Teal Wharf offer.pdf",
    )
    call(
        "odoo_chatter_post_notes",
        model="sale.order",
        records=[quotation["name"]],
        body="Printed for Teal Wharf",
    )
    return {"quotation": quotation["name"], "attachment": kept["id"]}
