"""CRM: a lead becomes an opportunity, with a stage, a revenue and a next step."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
I have called the lead "Rooftop tents for Merlin Outfitters". They are interested: make it an
opportunity of the customer Merlin Outfitters, who is in our contacts already, with an expected
revenue of 18,400, and put it into the stage Proposition. Plan a call to them on {day} with the
summary "Talk about delivery dates". There is another lead of theirs, about sleeping bags: that one
is lost.
"""
ANSWER = {
    "opportunity": "id of the opportunity, a number",
    "lost": "id of the lost lead, a number",
}


def prepare(db: Database) -> Facts:
    """Make the customer and two leads."""
    customer = records.company(db, "Merlin Outfitters", email="hello@merlin-outfitters.example")
    leads = {
        key: db.create(
            "crm.lead",
            {
                "name": name,
                "type": "lead",
                "partner_name": "Merlin Outfitters",
                "email_from": "hello@merlin-outfitters.example",
                "user_id": db.uid,
            },
        )
        for key, name in (
            ("tents", "Rooftop tents for Merlin Outfitters"),
            ("bags", "Sleeping bags for Merlin Outfitters"),
        )
    }
    return {"customer": customer, **leads, "day": records.days_from_now(9)}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """The one is an open opportunity with a call planned, the other is lost."""
    fields = ["type", "active", "partner_id", "expected_revenue", "stage_id", "probability"]
    tents = db.get("crm.lead", facts["tents"], fields)
    bags = db.get("crm.lead", facts["bags"], fields)
    activities = db.search(
        "mail.activity",
        [["res_model", "=", "crm.lead"], ["res_id", "=", facts["tents"]]],
        ["activity_type_id", "summary", "date_deadline"],
    )
    calls = [
        (one["summary"], one["date_deadline"])
        for one in activities
        if "call" in one["activity_type_id"][1].lower()
    ]
    customers = db.count("res.partner", [["name", "=", "Merlin Outfitters"]])
    faults = unequal("its type", "opportunity", tents["type"])
    faults += unequal("whether it is open", True, tents["active"])
    faults += unequal("its customer", facts["customer"], (tents["partner_id"] or [None])[0])
    faults += unequal("the contacts of that name", 1, customers)
    faults += unequal("its expected revenue", 18400.0, tents["expected_revenue"])
    faults += unequal("its stage", "Proposition", (tents["stage_id"] or [0, ""])[1])
    faults += unequal("the calls", [("Talk about delivery dates", facts["day"])], calls)
    lost = (bags["active"], bags["probability"])
    faults += unequal("the other lead (active, probability)", (False, 0.0), lost)
    faults += unequal("the opportunity in the answer", facts["tents"], answer["opportunity"])
    return faults + unequal("the lost lead in the answer", facts["bags"], answer["lost"])


def solve(call: Call, facts: Facts) -> Answer:
    """Convert with revenue and stage, plan the call, mark the other as lost."""
    tents = call(
        "odoo_crm_convert_to_opportunity",
        lead_name="Rooftop tents for Merlin Outfitters",
        partner_name="Merlin Outfitters",
        expected_revenue=18400,
        stage_name="Proposition",
    )
    call(
        "odoo_chatter_schedule_activity",
        model="crm.lead",
        record_id=tents["id"],
        activity_type="call",
        summary="Talk about delivery dates",
        date_deadline=facts["day"],
    )
    bags = call("odoo_crm_mark_lost", lead_name="Sleeping bags for Merlin Outfitters")
    return {"opportunity": tents["id"], "lost": bags["id"]}
