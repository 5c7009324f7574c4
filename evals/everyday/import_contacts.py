"""Import: a list with new contacts, known ones, and a row that cannot be right."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Bring this list of companies into our contacts. The e-mail address tells whether we have one
already: then its city, country and phone change to those of the list, and its name stays as we
have it. A row whose country does not exist is left out.

name,email,phone,city,country
Avocet Foods,office@avocet.example,+31 20 555 0101,Utrecht,Netherlands
Bittern Books,mail@bittern.example,+44 20 7946 0102,Norwich,United Kingdom
Crake Coffee,hello@crake.example,+49 30 555 0103,Leipzig,Germany
Dipper Dairy,info@dipper.example,+353 1 555 0104,Cork,Ireland
Egret Energy,desk@egret.example,+34 91 555 0105,Sevilla,Spain
Fulmar Fish,dock@fulmar.example,+351 21 555 0106,Porto,Lusitania
Godwit Gardens,post@godwit.example,+33 1 55 55 01 07,Lille,France
"""
ANSWER = {
    "created": "how many contacts are new, a number",
    "updated": "how many known contacts were changed, a number",
    "left_out": "names of the companies that were left out, a list",
}
ROWS = [
    line.split(",") for line in WORDS.strip().splitlines() if "@" in line and "Fulmar" not in line
]
KNOWN = {"hello@crake.example": "Crake Coffee Roasters", "desk@egret.example": "Egret Energy S.L."}
PHONE_COLUMN, CITY_COLUMN, COUNTRY_COLUMN = 2, 3, 4


def prepare(db: Database) -> Facts:
    """Have two of the companies already, under longer names."""
    known = {
        email: records.company(db, name, email=email, city="Berlin", phone="0")
        for email, name in KNOWN.items()
    }
    return {"known": known}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """Each address is there once with the list's values; names of known ones are kept."""
    faults = []
    for row in ROWS:
        name, email = row[0], row[1]
        found = db.search(
            "res.partner",
            [["email", "=", email]],
            ["name", "phone", "city", "country_id", "is_company"],
        )
        if len(found) != 1:
            faults.append(f"{email} is there {len(found)} times")
            continue
        one = found[0]
        faults += unequal(f"the name of {email}", KNOWN.get(email, name), one["name"])
        values = [one["phone"], one["city"], (one["country_id"] or [0, None])[1]]
        faults += unequal(f"phone, city and country of {email}", row[2:], values)
        faults += unequal(f"whether {email} is a company", True, one["is_company"])
        if email in KNOWN:
            faults += unequal(f"the id of {email}", facts["known"][email], one["id"])
    bad = db.count("res.partner", [["email", "=", "dock@fulmar.example"]])
    faults += unequal("the contacts of the row to leave out", 0, bad)
    faults += unequal("created", 4, answer["created"])
    faults += unequal("updated", 2, answer["updated"])
    return faults + unequal("left out", ["Fulmar Fish"], list(answer["left_out"]))


def solve(call: Call, facts: Facts) -> Answer:
    """See which addresses are known, and import those without their names."""
    every = [line.split(",") for line in WORDS.strip().splitlines() if "@" in line]
    known = call(
        "odoo_core_search_read",
        model="res.partner",
        domain=[["email", "in", [row[1] for row in every]]],
        fields=["email"],
    )["records"]
    addresses = {one["email"] for one in known}
    done = []
    for old in (False, True):
        rows = [_values(row, old) for row in every if (row[1] in addresses) == old]
        done.append(call("odoo_core_import", model="res.partner", rows=rows, key=["email"]))
    new, changed = done
    there = call(
        "odoo_core_search_read",
        model="res.partner",
        domain=[["email", "in", [row[1] for row in every]]],
        fields=["email"],
    )["records"]
    imported = {one["email"] for one in there}
    return {
        "created": new["created"],
        "updated": changed["updated"],
        "left_out": [row[0] for row in every if row[1] not in imported],
    }


def _values(row: list[str], known: bool) -> dict[str, object]:
    values: dict[str, object] = {
        "email": row[1],
        "phone": row[PHONE_COLUMN],
        "city": row[CITY_COLUMN],
        "country_id": row[COUNTRY_COLUMN],
    }
    return values if known else {**values, "name": row[0], "is_company": True}
