"""Groups and sums compared with sums over the same records read one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from odoo_toolkit import (
    AccessError,
    Odoo,
    OdooError,
    ValidationError,
    aggregate,
    count,
    create,
    execute,
    search_read,
    unlink,
)
from odoo_toolkit.compat import GROUPING_SINCE
from odoo_toolkit.testing import FakeServer
from tests.kit.live_tapes import Open

pytestmark = pytest.mark.recorded

EVENT, PARTNER = "calendar.event", "res.partner"
ZONES = [None, "Europe/Brussels", "America/Los_Angeles"]
PERIODS = ["hour", "day", "week", "month", "quarter", "year"]
#: When events begin, in UTC: around new year, midnights of the zones, and the change to summer.
STARTS = [
    "2025-12-28 12:00:00",
    "2025-12-28 23:30:00",
    "2025-12-31 22:59:00",
    "2025-12-31 23:00:00",
    "2026-01-01 07:30:00",
    "2026-01-04 23:15:00",
    "2026-01-05 08:00:00",
    "2026-03-29 00:30:00",
    "2026-03-29 01:30:00",
    "2026-06-30 22:00:00",
    "2026-09-30 23:59:00",
]


@pytest.fixture
def events(admin: Odoo, ordinary: Odoo) -> Iterator[str]:
    """Events of several people; the beginning of their names."""
    prefix = f"Aggregate {datetime.now(UTC):%H%M%S%f}"
    people = search_read(admin, "res.users", [], ["partner_id"], limit=3, order="id").records
    assert len(people) > 1
    values = []
    for number, start in enumerate(STARTS):
        began = datetime.fromisoformat(start)
        values.append(
            {
                "name": f"{prefix} {number}",
                "start": start,
                "stop": str(began + timedelta(minutes=6 * (number + 1))),
                "user_id": people[number % len(people)]["id"],
                "partner_ids": [[6, 0, []]],
                # Odoo leaves out, or refuses, groups of what is not public.
                "privacy": "public",
            }
        )
    quiet = {"no_mail_to_attendees": True, "tracking_disable": True, "dont_notify": True}
    made = create(admin, EVENT, values, context=quiet)
    yield prefix
    unlink(admin, EVENT, made.ids)


@pytest.fixture
def contacts(admin: Odoo) -> Iterator[str]:
    """Contacts of two companies in different countries; the beginning of their names."""
    prefix = f"Aggregate {datetime.now(UTC):%H%M%S%f}"
    countries = search_read(admin, "res.country", [], ["id"], limit=2, order="code desc").records
    tags = create(admin, "res.partner.category", [{"name": f"{prefix} {n}"} for n in "ab"]).ids
    firms = create(
        admin,
        PARTNER,
        [
            {"name": f"{prefix} firm {country['id']}", "country_id": country["id"]}
            for country in countries
        ],
    ).ids
    parents = [*firms, False]
    values = [
        {
            "name": f"{prefix} {number}",
            "parent_id": parents[number % 3],
            "function": [False, "Here", "There", "here"][number % 4],
            "color": number,
            "category_id": [[6, 0, tags[: number % 3]]],
        }
        for number in range(9)
    ]
    made = create(admin, PARTNER, values, context={"tracking_disable": True})
    yield prefix
    unlink(admin, PARTNER, made.ids)
    unlink(admin, PARTNER, firms)
    unlink(admin, "res.partner.category", tags)


@pytest.fixture(params=["admin", "demo", "ordinary"])
def anyone(request: pytest.FixtureRequest, opened: Open) -> Odoo:
    """An administrator, the demo user, and an internal user without further rights."""
    return opened(request.param)


def mine(prefix: str) -> list[Any]:
    return [["name", "=like", f"{prefix}%"]]


# What the same records give when they are read, reckoned anew -----------------------------------


def start_of(value: str, period: str, zone: str | None) -> str:
    """Return the beginning of a period, of a date or a moment as records are read."""
    if value.endswith("Z"):
        utc = datetime.strptime(value, "%Y-%m-%dT%H:%M:%S%z")
        local = utc.astimezone(ZoneInfo(zone) if zone else UTC)
        if period == "hour":
            return local.replace(minute=0, second=0).isoformat().replace("+00:00", "Z")
        day = local.date()
    else:
        day = date.fromisoformat(value)
    first = {
        "day": day,
        "week": day - timedelta(days=day.weekday()),
        "month": day.replace(day=1),
        "quarter": date(day.year, [1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10][day.month - 1], 1),
        "year": date(day.year, 1, 1),
    }
    return first[period].isoformat()


def measured(values: Sequence[Any], function: str) -> Any:
    """Return a measure of values, of which None and texts of no length are none."""
    filled = [value["id"] if isinstance(value, dict) else value for value in values]
    filled = [value for value in filled if value is not None and value != ""]
    if function in ("count", "count_distinct"):
        return len(filled) if function == "count" else len(set(filled))
    if function == "sum":
        return math.fsum(filled)
    if not filled:
        return None
    if function == "avg":
        return math.fsum(filled) / len(filled)
    return min(filled) if function == "min" else max(filled)


def reckoned(
    rows: Sequence[Mapping[str, Any]],
    groupby: Sequence[str],
    measures: Sequence[str],
    zone: str | None = None,
) -> dict[Any, list[Any]]:
    """Return number and measures by the key of each group."""
    parts: dict[Any, list[Mapping[str, Any]]] = {}
    for row in rows:
        key = []
        for asked in groupby:
            name, _, period = asked.partition(":")
            value = row[name]
            key.append(start_of(value, period, zone) if period and value else value)
        parts.setdefault(keyed(key), []).append(row)
    return {
        key: [
            len(found),
            *(
                measured([row[name] for row in found], function)
                for name, _, function in (measure.partition(":") for measure in measures)
            ),
        ]
        for key, found in parts.items()
    }


def keyed(values: Sequence[Any]) -> Any:
    return tuple(
        value["id"] if isinstance(value, dict) else None if value == "" else value
        for value in values
    )


def told(found: Any, groupby: Sequence[str], measures: Sequence[str]) -> dict[Any, list[Any]]:
    """Return the same of what aggregate answered."""
    assert all([*row] == [*groupby, "count", *measures] for row in found)
    by_key = {
        keyed([row[name] for name in groupby]): [row["count"], *(row[m] for m in measures)]
        for row in found
    }
    assert len(by_key) == len(found)
    return by_key


def assert_same(
    found: Any,
    rows: Sequence[Mapping[str, Any]],
    groupby: Sequence[str],
    measures: Sequence[str],
    zone: str | None = None,
) -> None:
    expected = reckoned(rows, groupby, measures, zone)
    answered = told(found, groupby, measures)
    assert answered.keys() == expected.keys()
    for key, values in expected.items():
        for value, other in zip(answered[key], values, strict=True):
            close = isinstance(other, float) and value == pytest.approx(other, abs=1e-6)
            assert close or value == other, (key, answered[key], values)


def names_of(groupby: Sequence[str], measures: Sequence[str]) -> list[str]:
    names = [text.partition(":")[0] for text in (*groupby, *measures)]
    return list(dict.fromkeys(names))


MEASURES = ["duration:sum", "duration:avg", "start:min", "stop:max", "user_id:count_distinct"]


@pytest.mark.every_version
@pytest.mark.parametrize("period", PERIODS)
def test_periods_begin_in_the_zone_and_weeks_on_mondays(
    ordinary: Odoo, events: str, period: str
) -> None:
    groupby = [f"start:{period}"]
    measures = measurable(ordinary, groupby, MEASURES)
    rows = search_read(ordinary, EVENT, mine(events), names_of(groupby, measures)).records
    assert len(rows) == len(STARTS)
    for zone in ZONES:
        context = {"tz": zone} if zone else None
        found = aggregate(ordinary, EVENT, mine(events), groupby, measures, context=context)
        assert_same(found, rows, groupby, measures, found.time_zone)
        starts = [row[groupby[0]] for row in found]
        assert starts == sorted(starts)
        assert found.total == len(found)
        if period == "week":
            assert {date.fromisoformat(start).weekday() for start in starts} == {0}
            assert "2025-12-29" in starts


@pytest.mark.every_version
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("period", ["day", "month"])
def test_days_in_a_domain_find_the_records_of_the_group_that_they_bound(
    admin: Odoo, events: str, period: str, zone: str | None
) -> None:
    """Without a zone both are in that of the user."""
    context = {"tz": zone} if zone else None
    (user,) = search_read(admin, "res.users", [["id", "=", admin.uid]], ["tz"])
    found = aggregate(admin, EVENT, mine(events), [f"start:{period}"], context=context)
    assert found.time_zone == (zone or user["tz"] or "UTC")
    for group in found:
        first = date.fromisoformat(group[f"start:{period}"])
        after = (first + timedelta(days=31)).replace(day=1) if period == "month" else None
        after = after or first + timedelta(days=1)
        before, last = (str(day - timedelta(days=1)) for day in (first, after))
        for bounds in (
            [["start", ">=", str(first)], ["start", "<", str(after)]],
            [["start", ">", before], ["start", "<=", last]],
        ):
            same = count(admin, EVENT, [*mine(events), *bounds], context=context)
            assert (same.count, same.time_zone) == (group["count"], found.time_zone)


@pytest.mark.every_user
def test_weeks_are_the_same_in_every_language(anyone: Odoo, events: str, admin: Odoo) -> None:
    codes = [row["code"] for row in search_read(admin, "res.lang", [], ["code"])]
    assert "en_US" in codes
    answers = [
        aggregate(
            anyone, EVENT, mine(events), ["start:week"], ["duration:sum"], context={"lang": code}
        ).records
        for code in codes
    ]
    assert all(answer == answers[0] for answer in answers)


def measurable(odoo: Odoo, groupby: Sequence[str], measures: Sequence[str]) -> list[str]:
    """Leave out what Odoo to 16 does not measure while it groups by it."""
    if odoo.version.major >= GROUPING_SINCE["aggregates of groupings"]:
        return [*measures]
    grouped = {text.split(":")[0].split(".")[0] for text in groupby}
    return [measure for measure in measures if measure.split(":")[0] not in grouped]


@pytest.mark.every_user
@pytest.mark.every_version
def test_every_measure_of_events_is_exact(anyone: Odoo, events: str) -> None:
    for groupby in (
        [],
        ["allday", "user_id"],
        ["start:month", "start:week", "user_id"],
        ["user_id.partner_id"],
        ["user_id.partner_id.country_id", "stop:day"],
    ):
        measures = measurable(anyone, groupby, MEASURES)
        found = aggregate(anyone, EVENT, mine(events), groupby, measures)
        rows = search_read(anyone, EVENT, mine(events), names_of(groupby, measures)).records
        assert_same(found, rows, groupby, measures, found.time_zone)


@pytest.mark.every_user
@pytest.mark.every_version
def test_every_measure_of_contacts_is_exact(anyone: Odoo, contacts: str) -> None:
    for groupby in (
        ["function"],
        ["is_company", "parent_id"],
        ["parent_id.country_id"],
        ["parent_id.country_id.code", "function"],
        ["parent_id.is_company"],
        ["parent_id.name"],
    ):
        asked = ["color:sum", "color:avg", "function:count", "function:count_distinct", "id:max"]
        if any("." in name for name in groupby):
            asked.append("name:count_distinct")
        measures = measurable(anyone, groupby, asked)
        found = aggregate(anyone, PARTNER, mine(contacts), groupby, measures)
        rows = search_read(anyone, PARTNER, mine(contacts), names_of(groupby, measures)).records
        assert len(rows) == 11
        for row in rows:  # nothing is no yes, as in a group of its own
            row |= {name: bool(row[name]) for name in row if name.endswith("is_company")}
        assert_same(found, rows, groupby, measures)


@pytest.mark.every_user
def test_distinct_values_of_the_relation_that_a_path_follows(anyone: Odoo, contacts: str) -> None:
    groupby, measures = ["parent_id.country_id"], ["parent_id:count_distinct"]
    found = aggregate(anyone, PARTNER, mine(contacts), groupby, measures)
    rows = search_read(anyone, PARTNER, mine(contacts), names_of(groupby, measures)).records
    assert_same(found, rows, groupby, measures)


@pytest.mark.every_user
@pytest.mark.every_version
def test_many2many_count_once_for_each_value_where_the_version_can(
    anyone: Odoo, contacts: str
) -> None:
    groupby, measures = ["category_id"], ["color:sum"]
    if anyone.version.major < GROUPING_SINCE["many2many"]:
        with pytest.raises(ValidationError, match="many2many"):
            aggregate(anyone, PARTNER, mine(contacts), groupby, measures)
        return
    found = aggregate(anyone, PARTNER, mine(contacts), groupby, measures)
    rows = search_read(anyone, PARTNER, mine(contacts), ["category_id", "color"]).records
    single = [{**row, "category_id": tag} for row in rows for tag in row["category_id"] or [None]]
    assert_same(found, single, groupby, measures)
    assert all(row["category_id"] is None or row["category_id"]["name"] for row in found)


@pytest.mark.every_user
def test_pages_in_the_order_of_a_measure_make_up_the_whole(anyone: Odoo, events: str) -> None:
    asked: dict[str, Any] = {
        "groupby": ["start:day", "user_id"],
        "measures": ["duration:sum"],
        "order": "duration:sum desc",
    }
    whole = aggregate(anyone, EVENT, mine(events), **asked, limit=None)
    sums = [row["duration:sum"] for row in whole]
    assert sums == sorted(sums, reverse=True)
    pages: list[Any] = []
    offset: int | None = 0
    while offset is not None:
        page = aggregate(anyone, EVENT, mine(events), **asked, limit=4, offset=offset)
        pages += page.records
        assert page.has_more == (page.next_offset is not None)
        offset = page.next_offset
    assert pages == whole.records
    first = aggregate(anyone, EVENT, mine(events), **asked, limit=1, count_total=True)
    assert first.total == len(whole) == whole.total


@pytest.mark.every_user
def test_having_keeps_groups_by_what_they_add_up_to(anyone: Odoo, events: str) -> None:
    rows = search_read(anyone, EVENT, mine(events), ["user_id", "duration"]).records
    expected = reckoned(rows, ["user_id"], ["duration:sum"])
    least = min(total for _, total in expected.values()) + 0.01
    found = aggregate(
        anyone, EVENT, mine(events), ["user_id"], having=[["duration:sum", ">", least]]
    )
    kept = {key for key, (_, total) in expected.items() if total > least}
    assert {(row["user_id"]["id"],) for row in found} == kept
    assert 0 < len(kept) < len(expected)


@pytest.mark.every_user
def test_of_nothing(anyone: Odoo) -> None:
    measures = ["duration:sum", "duration:avg", "stop:max"]
    nothing = {"count": 0, "duration:sum": 0.0, "duration:avg": None, "stop:max": None}
    for groupby in ([], ["user_id"], ["user_id.partner_id"], ["start:week"]):
        found = aggregate(anyone, EVENT, [["id", "=", 0]], groupby, measures)
        assert found.records == ([] if groupby else [nothing])
        assert found.total == len(found)


def test_amounts_of_several_currencies_are_told(admin: Odoo) -> None:
    recent = search_read(admin, "account.move", [], ["id"], limit=400, order="id")
    domain = [["id", "in", [row["id"] for row in recent]]]
    asked = ["state", "currency_id", "amount_total", "amount_total_signed"]
    for _ in range(3):  # others may be writing
        before = search_read(admin, "account.move", domain, asked, limit=400).records
        found = aggregate(admin, "account.move", domain, ["state"], ["amount_total:sum"])
        if before == search_read(admin, "account.move", domain, asked, limit=400).records:
            break
    assert_same(found, before, ["state"], ["amount_total:sum"])
    names = {row["currency_id"]["name"] for row in before}
    if len(names) > 1:
        # Where a row adds up several companies, another warning says that.
        (warning,) = [one for one in found.warnings if "amount_total_signed" in one]
        assert any(name in warning for name in names)
    for groupby, measure in (
        (["currency_id"], "amount_total:sum"),
        (["state"], "amount_total_signed:sum"),
    ):
        told = aggregate(admin, "account.move", domain, groupby, [measure]).warnings
        assert not [warning for warning in told if "amount_total_signed" in warning]


def test_rights_are_those_of_the_user(ordinary: Odoo, admin: Odoo) -> None:
    with pytest.raises(AccessError):
        aggregate(ordinary, "account.move", [], ["state"])
    # Odoo 14 to 16 would group by fields that they do not let the user read.
    hidden = set(admin.schema.fields("res.partner")) - set(ordinary.schema.fields("res.partner"))
    refused = [name for name in hidden if admin.schema.fields("res.partner")[name].sortable]
    for name in refused:
        with pytest.raises(OdooError) as caught:
            aggregate(ordinary, "res.partner", [], [name], limit=1)
        assert isinstance(caught.value, (AccessError, ValidationError))
    assert refused


@pytest.mark.every_user
@pytest.mark.every_version
def test_what_is_not_there_to_group_by_is_refused(anyone: Odoo) -> None:
    for groupby, measures in (
        (["nme"], []),
        (["display_name"], []),
        (["attendee_ids"], []),
        (["start"], []),
        ([], ["start:avg"]),
        ([], ["allday:sum"]),
        ([], ["display_name:count"]),
    ):
        # By what Odoo 15 groups meetings with a write, nobody does, whether it is there or not.
        loud = anyone.version.major == 15 and groupby in (["display_name"], ["attendee_ids"])
        with pytest.raises(AccessError if loud else ValidationError):
            aggregate(anyone, EVENT, [], groupby, measures)


def test_the_fake_server_names_its_answers_as_odoo_does(admin: Odoo) -> None:
    kinds = {"color": "integer", "type": "selection", "company_id": "many2one res.company"}
    rows = {PARTNER: [{"id": 1, "color": 1, "type": "contact"}], "res.company": []}
    fake = FakeServer({PARTNER: kinds, "res.company": {}}, version=16, records=rows).connect()
    asked = {"domain": [["type", "!=", False]], "groupby": ["type", "company_id"]}
    for fields in (["color:sum"], ["color", "type"], ["most:max(color)", "color:sum"]):
        for lazy in (False, True):
            question = {**asked, "fields": fields, "lazy": lazy}
            real, made = (
                execute(odoo, PARTNER, "read_group", [], question).result[0]
                for odoo in (admin, fake)
            )
            # __range is there where periods are, __fold for some fields only.
            for row in (real, made):
                row.pop("__range", None)
            assert made.keys() == real.keys(), question
