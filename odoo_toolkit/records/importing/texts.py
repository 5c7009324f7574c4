"""How the numbers, days and switches of a column are written: found out from all of its texts.

``1,234`` may be a number of thousands or one with decimals, ``01/02/2026`` a day in January or in
February. A text that can be read in one way only tells how the column is written, and decides the
others; where none tells, or they contradict each other, what is ambiguous is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from odoo_toolkit.records.importing.results import RowError
from odoo_toolkit.records.importing.tables import CsvFormat
from odoo_toolkit.values.moments import parse_moment
from odoo_toolkit.values.scalars import short_repr


class CellError(Exception):
    """A cell cannot be imported; its row fails."""

    def __init__(self, reason: str, *, code: str = "VALUE_ERROR", candidates: Any = ()) -> None:
        super().__init__(reason)
        self.reason, self.code, self.candidates = reason, code, list(candidates)

    def at(self, column: str) -> RowError:
        """Return the error of a row that it is in a column."""
        return RowError(
            reason=self.reason, column=column, code=self.code, candidates=self.candidates
        )


Read = Callable[[str], Any]
"""Gives what a text means.

Raises:
    CellError: it cannot be understood.
"""

#: form -> what a text means if the column is written in that form.
Readings = Mapping[str, Any]


def _decided(texts: Iterable[str], readings: Callable[[str], Readings]) -> tuple[str | None, str]:
    """Return the form of a column that its texts tell, and a text of another form.

    The form of most texts that can be read in one way only; None where none tells, or as many
    tell the one as the other.
    """
    told: Counter[str] = Counter()
    example: dict[str, str] = {}
    for text in texts:
        found = readings(text)
        if len(found) == 1:
            (form,) = found
            told[form] += 1
            example.setdefault(form, text)
    most = told.most_common(2)
    if len(most) < 2:
        return (most[0][0] if most else None), ""
    if most[0][1] == most[1][1]:
        return None, example[most[1][0]]
    return most[0][0], example[most[1][0]]


def _reader(
    texts: Iterable[str],
    readings: Callable[[str], Readings],
    *,
    given: str | None,
    wrong: Callable[[str], CellError],
    how: str,
) -> Read:
    """Return what reads the texts of a column.

    Args:
        texts: of the column.
        readings: gives the readings of a text; one without a form, ``""``, is right in any.
        given: the form that the caller has said.
        wrong: gives the error of a text that has no reading.
        how: what to do about a text that is not understood.
    """
    form, other = given, ""
    if given is None:
        form, other = _decided((t for t in texts if "" not in readings(t)), readings)

    def read(text: str) -> Any:
        found = readings(text)
        if not found:
            raise wrong(text)
        if "" in found:
            return found[""]
        if form is not None and form in found and (len(found) == 1 or not other):
            return found[form]
        shown = short_repr(text)
        if form is None and len(found) == 1:
            raise CellError(
                f"{shown} is written differently from {other!r} in the same column. {how}"
            )
        if form is not None and form not in found:
            said = "as required" if given else "as most of the column are"
            raise CellError(f"{shown} is not written {form}, {said}. {how}")
        values = " or ".join(map(str, dict.fromkeys(found.values())))
        untold = (
            f"the column also has {other!r}" if other else "nothing else in the column shows which"
        )
        raise CellError(f"{shown} may be {values}: {untold}. {how}")

    return read


# Numbers ---------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[+-]?[0-9]+")
_SCIENTIFIC = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+")
#: A number, with what stands around it in price lists and books.
_AMOUNT = re.compile(
    r"(?P<open>\()?(?P<sign>[-+\u2212])?\s*(?P<before>[^\W\d_]{1,3}|[^\w\s.,'()+-])?\s*"
    r"(?P<minus>[-+\u2212])?\s*"
    r"(?P<body>[0-9.,][0-9.,'\u2019\s]*)"
    r"(?P<after>[^\W\d_]{1,3}|[^\w\s.,'()+-])?\s*(?P<late>[-\u2212])?(?(open)\))"
)
_GAPS = re.compile(r"[0-9]{1,3}([\s'\u2019])[0-9]{3}(\1[0-9]{3})*([.,][0-9]*)?")
_DECIMALS = {
    mark: re.compile(
        rf"[0-9]*(\{mark}[0-9]*)?|[1-9][0-9]{{0,2}}(\{other}[0-9]{{3}})+(\{mark}[0-9]*)?"
    )
    for mark, other in ((".", ","), (",", "."))
}
_HOW_NUMBER = "Write it like 1234.5, or pass read_csv decimal= as the file has it, '.' or ','."
_FORMS = {".": "with a decimal point", ",": "with a decimal comma"}
#: Signs and codes of currencies; other letters are a unit or a word.
_CURRENCIES = frozenset(
    "$ € £ ¥ ₹ ₺ ₽ ₩ ฿ ₫ ₪ ₦ ₴ ₱ kr Kr zł Fr Kč Ft R AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK"  # noqa: SIM905
    " DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW MAD MXN MYR NGN NOK NZD PEN PHP PLN RON"
    " RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD UYU VND ZAR".split()
)
#: Characters of a number; more are no number that anybody wrote.
_LONGEST = 60


def number_reader(
    texts: Iterable[str], written: CsvFormat, *, whole: bool
) -> tuple[Read, list[str]]:
    """Return what reads the numbers of a column, and the currency signs that it leaves out.

    Args:
        texts: of the column, without blanks around them.
        written: how the file is written, as far as that was said.
        whole: whether the field takes whole numbers only.
    """
    texts = list(dict.fromkeys(texts))
    known: dict[str, Readings] = {}
    signs: dict[str, None] = {}

    def readings(text: str) -> Readings:
        if text not in known:
            known[text] = _numbers(text, written, whole=whole)
        return known[text]

    for text in texts:
        if readings(text) and (sign := _sign_in(text)):
            signs[sign] = None

    def wrong(text: str) -> CellError:
        shown = short_repr(text)
        if "%" in text:
            return CellError(
                f"{shown} is a percentage. Odoo may store 15 % as 15 or as 0.15. Write the number "
                "that the field contains."
            )
        return CellError(f"{shown} is not a {'whole ' if whole else ''}number. {_HOW_NUMBER}")

    given = None if written.decimal is None else _FORMS[written.decimal]
    read = _reader(texts, readings, given=given, wrong=wrong, how=_HOW_NUMBER)
    if len(signs) < 2:
        return read, list(signs)

    def of_one_currency(text: str) -> Any:
        if _sign_in(text):
            raise CellError(
                f"{short_repr(text)}: the column contains amounts in {', '.join(signs)}, but the "
                "toolkit imports only the numbers. Put each currency into a separate column."
            )
        return read(text)

    return of_one_currency, []


def _sign_in(text: str) -> str:
    found = _AMOUNT.fullmatch(text)
    return (found["before"] or found["after"] or "") if found else ""


def _numbers(text: str, written: CsvFormat, *, whole: bool) -> Readings:
    """Return the numbers that a text may be, by the mark of decimals; ``""`` where it has none."""
    if len(text) > _LONGEST:
        return {}
    if _PLAIN.fullmatch(text):
        return {"": int(text) if whole else float(text)}
    if _SCIENTIFIC.fullmatch(text):
        number = float(text)
        return {} if whole and not number.is_integer() else {"": int(number) if whole else number}
    amount = _AMOUNT.fullmatch(text)
    if amount is None or not any(letter.isdigit() for letter in text):
        return {}
    around = [sign for sign in (amount["before"], amount["after"]) if sign]
    if len(around) > 1 or not _CURRENCIES.issuperset(around):
        return {}
    signs = [amount["sign"], amount["minus"], amount["late"], amount["open"]]
    if sum(sign is not None for sign in signs) > 1:
        return {}
    negative = any(sign in ("-", "\u2212", "(") for sign in signs)
    body = amount["body"].strip()
    grouped = bool(_GAPS.fullmatch(body))
    if grouped:
        body = re.sub(r"[\s'\u2019]", "", body)
    if re.search(r"[\s'\u2019]", body):
        return {}
    found: dict[str, Any] = {}
    for mark, pattern in _DECIMALS.items():
        other = "," if mark == "." else "."
        if not pattern.fullmatch(body) or (grouped and other in body):
            continue
        if other in body and written.thousands not in ("", other):
            continue
        number = float(body.replace(other, "").replace(mark, "."))
        if negative:
            number = -number
        if not whole:
            found[_FORMS[mark]] = number
        elif number.is_integer():
            found[_FORMS[mark]] = int(number)
    if len(set(found.values())) == 1 and "." not in body and "," not in body:
        return {"": next(iter(found.values()))}
    return found


# Days and moments ------------------------------------------------------------------------------

_ISO = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([T ].*)?", re.DOTALL)
_DAY = re.compile(
    r"([0-9]{1,4})([./ -])([0-9]{1,2})\2([0-9]{1,4})"
    r"(?:[T ]+([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?)?"
)
_DAY_FIRST, _MONTH_FIRST = "as day/month/year", "as month/day/year"


def moment_reader(texts: Iterable[str], written: CsvFormat, *, day: bool) -> Read:
    """Return what reads the days of a column, or its moments; as ISO texts, dates or datetimes.

    Args:
        texts: of the column, without blanks around them.
        written: how the file is written, as far as that was said.
        day: whether the field has no time of day.
    """
    name = "date_format" if day else "datetime_format"
    given = written.date_format if day else written.datetime_format
    what = "day" if day else "moment"
    example = "2026-01-31" if day else "2026-01-31 14:30:00"

    if given is not None:

        def in_form(text: str) -> Any:
            try:
                moment = datetime.strptime(text, given)  # noqa: DTZ007 - without a zone it is UTC
            except ValueError as error:
                raise CellError(
                    f"{short_repr(text)} is not a {what} in the form {given} ({name})."
                ) from error
            return moment.date() if day else moment

        return in_form

    pattern = "'%d/%m/%Y' or '%m/%d/%Y'" if day else "'%d/%m/%Y %H:%M' or '%m/%d/%Y %H:%M'"
    how = f"Write it like {example}, or pass read_csv {name}={pattern}."
    known: dict[str, Readings] = {}

    def readings(text: str) -> Readings:
        if text not in known:
            known[text] = _moments(text, day=day)
        return known[text]

    def wrong(text: str) -> CellError:
        shown = short_repr(text)
        shape = _DAY.fullmatch(text)
        if _ISO.fullmatch(text) or (shape and 4 in (len(shape[1]), len(shape[4]))):
            return CellError(f"{shown} is not a valid {what}.")
        hint = ""
        if re.fullmatch(r"[0-9]{5}(\.[0-9]+)?", text):
            hint = (
                " It may be Excel's number for a day. If so, format the column as a date in Excel."
            )
        return CellError(f"{shown} is not a {what} that can be read.{hint} {how}")

    return _reader(dict.fromkeys(texts), readings, given=None, wrong=wrong, how=how)


def _moments(text: str, *, day: bool) -> Readings:
    """Return the days or moments that a text may be, by the order of day and month."""
    if _ISO.fullmatch(text):
        try:
            parse_moment(text)
        except ValueError:
            return {}
        return {"": text}
    match = _DAY.fullmatch(text)
    if match is None:
        return {}
    first, _, second, third, hour, minute, seconds = match.groups()
    clock = (int(hour or 0), int(minute or 0), int(seconds or 0))
    if day and any(clock):
        return {}
    if len(first) == 4:
        orders = {"": (first, second, third)} if len(third) <= 2 else {}
    elif len(third) == 4 and len(first) <= 2:
        orders = {_DAY_FIRST: (third, second, first), _MONTH_FIRST: (third, first, second)}
    else:
        orders = {}  # years of two digits may stand anywhere
    found: dict[str, Any] = {}
    for form, (year, month, number) in orders.items():
        try:
            moment = datetime(int(year), int(month), int(number), *clock)  # noqa: DTZ001
        except ValueError:
            continue
        found[form] = moment.date().isoformat() if day else moment.isoformat(sep=" ")
    if len(found) == 2 and len(set(found.values())) == 1:
        return {"": next(iter(found.values()))}
    return found


# Yes and no ------------------------------------------------------------------------------------

#: In English, German, French, Spanish, Italian, Portuguese and Dutch; in any case.
YES = (
    *("yes", "y", "true", "t", "1", "x", "on", "ja", "j", "wahr", "oui", "vrai"),
    *("sí", "sì", "si", "vero", "verdadero", "sim", "verdadeiro", "waar", "✓", "✔"),
)
NO = (
    *("no", "n", "false", "f", "0", "off", "nein", "falsch", "non", "faux"),
    *("falso", "não", "nao", "nee", "onwaar"),
)
_SWITCHES = {**dict.fromkeys(YES, True), **dict.fromkeys(NO, False)}


def read_switch(text: str) -> bool:
    """Return what a text in a boolean column means.

    Raises:
        CellError: it is neither yes nor no.
    """
    found = _SWITCHES.get(text.casefold())
    if found is None:
        raise CellError(
            f"{short_repr(text)} is neither yes nor no. Accepted are {', '.join(YES)}; and "
            f"{', '.join(NO)}. For other texts, pass values=."
        )
    return found
