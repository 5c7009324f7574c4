"""A messy file of customers as a newcomer has it, with a list of what is wrong in it."""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

#: Columns as the accountant who sent the file names them -> fields.
COLUMNS: dict[str, str | None] = {
    "Kundennr.": "ref",
    "Firma": "name",
    "E-Mail": "email",
    "Land": "country_id",
    "Schlagworte": "category_id",
    "Firma?": "is_company",
    "Breite": "partner_latitude",
    "Farbe": "color",
    "Art": "type",
    "Sprache": None,
}
VALUES: dict[str, dict[str, Any]] = {
    "Land": {"Deutschland": "Germany", "k. A.": None},
    "Art": {"Rechnung": "invoice", "Haupt": "contact"},
}

_COUNTRIES = ("belgium", "FRANCE", "Deutschland", "k. A.", "Italy")
#: What people type for countries, and what they meant.
MISSPELT = {"Belgim": "Belgium", "Frnace": "France", "Itlay": "Italy", "Germny": "Germany"}
_SWITCHES = ("ja", "nein", "x", "1", "0", "Yes", "no", "")


@attrs.define
class Messy:
    """The file.

    Attributes:
        rows: as they are in it.
        planted: (row, column) of each error.
        customers: how many customers there are when it is mended.
    """

    rows: list[dict[str, str]]
    planted: set[tuple[int, str]]
    customers: int

    def as_csv(self) -> str:
        """Return the file: semicolons and decimal commas."""
        return as_csv(self.rows)


def as_csv(rows: Sequence[Mapping[str, str]]) -> str:
    """Return rows as a file with semicolons."""
    text = io.StringIO()
    lines = csv.DictWriter(text, list(rows[0]), delimiter=";")
    lines.writeheader()
    lines.writerows(rows)
    return text.getvalue()


def messy(word: str, number: int, tags: Sequence[str]) -> Messy:
    """Return a file of so many customers, of which some are there twice, and its errors.

    Args:
        word: for names, which no other records have.
        number: of rows.
        tags: names of tags, some of which are not there.
    """
    chance = random.Random(7)
    rows = [_row(word, n, chance, tags) for n in range(1, number + 1)]
    planted: set[tuple[int, str]] = set()
    doubles = 0

    def plant(n: int, column: str, value: str) -> None:
        rows[n - 1][column] = value
        planted.add((n, column))

    for n in range(10, number, 40):
        plant(n, "Land", chance.choice(list(MISSPELT)))
    for n in range(13, number, 50):
        plant(n, "Firma?", chance.choice(("vielleicht", "2", "jain")))
    for n in range(17, number, 60):
        plant(n, "Breite", chance.choice(("zehn", "12.34.5", "15 %")))
    for n in range(19, number, 70):
        plant(n, "Farbe", "rot")
    for n in range(23, number, 80):
        plant(n, "Art", "Chef")
    for n in range(29, number, 90):
        plant(n, "Firma", "")
        rows[n - 1]["Art"] = "Haupt"
    # The same customer twice, and something else wrong with the second, and often the first, too.
    for n in range(31, number - 5, 100):
        rows[n + 4]["Kundennr."] = rows[n - 1]["Kundennr."]
        planted |= {(n, "Kundennr."), (n + 5, "Kundennr.")}
        plant(n + 5, "Land", "Belgim")
        if n % 200 < 100:
            plant(n, "Firma?", "jain")
        doubles += 1
    for n in range(37, number, 300):
        plant(n, "Kundennr.", "")
    return Messy(rows, planted, number - doubles)


def _row(word: str, n: int, chance: random.Random, tags: Sequence[str]) -> dict[str, str]:
    return {
        "Kundennr.": f"{word}-{n}",
        "Firma": f"{word} {n}",
        "E-Mail": f"{word}_{n}@example.com",
        "Land": chance.choice(_COUNTRIES),
        "Schlagworte": ",".join(chance.sample(list(tags), chance.randint(0, 2))),
        "Firma?": chance.choice(_SWITCHES),
        "Breite": chance.choice(("50,5", "1.234", "-12,25", "")),
        "Farbe": str(n % 10),
        "Art": chance.choice(("Rechnung", "Haupt", "other")),
        "Sprache": "Deutsch",
    }


def mended(text: str, word: str) -> list[dict[str, str]]:
    """Repair the failed rows as a person does who has only the file of them with its reasons.

    Rows of a customer who is there twice become one.
    """
    rows = list(csv.DictReader(io.StringIO(text), delimiter=";"))
    kept: dict[str, dict[str, str]] = {}
    for row in rows:
        reason = row.pop("import_error")
        if meant := re.search(r"Land: There is no res\.country.*?Did you mean '([^']+)'", reason):
            row["Land"] = meant[1]
        if "Firma?:" in reason:
            row["Firma?"] = "nein"
        if "Breite:" in reason:
            row["Breite"] = ""
        if "Farbe:" in reason:
            row["Farbe"] = "1"
        if "Art:" in reason:
            row["Art"] = "Rechnung"
        if "Firma: " in reason:
            row["Firma"] = f"{word} renamed"
        if "Kundennr.: The key is empty" in reason:
            row["Kundennr."] = f"{word}-late-{len(kept)}"
        kept.setdefault(row["Kundennr."], row)
    return list(kept.values())
