"""Groups and sums: what is sent to each version, how often, and what is made of the answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from odoo_toolkit import (
    AccessError,
    NotFoundError,
    Odoo,
    Policy,
    ReadOptions,
    ValidationError,
    aggregate,
    count,
    search_read,
)
from odoo_toolkit.call import Call
from odoo_toolkit.testing import FakeServer

#: Calls of ``aggregate`` to real servers, with their answers and what came of them.
RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "recorded/aggregate.json").read_text("utf-8")
)
CASES = [(version, name) for version, told in RECORDED.items() for name in told["cases"]]

MODELS: dict[str, Any] = {
    "sale.order": {
        "name": "char",
        "state": {"type": "selection", "selection": [["draft", "Quotation"], ["sale", "Order"]]},
        "partner_id": "many2one res.partner",
        "user_id": "many2one res.users",
        "tag_ids": "many2many crm.tag",
        "order_line": "one2many sale.order.line order_id",
        "currency_id": "many2one res.currency",
        "date_order": "datetime",
        "validity_date": "date",
        "active": "boolean",
        "amount_total": {"type": "monetary", "currency_field": "currency_id"},
        "amount_due": {"type": "float", "store": False, "sortable": False},
        "country_code": {
            "type": "char",
            "store": False,
            "sortable": False,
            "related": "partner_id.code",
        },
        "sale_properties": {"type": "properties", "sortable": False},
        "margin": "float",
        "mail_ids": "many2one mail.message",
    },
    "sale.order.line": {
        "order_id": "many2one sale.order",
        "product_id": "many2one product.product",
        "quantity": "float",
        "done": "boolean",
        "due": "datetime",
    },
    "product.product": {"code": "char"},
    "res.partner": {"code": "char", "parent_id": "many2one res.partner", "birth": "datetime"},
    "res.users": {"password": "char", "login": "char"},
    "res.currency": {"name": "char"},
    "crm.tag": {"name": "char"},
    "mail.message": {"model": "char", "res_id": "integer", "parent_id": "many2one mail.message"},
}
ORDERS, LINES = "sale.order", "sale.order.line"


def made(version: int, answers: Any, model: str = ORDERS) -> FakeServer:
    """Return a server that answers grouping calls, one after the other where it is an iterator."""
    method = "formatted_read_group" if version >= 19 else "read_group"
    return FakeServer(MODELS, version=version, answers={(model, method): answers})


def group(version: int, values: Mapping[str, Any], count: int, *aggregates: Any) -> dict[str, Any]:
    """Return a row as ``read_group`` of a version sends it, of ``field:function`` pairs."""
    named = {"__count": count, "agg_00": count}
    for number, (name, value) in enumerate(aggregates, 1):
        named[name if version >= 19 else f"agg_{number:02}"] = value
    return {**values, **named}


class TestRecorded:
    """The very calls that real servers answered, and the rows that came of them."""

    @pytest.mark.parametrize(("version", "name"), CASES)
    def test_calls_and_rows_are_those_of_the_real_server(self, version: str, name: str) -> None:
        told = RECORDED[version]
        case = told["cases"][name]
        left = list(case["calls"])

        def answer(call: Call) -> Any:
            expected = left.pop(0)
            assert (call.model, call.method) == (expected["model"], expected["method"])
            assert dict(call.arguments) == expected["arguments"]
            assert dict(call.context) == {"lang": "en_US", "tz": "UTC", **expected["context"]}
            return expected["answer"]

        server = FakeServer(told["fields"], version=int(version), otherwise=answer)
        found = aggregate(server.connect(), **case["asked"])
        assert left == []
        assert found.records == case["records"]
        assert found.warnings == case["warnings"]
        assert found.has_more == case["has_more"]

    @pytest.mark.parametrize(("version", "name"), CASES)
    def test_one_round_trip_and_one_for_each_relation_or_mix(self, version: str, name: str) -> None:
        further = {"currencies": 1}
        if version == "14":
            further |= {"path": 2, "path to a month": 1}
        assert len(RECORDED[version]["cases"][name]["calls"]) == 1 + further.get(name, 0)

    def test_both_versions_give_rows_of_the_same_keys(self) -> None:
        for name, case in RECORDED["19"]["cases"].items():
            older = RECORDED["14"]["cases"][name]
            if older["asked"]["measures"] == case["asked"]["measures"]:
                assert [*older["records"][0]] == [*case["records"][0]]


class TestWhatIsSent:
    @pytest.mark.parametrize("version", [14, 15, 16])
    def test_to_16_aggregates_have_names_by_which_groups_are_ordered(self, version: int) -> None:
        server = made(version, [])
        aggregate(
            server.connect(), ORDERS, [], ["partner_id"], ["amount_total:min", "id:max"],
            order="amount_total:min desc, count", limit=5, offset=2,
        )  # fmt: skip
        (call,) = server.sent
        assert call.arguments == {
            "domain": [],
            "fields": [
                "agg_00:count(id)",
                "agg_01:min(amount_total)",
                "agg_02:max(id)",
                "agg_03:min(currency_id)",
                "agg_04:max(currency_id)",
            ],
            "groupby": ["partner_id"],
            "offset": 0,  # what is empty would come first, and is looked for
            "limit": 8,
            "orderby": "agg_01 desc,agg_00,partner_id",
            "lazy": False,
        }

    @pytest.mark.parametrize(("version", "term"), [(17, "orderby"), (18, "orderby"), (19, "order")])
    def test_from_17_on_what_is_empty_is_put_last(self, version: int, term: str) -> None:
        server = made(version, [])
        aggregate(
            server.connect(), ORDERS, [], ["partner_id"], ["id:max"],
            order="id:max desc, count", limit=5, offset=2,
        )  # fmt: skip
        (call,) = server.sent
        assert call.arguments[term] == "id:max desc nulls last, __count, partner_id"
        assert (call.arguments["offset"], call.arguments["limit"]) == (2, 6)

    def test_19_is_asked_for_aggregates_by_their_names(self) -> None:
        server = made(19, [])
        aggregate(server.connect(), ORDERS, [], ["date_order:month"], ["id:max"], limit=None)
        (call,) = server.sent
        assert call.arguments == {
            "domain": [],
            "groupby": ["date_order:month"],
            "aggregates": ["__count", "id:max"],
            "order": "date_order:month",
        }

    def test_attachments_to_16_take_no_names(self) -> None:
        models = {"ir.attachment": {"mimetype": "char", "file_size": "integer"}}
        rows = [
            {"mimetype": "a", "__count": 1, "file_size": 5},
            {"mimetype": "b", "__count": 3, "file_size": 2},
        ]
        answers = {("ir.attachment", "read_group"): rows}
        server = FakeServer(models, version=14, answers=answers)
        odoo = server.connect(policy=Policy(protect=False))
        found = aggregate(
            odoo, "ir.attachment", [], ["mimetype"], ["file_size:sum"], order="count desc", limit=1
        )
        assert found.records == [{"mimetype": "b", "count": 3, "file_size:sum": 2}]
        assert server.sent[0].arguments["fields"] == ["file_size:sum"]


class TestPages:
    @pytest.mark.parametrize("version", [14, 19])
    def test_one_group_more_is_asked_for_to_know_whether_there_are_more(self, version: int) -> None:
        rows = [group(version, {"state": name}, 1) for name in "abc"]
        server = made(version, rows)
        found = aggregate(server.connect(), ORDERS, [], ["state"], limit=2)
        assert (found.count, found.has_more, found.next_offset, found.total) == (2, True, 2, None)
        assert len(server.sent) == 1

    @pytest.mark.parametrize("version", [14, 19])
    def test_the_number_of_groups_is_known_without_asking_again(self, version: int) -> None:
        server = made(version, [group(version, {"state": "draft"}, 4)])
        found = aggregate(server.connect(), ORDERS, [], ["state"], offset=3, count_total=True)
        assert (found.has_more, found.next_offset, found.total) == (False, None, 4)
        assert len(server.sent) == 1

    @pytest.mark.parametrize("version", [14, 19])
    def test_or_asked_for_where_there_are_more(self, version: int) -> None:
        rows = [group(version, {"state": name}, 1) for name in "abcd"]
        server = made(version, lambda call: rows[: call.arguments.get("limit")])
        found = aggregate(server.connect(), ORDERS, [], ["state"], limit=1, count_total=True)
        assert (found.count, found.total) == (1, 4)
        assert len(server.sent) == 2

    def test_past_the_last_group_the_number_is_not_known(self) -> None:
        found = aggregate(made(19, []).connect(), ORDERS, [], ["state"], offset=9)
        assert (found.records, found.has_more, found.total) == ([], False, None)

    def test_the_limit_of_the_connection_holds(self) -> None:
        server = made(19, [group(19, {"state": name}, 1) for name in "abc"])
        odoo = server.connect(options=ReadOptions(max_limit=2))
        for limit in (100, None):
            found = aggregate(odoo, ORDERS, [], ["state"], limit=limit)
            assert found.count == 2
            assert "reduced to 2" in found.warnings[0]

    def test_empty_measures_come_last_on_14_too_at_one_more_round_trip(self) -> None:
        def answer(call: Call) -> Any:
            rows = [
                group(14, {"state": name}, 1, ("id:max", value))
                for name, value in (("a", False), ("b", 9), ("c", 5))
            ]
            return rows[: call.arguments.get("limit")]

        server = made(14, answer)
        found = aggregate(
            server.connect(), ORDERS, [], ["state"], ["id:max"], order="id:max desc", limit=1
        )
        assert [row["state"] for row in found] == ["b"]
        assert (found.has_more, found.total) == (True, 3)
        assert len(server.sent) == 2

    def test_and_at_none_where_nothing_is_empty(self) -> None:
        rows = [group(14, {"state": name}, 1, ("id:max", 9 - i)) for i, name in enumerate("abcd")]
        server = made(14, rows)
        found = aggregate(
            server.connect(), ORDERS, [], ["state"], ["id:max"],
            order="id:max desc", limit=2, offset=1,
        )  # fmt: skip
        assert [row["state"] for row in found] == ["b", "c"]
        assert (found.has_more, found.next_offset) == (True, 3)
        assert len(server.sent) == 1


class TestValues:
    @pytest.mark.parametrize("version", [14, 17, 19])
    def test_sums_of_nothing_are_0_and_all_else_is_none(self, version: int) -> None:
        empty = None if version == 14 else False
        measures = ["amount_total:sum", "id:sum", "id:avg", "date_order:min", "id:count_distinct"]
        row = group(version, {}, 0, *((name, empty) for name in measures))
        row |= {"currency_id:min": False, "currency_id:max": False, "agg_06": None, "agg_07": None}
        found = aggregate(made(version, [row]).connect(), ORDERS, [], [], measures)
        assert found.records == [
            {
                "count": 0,
                "amount_total:sum": 0.0,
                "id:sum": 0,
                "id:avg": None,
                "date_order:min": None,
                "id:count_distinct": 0,
            }
        ]
        assert isinstance(found[0]["id:sum"], int)

    @pytest.mark.parametrize("version", [14, 19])
    def test_what_is_empty_is_none_but_for_booleans(self, version: int) -> None:
        names = ["partner_id", "state", "name", "active", "validity_date:month"]
        row = group(version, dict.fromkeys(names, False), 1)
        row["__domain"] = [["partner_id", "=", False]] + [
            [n.split(":")[0], "=", False] for n in names[1:]
        ]
        (found,) = aggregate(made(version, [row]).connect(), ORDERS, [], names)
        assert found == {**dict.fromkeys(names), "active": False, "count": 1}

    def test_the_zone_of_the_connection_counts_and_an_unknown_one_is_refused(self) -> None:
        row = group(19, {"date_order:hour": ["2026-07-01 22:00:00", ""]}, 1)
        server = made(19, [row])
        found = aggregate(server.connect(tz="Europe/Brussels"), ORDERS, [], ["date_order:hour"])
        assert found[0]["date_order:hour"] == "2026-07-02T00:00:00+02:00"
        sent = len(server.sent)
        with pytest.raises(ValidationError, match="no time zone"):
            aggregate(server.connect(), ORDERS, [], ["date_order:day"], context={"tz": "Mars/Base"})
        assert len(server.sent) == sent

    @pytest.mark.parametrize(
        ("settings", "context", "expected"),
        [
            ({}, None, "Asia/Tokyo"),
            ({"tz": "UTC"}, {"tz": None}, "Asia/Tokyo"),
            ({"tz": "Europe/Brussels"}, None, "Europe/Brussels"),
            ({"tz": "Europe/Brussels"}, {"tz": "UTC"}, "UTC"),
        ],
    )
    def test_the_zone_of_the_user_counts_unless_another_is_named(
        self, settings: dict[str, str], context: dict[str, Any] | None, expected: str
    ) -> None:
        user = {("res.users", "read"): [{"id": 2, "tz": "Asia/Tokyo"}]}
        server = FakeServer(MODELS, answers=user, records={ORDERS: []})
        odoo = server.connect(**settings)
        domain = [["date_order", ">=", "2026-10-01"]]
        found = [
            aggregate(odoo, ORDERS, [], ["date_order:day"], context=context),
            aggregate(odoo, ORDERS, domain, context=context),
            count(odoo, ORDERS, domain, context=context),
            search_read(odoo, ORDERS, domain, context=context),
            search_read(odoo, ORDERS, domain, limit=None, context=context),
        ]
        assert [one.time_zone for one in found] == [expected] * 5
        asked = [call for call in server.sent if call.model == ORDERS]
        assert [call.context["tz"] for call in asked] == [expected] * 5
        assert len(server.sent) - len(asked) == (expected == "Asia/Tokyo")

    def test_without_datetimes_no_zone_is_asked_for_or_named(self) -> None:
        server = FakeServer(MODELS, records={ORDERS: []})
        found = aggregate(
            server.connect(), ORDERS, [["validity_date", ">=", "2026-10-01"]],
            ["validity_date:month", "state"],
        )  # fmt: skip
        assert found.time_zone is None
        assert [call.model for call in server.sent] == [ORDERS]


class TestWeeks:
    """From 17 on the server's weeks begin where a language says: days are added up here."""

    ROWS = (
        # day, number, sum, numbers that are not empty, least
        ("2025-12-28", 1, 5.0, 1, 5.0),  # a Sunday
        ("2025-12-29", 2, 0.1, 1, 0.1),
        ("2026-01-04", 1, 0.2, 1, 0.2),
        ("2026-01-05", 1, False, 0, False),
    )

    @pytest.mark.parametrize("version", [17, 19])
    def test_weeks_begin_on_mondays_over_new_year(self, version: int) -> None:
        rows = []
        for day, number, total, filled, least in self.ROWS:
            value: Any = [day, ""] if version == 19 else day
            row = group(
                version, {"validity_date:day": value}, number,
                ("margin:sum", total), ("margin:count", filled), ("margin:min", least),
            )  # fmt: skip
            row["__range"] = {"validity_date:day": {"from": day}}
            rows.append(row)
        server = made(version, rows)
        found = aggregate(
            server.connect(), ORDERS, [], ["validity_date:week"],
            ["margin:sum", "margin:avg", "margin:min"], order="margin:avg desc",
        )  # fmt: skip
        weeks = [tuple(row.values()) for row in found]
        assert weeks == [
            ("2025-12-22", 1, 5.0, 5.0, 5.0),
            ("2025-12-29", 3, 0.3, 0.15, 0.1),
            ("2026-01-05", 1, 0.0, None, None),
        ]
        (call,) = server.sent
        assert call.arguments["groupby"] == ["validity_date:day"]
        assert "limit" not in call.arguments
        assert found.total == 3

    def test_distinct_moments_cannot_be_and_nothing_is_sent(self) -> None:
        server = made(19, [])
        with pytest.raises(ValidationError, match="exactly"):
            aggregate(
                server.connect(), ORDERS, [], ["validity_date:week"], ["date_order:count_distinct"]
            )
        assert server.sent == []


class TestPaths:
    ROWS = (
        {"order_id": [1, "S1"], "product_id": [7, "P"], "__count": 2, "agg_00": 2, "agg_01": 3.0},
        {"order_id": [2, "S2"], "product_id": [7, "P"], "__count": 1, "agg_00": 1, "agg_01": False},
        {"order_id": [3, "S3"], "product_id": [8, "Q"], "__count": 1, "agg_00": 1, "agg_01": 1.5},
        {"order_id": False, "product_id": [8, "Q"], "__count": 5, "agg_00": 5, "agg_01": 1.0},
    )
    RECORDS: Mapping[str, Any] = {
        "sale.order": [
            {"id": 1, "partner_id": 10, "date_order": "2026-01-31 23:30:00"},
            {"id": 2, "partner_id": 11, "date_order": "2026-01-31 22:30:00"},
            {"id": 3, "partner_id": 10, "date_order": False},
        ],
        "res.partner": [
            {"id": 10, "display_name": "Ann", "code": "A", "birth": False},
            {"id": 11, "display_name": "Bob", "code": False, "birth": False},
        ],
    }

    def server(self, version: int = 16, rows: Any = ROWS) -> FakeServer:
        answers = {(LINES, "read_group"): list(rows)}
        return FakeServer(MODELS, version=version, records=self.RECORDS, answers=answers)

    def test_distinct_values_order_limit_and_having_over_added_groups(self) -> None:
        found = aggregate(
            self.server(rows=[{**row, "agg_01": 1} for row in self.ROWS]).connect(),
            LINES, [], ["order_id.partner_id"], ["product_id:count_distinct"],
            having=[["count", ">", 1]], order="product_id:count_distinct desc", limit=1,
        )  # fmt: skip
        assert found.records == [
            {
                "order_id.partner_id": {"id": 10, "name": "Ann"},
                "count": 3,
                "product_id:count_distinct": 2,
            }
        ]
        assert (found.has_more, found.total) == (True, 2)

    @pytest.mark.parametrize(
        ("version", "measure"),
        [(14, "done:count_distinct"), (18, "due:count_distinct"), (16, "order_id:count")],
    )
    def test_what_is_not_exact_is_refused_before_anything_is_sent(
        self, version: int, measure: str
    ) -> None:
        server = self.server(version)
        with pytest.raises(ValidationError):
            aggregate(server.connect(), LINES, [], ["order_id.partner_id"], [measure])
        assert server.sent == []

    def test_on_19_the_server_follows_it(self) -> None:
        row = group(19, {"order_id.partner_id": [10, "Ann"]}, 3, ("quantity:sum", 4.5))
        server = made(19, [row], LINES)
        found = aggregate(server.connect(), LINES, [], ["order_id.partner_id"], ["quantity:sum"])
        assert found[0]["order_id.partner_id"] == {"id": 10, "name": "Ann"}
        assert len(server.sent) == 1

    def test_what_the_user_may_not_see_there_is_none_and_said(self) -> None:
        server = self.server()
        server.records["sale.order"] = server.records["sale.order"][:1]
        found = aggregate(server.connect(), LINES, [], ["order_id.partner_id"])
        assert [row["count"] for row in found] == [2, 7]
        assert found[1]["order_id.partner_id"] is None
        assert "cannot be read" in found.warnings[0]

    def test_a_path_is_followed_in_one_further_call_for_each_relation(self) -> None:
        server = self.server()
        found = aggregate(
            server.connect(), LINES, [], ["order_id.partner_id.code"], ["quantity:sum"]
        )
        assert [tuple(row.values()) for row in found] == [("A", 3, 4.5), (None, 6, 1.0)]
        asked = [(call.model, call.method) for call in server.sent]
        assert asked == [
            (LINES, "read_group"),
            ("sale.order", "search_read"),
            ("res.partner", "search_read"),
        ]
        assert server.sent[0].arguments["groupby"] == ["order_id"]
        # Archived ones are links, too.
        assert server.sent[1].context["active_test"] is False


class TestHaving:
    ROWS: tuple[tuple[str, int, Any], ...] = (("a", 1, 10), ("b", 5, 20), ("c", 2, False))

    def ask(self, having: Any) -> list[str]:
        rows = [group(19, {"name": n}, c, ("id:max", v)) for n, c, v in self.ROWS]
        server = made(19, rows)
        found = aggregate(server.connect(), ORDERS, [], ["name"], having=having)
        assert found.total == len(found)
        return [row["name"] for row in found]

    @pytest.mark.parametrize(
        ("having", "names"),
        [
            ([["id:max", ">", 10]], ["b"]),
            ([["id:max", "<=", 10]], ["a"]),
            ([["id:max", "=", False]], ["c"]),
            (["|", ["count", ">=", 5], ["id:max", "in", [10, 11]]], ["a", "b"]),
            (["!", ["id:max", "=", 10], ["__count", "<", 3]], ["c"]),
            ([["count", ">", 100]], []),
        ],
    )
    def test_groups_are_kept_by_measures_that_need_not_be_asked_for(
        self, having: Any, names: list[str]
    ) -> None:
        assert self.ask(having) == names


class TestCompanies:
    """A row that adds up records of several companies says so, and names them."""

    SCHEMA: ClassVar[dict[str, Any]] = {
        "stock.quant": {"id": "integer", "quantity": "float", "company_id": "many2one res.company"},
        "res.company": {"name": "char"},
    }
    NAMES = tuple(group(19, {"company_id": [i, name]}, 1) for i, name in ((1, "A"), (2, "B")))

    def ask(self, *answers: Any, domain: Any = (), groupby: Any = ()) -> tuple[Any, int]:
        scripted = {("stock.quant", "formatted_read_group"): iter(answers)}
        server = FakeServer(self.SCHEMA, version=19, answers=scripted)
        found = aggregate(server.connect(), "stock.quant", domain, list(groupby), ["quantity:sum"])
        return found.warnings, len(server.sent)

    def rows(self, least: int, greatest: int) -> list[dict[str, Any]]:
        measured = (("company_id:min", least), ("company_id:max", greatest))
        return [group(19, {}, 2, ("quantity:sum", 3.0), *measured)]

    def test_they_are_named(self) -> None:
        (warning,), trips = self.ask(self.rows(1, 2), list(self.NAMES))
        assert warning.startswith("The sums cover several companies (A, B): group by company_id")
        assert trips == 2

    def test_one_company_takes_no_further_round_trip(self) -> None:
        assert self.ask(self.rows(1, 1)) == ([], 1)

    def test_nothing_is_asked_where_a_condition_or_grouping_says_the_company(self) -> None:
        row = group(19, {}, 1, ("quantity:sum", 1.0))
        assert self.ask([row], domain=[["company_id", "=", 1]]) == ([], 1)
        row = group(19, {"company_id": [1, "A"]}, 1, ("quantity:sum", 1.0))
        assert self.ask([row], groupby=["company_id"]) == ([], 1)


class TestCurrencies:
    @staticmethod
    def rows(*pairs: tuple[int, int]) -> list[dict[str, Any]]:
        return [
            group(
                19, {"state": "abc"[i]}, 1,
                ("amount_total:sum", 1.0), ("currency_id:min", low), ("currency_id:max", high),
            )
            for i, (low, high) in enumerate(pairs)
        ]  # fmt: skip

    NAMES = tuple(group(19, {"currency_id": [i, name]}, 1) for i, name in ((1, "EUR"), (2, "USD")))

    def ask(self, *answers: Any, domain: Any = (), groupby: Any = ("state",)) -> tuple[Any, int]:
        server = made(19, iter(answers))
        found = aggregate(server.connect(), ORDERS, domain, list(groupby), ["amount_total:sum"])
        return found.warnings, len(server.sent)

    def test_rows_of_different_currencies_are_told_too(self) -> None:
        (warning,), _ = self.ask(self.rows((1, 1), (2, 2)), list(self.NAMES))
        assert "in some rows than in others" in warning

    def test_one_currency_takes_no_further_round_trip(self) -> None:
        assert self.ask(self.rows((1, 1), (1, 1))) == ([], 1)

    @pytest.mark.parametrize("value", [["=", 1], ["in", [1]]])
    def test_nothing_is_asked_where_a_condition_or_grouping_says_the_currency(
        self, value: list[Any]
    ) -> None:
        row = group(19, {"state": "a"}, 1, ("amount_total:sum", 1.0))
        assert self.ask([row], domain=[["currency_id", *value]]) == ([], 1)
        row = group(19, {"currency_id": [1, "EUR"]}, 1, ("amount_total:sum", 1.0))
        assert self.ask([row], groupby=["currency_id"]) == ([], 1)


class TestRefused:
    """Nothing is sent, and the message says what can be done."""

    @pytest.mark.parametrize(
        ("groupby", "measures", "words"),
        [
            (["amount_due"], [], "not stored"),
            (["country_code"], [], "partner_id.code"),
            (["order_line"], [], "one2many"),
            (["id"], [], "search_read"),
            (["date_order"], [], "date_order:month"),
            (["date_order:decade"], [], "quarter"),
            (["date_order:month_number"], [], "quarter"),
            (["validity_date:hour"], [], "day"),
            (["state:month"], [], "selection"),
            (["amount_total:sum"], [], "measures"),
            (["partner"], [], "partner_id"),
            (["state.name"], [], "many2one"),
            (["partner_id.nme"], [], "res.partner"),
            (["order_line.quantity"], [], "sale.order.line"),
            ("state", [], "list"),
            ([1], [], "list"),
            ([], ["amount_total"], "amount_total:sum"),
            ([], ["amount_total:median"], "avg"),
            ([], ["amount_due:sum"], "not stored"),
            ([], ["date_order:avg"], "min, max"),
            ([], ["active:sum"], "count_distinct"),
            ([], ["partner_id:max"], "count"),
            ([], ["order_line:count"], "count"),
            ([], ["partner_id.id:max"], "model"),
            ([], ["amount:sum"], "amount_total"),
        ],
    )
    def test_with_what_can_be_done(self, groupby: Any, measures: Any, words: str) -> None:
        server = made(19, [])
        with pytest.raises(ValidationError) as caught:
            aggregate(server.connect(), ORDERS, [], groupby, measures)
        error = caught.value
        assert words in f"{error.message} {error.suggestion} {error.details}"
        assert server.sent == []

    @pytest.mark.parametrize("order", ["name", "amount_total", "state up", "", 5, "state,,"])
    def test_orders_that_are_none(self, order: Any) -> None:
        server = made(19, [])
        if order == "":
            assert aggregate(server.connect(), ORDERS, [], ["state"], order=order).records == []
            return
        with pytest.raises(ValidationError):
            aggregate(server.connect(), ORDERS, [], ["state"], order=order)
        assert server.sent == []

    def test_what_14_to_16_leave_out_in_silence(self) -> None:
        server = made(16, [])
        with pytest.raises(ValidationError, match="Odoo 16 cannot measure date_order"):
            aggregate(server.connect(), ORDERS, [], ["date_order:month"], ["date_order:max"])
        assert server.sent == []

    @pytest.mark.parametrize("limit", [0, -1, "5", 1.5, True])
    def test_limits_that_are_none(self, limit: Any) -> None:
        with pytest.raises(ValidationError):
            aggregate(made(19, []).connect(), ORDERS, [], ["state"], limit=limit)

    def test_a_model_that_is_none(self) -> None:
        with pytest.raises(NotFoundError):
            aggregate(made(19, []).connect(), "sale.ordr", [], ["state"])

    @pytest.mark.parametrize("version", [17, 19])
    def test_properties_and_tags_from_17_on(self, version: int) -> None:
        rows = [
            group(version, {"sale_properties.size": value}, 1)
            for value in ([5, "Ann"], ["big", "Big", 3], "text", False)
        ]
        found = aggregate(made(version, rows).connect(), ORDERS, [], ["sale_properties.size"])
        assert [row["sale_properties.size"] for row in found] == [
            {"id": 5, "name": "Ann"},
            {"id": "big", "name": "Big"},
            "text",
            None,
        ]


class TestPolicy:
    """Each way in which something closed could be named, on an old and on the newest version."""

    CLOSED = Policy(model_blocklist="res.partner", field_blocklist="margin,birth,login")
    WAYS: Mapping[str, dict[str, Any]] = {
        "grouping": {"groupby": ["margin"]},
        "grouping by a closed model": {"groupby": ["partner_id"]},
        "measure": {"measures": ["margin:sum"]},
        "measure of a closed model": {"measures": ["partner_id:count_distinct"]},
        "condition": {"domain": [["margin", ">", 1]]},
        "condition on a path": {"domain": [["user_id.login", "=", "a"]]},
        "having": {"having": [["margin:sum", ">", 1]], "groupby": ["state"]},
        "order": {"order": "margin:sum desc", "groupby": ["state"]},
        "path": {"groupby": ["user_id.login"]},
        "path through a closed model": {"groupby": ["partner_id.code"]},
        "always closed": {"groupby": ["user_id.password"]},
        "context": {"groupby": ["state"], "context": {"show_address": 1}},
    }

    @pytest.mark.parametrize("mode", ["readonly", "restricted", "full"])
    @pytest.mark.parametrize("version", [14, 17, 19])
    @pytest.mark.parametrize("way", WAYS)
    def test_what_is_closed_is_refused_and_not_sent(
        self, way: str, version: int, mode: str
    ) -> None:
        server = made(version, [])
        policy = Policy(
            mode=mode,
            model_blocklist="res.partner",
            field_blocklist="margin,birth,login",
        )
        with pytest.raises(AccessError):
            aggregate(server.connect(policy=policy), ORDERS, **self.WAYS[way])
        assert server.sent == []

    @pytest.mark.parametrize("version", [14, 17, 19])
    def test_paths_into_models_that_are_not_on_the_allowlist(self, version: int) -> None:
        server = made(version, [])
        odoo = server.connect(policy=Policy(model_allowlist=ORDERS))
        with pytest.raises(AccessError):
            aggregate(odoo, ORDERS, [], ["partner_id.code"])
        with pytest.raises(AccessError):
            aggregate(odoo, "res.partner", [], ["code"])
        assert server.sent == []

    @pytest.mark.parametrize("version", [14, 17, 19])
    def test_names_of_messages_are_not_shown_beside_closed_models(self, version: int) -> None:
        server = made(version, [group(version, {"mail_ids": [3, "Salary of Ann"]}, 1)])
        with pytest.raises(AccessError):
            aggregate(server.connect(policy=self.CLOSED), ORDERS, [], ["mail_ids"])
        assert server.sent == []

    def test_names_of_records_in_properties_are_not_shown_where_models_are_closed(self) -> None:
        row = group(19, {"sale_properties.who": [5, "Ann"]}, 1)
        odoo = made(19, [row]).connect(policy=self.CLOSED)
        found = aggregate(odoo, ORDERS, [], ["sale_properties.who"])
        assert found[0]["sale_properties.who"] == {"id": 5, "name": None}

    @pytest.mark.parametrize("mode", ["readonly", "restricted", "full"])
    @pytest.mark.parametrize("version", [14, 17, 19])
    def test_what_is_open_passes_in_every_mode(self, version: int, mode: str) -> None:
        row = group(version, {"state": "sale"}, 2, ("amount_total:sum", 3.0))
        row |= {"currency_id:min": 1, "currency_id:max": 1, "agg_02": 1, "agg_03": 1}
        server = made(version, [row])
        policy = Policy(mode=mode, field_blocklist="margin")
        found = aggregate(
            server.connect(policy=policy), ORDERS, [["state", "=", "sale"]], ["state"],
            ["amount_total:sum"], order="amount_total:sum desc, count", having=[["count", ">", 1]],
        )  # fmt: skip
        assert found.records == [{"state": "sale", "count": 2, "amount_total:sum": 3.0}]
        again = aggregate(server.connect(policy=policy), ORDERS, [], ["state"], order="count desc")
        assert again.count == 1

    def test_records_of_closed_models_are_left_out_and_said(self) -> None:
        rows = [group(19, {"model": "sale.order"}, 2)]
        server = made(19, rows, "mail.message")
        server.answers["mail.message", "search_count"] = 7
        found = aggregate(
            server.connect(policy=self.CLOSED), "mail.message", [], ["model"], ["res_id:count"][:0]
        )
        assert found.excluded_count == 7
        assert "7 records" in found.warnings[0]
        (call,) = server.asked("formatted_read_group")
        assert "res.partner" in repr(call.arguments["domain"])


def test_an_alias_that_is_the_name_of_a_field_is_no_order() -> None:
    """What a read_group names by itself may be ordered by, but not to order by what is closed."""
    odoo: Odoo = made(14, []).connect(policy=Policy(mode="readonly", field_blocklist="margin"))
    call = Call(
        model=ORDERS,
        method="read_group",
        arguments={
            "domain": [],
            "fields": ["margin:count(id)"],
            "groupby": ["state"],
            "orderby": "margin",
        },
    )
    with pytest.raises(AccessError):
        odoo.call(call)
