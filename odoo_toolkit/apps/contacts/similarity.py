"""How alike two contacts are: what they share, what speaks against it, and a measure of both.

Nothing here asks Odoo. E-mail addresses, numbers and names are compared as people mean them, not
as they were typed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from email.utils import getaddresses
from typing import Any, Literal

import attrs

from odoo_toolkit.errors import invalid
from odoo_toolkit.values.search_text import folded

Sign = Literal["email", "phone", "vat", "name"]

#: The fields that show each sign; a version may lack some.
SIGN_FIELDS: Mapping[Sign, tuple[str, ...]] = {
    "email": ("email",),
    "phone": ("phone", "mobile"),
    "vat": ("vat",),
    "name": ("name",),
}

#: How much each sign says by itself: two contacts that share several are 1 - (1 - a)(1 - b)...
_WEIGHTS = {"vat": 0.9, "email": 0.7, "name": 0.6, "nearly": 0.5, "phone": 0.5, "alike": 0.4}
_ADDRESS_WEIGHT = 0.3

#: By how much the measure falls for what speaks against it.
_OTHER_VAT, _OTHER_NAME, _OTHER_KIND, _OTHER_TOWN = 0.4, 0.6, 0.6, 0.85

#: From which ratio on two names are alike, and below which they are quite different ones.
_ALIKE, _UNLIKE = 0.85, 0.5

#: Digits by whose end numbers are sorted, and of which a number has at least.
KEY_DIGITS, _LEAST_DIGITS = 7, 6

_LEGAL_FORMS = """ab ag aps as bv bvba co company corp corporation gmbh inc kft kg limited llc llp
    lp ltd nv ohg oy oyj plc pte pty sa sarl sas se sl sp spa spol sprl srl srls ug vof zoo"""
_EXTENSION = re.compile(r"(?:ext\.?|extension|x|#)\s*\d+\s*$", re.IGNORECASE)
_EMAIL = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+\.[^@\s<>,;.]{2,}")


@attrs.frozen(kw_only=True)
class Likeness:
    """What two contacts have in common.

    Attributes:
        score: from 0 to 1.
        why: what they share, in words.
        against: what speaks against it.
    """

    score: float
    why: list[str]
    against: list[str]


def addresses(text: Any) -> list[str]:
    """Return the e-mail addresses in a field, in lower case."""
    if not isinstance(text, str):
        return []
    found = [address for _, address in getaddresses([text.replace(";", ",")])]
    return [a.strip().lower() for a in found if _EMAIL.fullmatch(a.strip())]


def digits(text: Any) -> str:
    """Return the digits of a phone number that tell it from others; nothing for what is none.

    Without the zeros that stand before the country or the area, and without an extension.
    """
    if not isinstance(text, str):
        return ""
    number = _EXTENSION.sub("", text.replace("(0)", ""))
    found = re.sub(r"\D", "", number).lstrip("0")
    return found if len(found) >= _LEAST_DIGITS else ""


def same_number(one: str, other: str) -> bool:
    """Whether two numbers, as :func:`digits` gives them, are one: with and without its country."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= KEY_DIGITS and long.endswith(short))


def tax_number(text: Any) -> str:
    """Return a VAT number as letters and digits; nothing where Odoo has a mere placeholder."""
    found = re.sub(r"[\W_]", "", text).upper() if isinstance(text, str) else ""
    return found if len(found) > 3 else ""


def name_words(text: Any) -> tuple[str, ...]:
    """Return the words of a name in a fixed order, without legal forms and marks."""
    if not isinstance(text, str):
        return ()
    plain = re.sub(r"[.']", "", folded(text))
    words = re.findall(r"\w+", plain)
    return tuple(sorted([w for w in words if w not in _LEGAL_FORMS.split()] or words))


def _street(row: Mapping[str, Any]) -> tuple[str, str] | None:
    street, town = (" ".join(name_words(row.get(f))) for f in ("street", "zip"))
    return (street, town) if street and town else None


def keys(row: Mapping[str, Any], signs: Iterable[Sign]) -> list[tuple[str, str]]:
    """Return what a contact is sorted by: those that share one of these are compared."""
    found: list[tuple[str, str]] = []
    if "email" in signs:
        found += [("e-mail address", address) for address in addresses(row.get("email"))]
    if "phone" in signs:
        numbers = filter(None, (digits(row.get(field)) for field in SIGN_FIELDS["phone"]))
        found += [("phone number", number[-KEY_DIGITS:]) for number in numbers]
    if "vat" in signs and (number := tax_number(row.get("vat"))):
        found.append(("VAT number", number))
    if "name" in signs:
        if words := name_words(row.get("name")):
            found.append(("name", " ".join(words)))
        if street := _street(row):
            found.append(("address", ", ".join(street)))
    return list(dict.fromkeys(found))


def likeness(
    one: Mapping[str, Any], other: Mapping[str, Any], signs: Iterable[Sign]
) -> Likeness | None:
    """Return what two contacts have in common; None where it is nothing, or no accident.

    A company and its people, and the addresses of one company, are not duplicates of each other.
    """
    signs = frozenset(signs)
    if _belong_together(one, other):
        return None
    found = [look(one, other) for sign, look in _LOOKS.items() if sign in signs]
    shared = [sign for sign in found if sign]
    if not shared:
        return None
    if (street := _street(one)) and street == _street(other):
        shared.append((_ADDRESS_WEIGHT, "the same street and postcode"))
    rest = 1.0
    for weight, _ in shared:
        rest *= 1 - weight
    against = [(factor, text) for factor, text in _contradictions(one, other) if text]
    score = 1 - rest
    for factor, _ in against:
        score *= factor
    return Likeness(
        score=round(score, 2),
        why=[text for _, text in shared],
        against=[text for _, text in against],
    )


def _belong_together(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    for child, parent in ((one, other), (other, one)):
        if (above := child.get("parent_id")) and above.id == parent["id"]:
            return True
    kinds = {row.get("type") or "contact" for row in (one, other)}
    return _company(one) == _company(other) and kinds != {"contact"}


def _company(row: Mapping[str, Any]) -> int:
    above = row.get("commercial_partner_id")
    return int(above.id if above else row["id"])


_Found = tuple[float, str] | None


def _same_email(one: Mapping[str, Any], other: Mapping[str, Any]) -> _Found:
    shared = [a for a in addresses(one.get("email")) if a in addresses(other.get("email"))]
    return (_WEIGHTS["email"], f"the same e-mail address {shared[0]}") if shared else None


def _same_phone(one: Mapping[str, Any], other: Mapping[str, Any]) -> _Found:
    for field in SIGN_FIELDS["phone"]:
        for beside in SIGN_FIELDS["phone"]:
            number, second = digits(one.get(field)), digits(other.get(beside))
            if number and second and same_number(number, second):
                return _WEIGHTS["phone"], f"the same phone number {one[field]}"
    return None


def _same_vat(one: Mapping[str, Any], other: Mapping[str, Any]) -> _Found:
    number = tax_number(one.get("vat"))
    # Odoo gives that of a company to its people.
    if not number or number != tax_number(other.get("vat")) or _company(one) == _company(other):
        return None
    return _WEIGHTS["vat"], f"the same VAT number {one['vat']}"


def _same_name(one: Mapping[str, Any], other: Mapping[str, Any]) -> _Found:
    words = name_words(one.get("name")), name_words(other.get("name"))
    if not all(words):
        return None
    if folded(one["name"]) == folded(other["name"]):
        return _WEIGHTS["name"], f"the same name {one['name']}"
    if words[0] == words[1]:
        how = "the same name except for word order, accents or legal form"
        return _WEIGHTS["nearly"], f"{how}: {one['name']} and {other['name']}"
    if _numbers(words[0]) == _numbers(words[1]) and _ratio(*words) >= _ALIKE:
        return _WEIGHTS["alike"], f"similar names: {one['name']} and {other['name']}"
    return None


_LOOKS: Mapping[Sign, Callable[[Mapping[str, Any], Mapping[str, Any]], _Found]] = {
    "vat": _same_vat,
    "email": _same_email,
    "phone": _same_phone,
    "name": _same_name,
}


def _contradictions(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[float, str]]:
    numbers = {tax_number(row.get("vat")) for row in (one, other)} - {""}
    words = name_words(one.get("name")), name_words(other.get("name"))
    unlike = all(words) and not {*words[0]} & {*words[1]} and _ratio(*words) < _UNLIKE
    kinds = {bool(row.get("is_company")) for row in (one, other)}
    towns = {folded(row["city"]) for row in (one, other) if row.get("city")}
    return [
        (_OTHER_VAT, "different VAT numbers" if len(numbers) > 1 else ""),
        (_OTHER_NAME, "different names" if unlike else ""),
        (_OTHER_KIND, "one is a company, the other a person" if len(kinds) > 1 else ""),
        (_OTHER_TOWN, "different cities" if len(towns) > 1 else ""),
    ]


def _numbers(words: Iterable[str]) -> list[str]:
    return re.findall(r"\d+", " ".join(words))


def _ratio(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    return difflib.SequenceMatcher(None, " ".join(one), " ".join(other)).ratio()


# What a caller gives ----------------------------------------------------------------------------


def checked_email(text: Any, argument: str = "email") -> str:
    """Return an e-mail address in lower case, or refuse what is none or several."""
    found = addresses(text)
    if len(found) != 1:
        raise invalid(
            argument,
            f"{argument} must be one e-mail address, not {str(text)[:60]!r}.",
            "Write an address such as anna@example.com.",
        )
    return found[0]


def checked_phone(text: Any, argument: str = "phone") -> str:
    """Return the digits of a phone number, or refuse what is none."""
    found = digits(text)
    if not found or re.search(r"[^\W\d_]{2,}", _EXTENSION.sub("", text)):
        raise invalid(
            argument,
            f"{argument} must be a phone number, not {str(text)[:60]!r}.",
            f"Write at least {_LEAST_DIGITS} digits, such as +32 470 11 22 33.",
        )
    return found
