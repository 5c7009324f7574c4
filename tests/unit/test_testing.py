"""The fake server behaves like an Odoo, as far as it goes, and says where it does not go."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    ConfigurationError,
    NotFoundError,
    Odoo,
    OdooConnectionError,
    Policy,
    ValidationError,
    aggregate,
    count,
    create,
    execute,
    fields_get,
    list_models,
    name_get,
    read,
    search_read,
    unlink,
    write,
)
from odoo_toolkit.call import Call
from odoo_toolkit.change_history import lost_answers
from odoo_toolkit.change_history.lost_answers import or_seen
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit.progress import time_left, time_limit
from odoo_toolkit.testing import FakeServer, Fields
from tests.unit.scripted import VERSIONS

GUIDE = (Path(__file__).parents[2] / "docs/testing.md").read_text("utf-8")

MODELS: dict[str, Any] = {
    "res.country": {"name": "char", "code": "char"},
    "res.partner": {
        "name": "char",
        "active": "boolean",
        "color": "integer",
        "country_id": "many2one res.country",
        "parent_id": "many2one res.partner",
        "child_ids": "one2many res.partner parent_id",
        "tag_ids": "many2many res.tag",
    },
    "res.tag": {"name": "char"},
}
RECORDS: dict[str, Any] = {
    "res.country": [{"name": "Belgium", "code": "BE"}, {"name": "Perú", "code": "PE"}],
    "res.partner": [
        {"name": "Azure Interior", "country_id": 1, "color": 3, "tag_ids": [1]},
        {"name": "Brandon", "parent_id": 1, "color": 5},
        {"name": "Zoé", "country_id": 2},
        {"name": "Old", "active": False, "color": 9},
    ],
    "res.tag": [{"name": "VIP"}, {"name": "Late"}],
}


@pytest.fixture
def server() -> FakeServer:
    return FakeServer(MODELS, records=RECORDS)


@pytest.fixture
def odoo(server: FakeServer) -> Odoo:
    return server.connect()


def names(odoo: Odoo, *domain: Any, **options: Any) -> list[str]:
    return [row["name"] for row in search_read(odoo, "res.partner", domain, ["name"], **options)]


# Connecting.


@pytest.mark.parametrize("version", VERSIONS)
def test_a_transport_is_all_that_a_connection_needs(version: int, mock: Any) -> None:
    """``mock`` answers no HTTP request, so one would fail."""
    server = FakeServer(MODELS, version=version, records=RECORDS, uid=7)
    odoo = Odoo(connection_settings(url="http://x.test", api_key="x"), transport=server)
    with odoo.connect():
        assert (odoo.version.major, odoo.uid, odoo.protocol) == (version, 7, "fake")
        assert count(odoo, "res.partner").count == 3
        assert {"res.partner", "res.tag"} <= {model.model for model in list_models(odoo).models}
    assert len(mock.calls) == 0


def test_a_connection_with_its_own_transport_has_no_web_session(odoo: Odoo) -> None:
    with pytest.raises(ConfigurationError, match="no web session"):
        _ = odoo.web_session


def test_the_policy_stands_before_the_server(server: FakeServer) -> None:
    odoo = server.connect(policy=Policy(mode="readonly"))
    with pytest.raises(AccessError):
        create(odoo, "res.partner", {"name": "Ada"})
    assert server.asked("create") == []
    assert len(server.records["res.partner"]) == 4


def test_a_field_that_is_not_described_is_found_wrong(odoo: Odoo, server: FakeServer) -> None:
    with pytest.raises(ValidationError, match="nmae"):
        search_read(odoo, "res.partner", [["nmae", "=", "Ada"]])
    assert server.sent == []


def test_a_model_that_is_nowhere_mentioned_does_not_exist(odoo: Odoo) -> None:
    with pytest.raises(NotFoundError) as raised:
        read(odoo, "res.partnr", [1])
    assert raised.value.details["did_you_mean"] == ["res.partner"]


def test_fields_are_described_as_they_were_written(odoo: Odoo) -> None:
    fields = fields_get(odoo, "res.partner", attributes=["type", "relation", "readonly"]).fields
    country = {"type": "many2one", "relation": "res.country", "readonly": False}
    assert fields["country_id"] == country
    assert fields["id"]["readonly"]


# Searching.


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ([], [1, 2, 3]),
        ([["active", "in", [True, False]]], [1, 2, 3, 4]),
        ([["name", "=", "Brandon"]], [2]),
        ([["name", "!=", "Brandon"]], [1, 3]),
        ([["name", "ilike", "INTER"]], [1]),
        ([["name", "like", "INTER"]], []),
        ([["name", "=ilike", "az%"]], [1]),
        ([["name", "not ilike", "z"]], [2]),
        ([["name", "in", ["Zoé", "Brandon"]]], [2, 3]),
        ([["name", "not in", ["Zoé", "Brandon"]]], [1]),
        ([["color", ">", 3]], [2]),
        ([["color", ">=", 3]], [1, 2]),
        ([["color", "<", 3]], [3]),
        ([["color", "<=", 3]], [1, 3]),
        ([["country_id", "=", 2]], [3]),
        ([["country_id", "=", False]], [2]),
        ([["country_id", "!=", False]], [1, 3]),
        ([["country_id", "ilike", "belg"]], [1]),
        ([["country_id.code", "=", "PE"]], [3]),
        ([["parent_id.country_id.code", "=", "BE"]], [2]),
        ([["id", "child_of", 1]], [1, 2]),
        ([["id", "parent_of", 2]], [1, 2]),
        ([["parent_id", "child_of", [1]]], [2]),
        ([["child_ids", "=", 2]], [1]),
        ([["child_ids", "any", [["color", "=", 5]]]], [1]),
        ([["child_ids", "not any", [["color", "=", 5]]]], [2, 3]),
        ([["tag_ids", "in", [1]]], [1]),
        ([["tag_ids.name", "=", "VIP"]], [1]),
        ([["tag_ids", "=", False]], [2, 3]),
        (["|", ["color", "=", 5], ["name", "=", "Zoé"]], [2, 3]),
        (["!", ["color", "=", 5], ["name", "ilike", "z"]], [1, 3]),
        (["&", ["color", ">", 0], "!", ["color", "=", 5]], [1]),
    ],
    ids=str,
)
def test_a_domain_finds_what_odoo_would(server: FakeServer, domain: Any, expected: Any) -> None:
    asked = Call(model="res.partner", method="search", arguments={"domain": domain})
    assert server.send(asked) == expected


def test_accents_matter_unless_they_are_told_not_to(server: FakeServer, odoo: Odoo) -> None:
    domain = ["name", "ilike", "zoe"]
    assert names(odoo, domain) == []
    server.unaccent = True
    assert names(odoo, domain) == ["Zoé"]


def test_results_are_sorted_and_cut(odoo: Odoo) -> None:
    assert names(odoo, order="name desc") == ["Zoé", "Brandon", "Azure Interior"]
    assert names(odoo, order="country_id, id", limit=2) == ["Azure Interior", "Zoé"]
    assert names(odoo, offset=1, limit=1) == ["Brandon"]


def test_relations_are_read_with_their_names(odoo: Odoo) -> None:
    (row,) = read(odoo, "res.partner", [1], ["country_id", "child_ids", "tag_ids"])
    assert row["country_id"] == {"id": 1, "name": "Belgium"}
    assert (row["child_ids"], row["tag_ids"]) == ([2], [1])
    assert [name.name for name in name_get(odoo, "res.partner", [2]).names] == ["Brandon"]


# Writing.


def test_what_is_written_is_there(odoo: Odoo, server: FakeServer) -> None:
    made = create(odoo, "res.partner", {"name": "Ada", "country_id": 1})
    (row,) = read(odoo, "res.partner", [5], ["name", "country_id", "create_uid", "create_date"])
    assert (row["name"], row["country_id"]["name"]) == ("Ada", "Belgium")
    assert row["create_date"].endswith("Z")
    assert 5 in (made.id, *(made.ids or ()))

    write(odoo, "res.partner", [5], {"name": "Ada Lovelace"})
    assert server.records["res.partner"][-1]["name"] == "Ada Lovelace"
    unlink(odoo, "res.partner", [5])
    assert [row["id"] for row in server.records["res.partner"]] == [1, 2, 3, 4]
    assert [call.method for call in server.asked("create", "write", "unlink")] == [
        "create",
        "write",
        "unlink",
    ]


def test_a_record_does_not_get_the_id_of_a_deleted_one(odoo: Odoo) -> None:
    unlink(odoo, "res.partner", [4])
    unlink(odoo, "res.partner", [first := create(odoo, "res.partner", {"name": "Brief"}).id])

    assert (first, create(odoo, "res.partner", {"name": "Next"}).id) == (5, 6)


def test_a_record_that_is_not_there_is_not_written(server: FakeServer) -> None:
    call = Call(model="res.partner", method="write", ids=[1, 99], arguments={"vals": {"color": 1}})
    with pytest.raises(NotFoundError):
        server.send(call)
    assert server.records["res.partner"][0]["color"] == 3


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        ([(0, 0, {"name": "New"})], [1, 3]),
        ([(1, 1, {"name": "VIP!"})], [1]),
        ([(2, 1, 0)], []),
        ([(3, 1, 0)], []),
        ([(4, 2, 0)], [1, 2]),
        ([(5, 0, 0), (4, 2, 0)], [2]),
        ([(6, 0, [2])], [2]),
    ],
)
def test_commands_change_a_relation(server: FakeServer, commands: Any, expected: Any) -> None:
    vals = {"tag_ids": commands}
    server.send(Call(model="res.partner", method="write", ids=[1], arguments={"vals": vals}))
    read_back = Call(model="res.partner", method="read", ids=[1], arguments={"fields": ["tag_ids"]})
    assert server.send(read_back) == [{"id": 1, "tag_ids": expected}]
    assert {"id": 1, "name": "VIP"} in server.records["res.tag"] or commands[0][0] in (1, 2)


def test_lines_belong_to_what_they_were_made_with(odoo: Odoo, server: FakeServer) -> None:
    lines = [[0, 0, {"name": "Desk"}], [4, 2, 0]]
    create(odoo, "res.partner", {"name": "Ada", "child_ids": lines})
    found = {row["name"]: row.get("parent_id") for row in server.records["res.partner"]}
    assert (found["Desk"], found["Brandon"]) == (5, 5)

    write(odoo, "res.partner", [5], {"child_ids": [[3, 2, 0]]})
    (ada,) = read(odoo, "res.partner", [5], ["child_ids"])
    assert [row["name"] for row in read(odoo, "res.partner", ada["child_ids"])] == ["Desk"]


def test_servers_do_not_share_records(server: FakeServer) -> None:
    server.records["res.partner"][0]["name"] = "changed"
    assert FakeServer(MODELS, records=RECORDS).records["res.partner"][0]["name"] == "Azure Interior"


# Answers that are given.


def press(odoo: Odoo) -> Any:
    return execute(odoo, "res.partner", "press", [[1]]).result


def test_answers_are_values_functions_errors_and_one_after_the_other(server: FakeServer) -> None:
    odoo = server.connect()
    server.answers["res.partner", "press"] = {"a": 1}
    assert press(odoo) == {"a": 1}
    server.answers["res.partner", "press"] = lambda call: list(call.ids)
    assert press(odoo) == [1]
    server.answers["res.partner", "press"] = iter([1, NotFoundError("gone")])
    assert press(odoo) == 1
    with pytest.raises(NotFoundError, match="gone"):
        press(odoo)
    with pytest.raises(AssertionError, match="more often than it has responses"):
        press(odoo)
    assert [call.ids for call in server.asked("press")] == [(1,)] * 5


def test_a_function_may_leave_a_call_to_the_records(odoo: Odoo, server: FakeServer) -> None:
    def refuse_colours(call: Call) -> Any:
        return AccessError("No.") if "color" in call.arguments["fields"] else NotImplemented

    server.answers["res.partner", "search_read"] = refuse_colours
    assert len(names(odoo)) == 3
    with pytest.raises(AccessError):
        search_read(odoo, "res.partner", [], ["color"])


def test_what_nothing_answers_fails_by_name() -> None:
    server = FakeServer({"res.partner": {"name": "char"}})
    with pytest.raises(AssertionError, match=r"res\.partner\.read.*records of res\.partner"):
        read(server.connect(), "res.partner", [1])


def test_what_nothing_else_answers_is_asked_of_otherwise() -> None:
    server = FakeServer(MODELS, records=RECORDS, otherwise=lambda call: call.method)
    assert press(server.connect()) == "press"


# Lost answers.


@pytest.mark.parametrize("applied", [True, False])
def test_an_answer_is_lost_once_with_the_work_done_or_not(
    server: FakeServer, applied: bool
) -> None:
    unwrapped = Call(
        model="res.partner", method="create", arguments={"vals_list": [{"name": "Ada"}]}
    )
    server.lose_answer("create", applied=applied)
    with pytest.raises(OdooConnectionError) as raised:
        server.send(unwrapped)
    assert raised.value.outcome == "maybe_applied"
    assert len(server.asked("create")) == int(applied)
    assert server.send(unwrapped) == [5 + applied]


def test_a_read_whose_answer_is_lost_is_sent_again(server: FakeServer, odoo: Odoo) -> None:
    server.lose_answer("search_read")
    assert names(odoo, ["color", "=", 5]) == ["Brandon"]
    assert len(server.asked("search_read")) == 2


# The guide.


def test_the_guide_holds() -> None:
    space: dict[str, Any] = {"__name__": "guide"}
    for block in re.findall(
        r"```python\n(.*?)```", GUIDE.partition("\n## Type stubs")[0], re.DOTALL
    ):
        exec(compile(block, "docs/testing.md", "exec"), space)
    tests = [function for name, function in space.items() if name.startswith("test_")]
    for test in tests:
        test()
    assert len(tests) >= 3


ORDERS = [
    {"id": 1, "name": "A", "partner_id": 7, "amount": 0.1, "day": "2026-01-31", "tag_ids": [1]},
    {"id": 2, "name": "B", "partner_id": 8, "amount": 0.2, "day": "2026-02-01", "tag_ids": [1, 2]},
    {"id": 3, "name": "C", "partner_id": 7, "amount": 5.0, "at": "2025-12-31 23:30:00"},
    {"id": 4, "name": "D", "amount": 1.0, "day": "2026-02-28", "active": False},
]


@pytest.fixture(params=[14, 15, 16, 17, 18, 19])
def orders(request: pytest.FixtureRequest) -> Odoo:
    models: dict[str, Fields] = {
        "sale.order": {
            "name": "char",
            "partner_id": "many2one res.partner",
            "tag_ids": "many2many crm.tag",
            "amount": "float",
            "day": "date",
            "at": "datetime",
            "active": "boolean",
        },
        "res.partner": {"name": "char", "country_id": "many2one res.country"},
        "res.country": {"name": "char"},
        "crm.tag": {"name": "char"},
    }
    records: dict[str, Any] = {
        "sale.order": ORDERS,
        "res.partner": [
            {"id": 7, "name": "Zoe", "country_id": 20},
            {"id": 8, "name": "Ann", "country_id": 20},
        ],
        "res.country": [{"id": 20, "name": "Belgium"}],
        "crm.tag": [{"id": 1, "name": "Hot"}, {"id": 2, "name": "New"}],
    }
    return FakeServer(models, version=request.param, records=records).connect()


class TestAggregate:
    def test_groups_are_reckoned_from_the_records(self, orders: Odoo) -> None:
        measures = ["amount:sum", "amount:avg", "day:min", "name:count_distinct"]
        found = aggregate(orders, "sale.order", [], ["partner_id"], measures)
        assert found.records == [
            {
                "partner_id": {"id": 8, "name": "Ann"},
                "count": 1,
                "amount:sum": 0.2,
                "amount:avg": 0.2,
                "day:min": "2026-02-01",
                "name:count_distinct": 1,
            },
            {
                "partner_id": {"id": 7, "name": "Zoe"},
                "count": 2,
                "amount:sum": 5.1,
                "amount:avg": 2.55,
                "day:min": "2026-01-31",
                "name:count_distinct": 2,
            },
        ]

    def test_one_row_of_all_and_of_none(self, orders: Odoo) -> None:
        (row,) = aggregate(orders, "sale.order", [], [], ["amount:sum", "amount:max"]).records
        assert row == {"count": 3, "amount:sum": 5.3, "amount:max": 5.0}
        none = [["name", "=", "nobody"]]
        (row,) = aggregate(orders, "sale.order", none, [], ["amount:sum", "amount:max"]).records
        assert row == {"count": 0, "amount:sum": 0.0, "amount:max": None}

    def test_read_group_names_its_answers_as_odoo_does(self) -> None:
        """As Odoo 14 to 19 answered when they were asked."""
        fields: Fields = {"amount": "float", "name": "char", "state": "char"}
        rows = [{"id": n, "amount": float(n), "name": "S", "state": "a"} for n in (1, 2)]
        odoo = FakeServer(
            {"sale.order": fields}, version=16, records={"sale.order": rows}
        ).connect()

        def keys(**asked: Any) -> dict[str, Any]:
            (row,) = execute(odoo, "sale.order", "read_group", [], {"domain": [], **asked}).result
            return {key: value for key, value in row.items() if key not in ("__domain", "__range")}

        grouped = {"state": "a", "__count": 2}
        asked: dict[str, Any] = {"groupby": ["state"], "lazy": False}
        assert keys(fields=["amount:sum"], **asked) == {**grouped, "amount": 3.0}
        assert keys(fields=["amount", "name"], **asked) == {**grouped, "amount": 3.0}
        found = keys(fields=["most:max(amount)", "name:count_distinct"], **asked)
        assert found == {**grouped, "most": 2, "name": 1}
        assert keys(fields=["amount:sum"], groupby=["state", "name"]) == {
            "state": "a",
            "state_count": 2,
            "amount": 3.0,
            "__context": {"group_by": ["name"]},
        }

    @pytest.mark.parametrize(
        ("period", "days"),
        [
            ("day", ["2026-01-31", "2026-02-01", None]),
            ("week", ["2026-01-26", None]),
            ("month", ["2026-01-01", "2026-02-01", None]),
            ("quarter", ["2026-01-01", None]),
            ("year", ["2026-01-01", None]),
        ],
    )
    def test_periods_begin_where_odoos_do(self, orders: Odoo, period: str, days: Any) -> None:
        found = aggregate(orders, "sale.order", [], [f"day:{period}"])
        assert [row[f"day:{period}"] for row in found.records] == days

    def test_periods_of_moments_begin_in_the_time_zone_of_the_context(self, orders: Odoo) -> None:
        for zone, month in (("UTC", "2025-12-01"), ("Europe/Brussels", "2026-01-01")):
            found = aggregate(orders, "sale.order", [], ["at:month"], context={"tz": zone})
            assert [row["at:month"] for row in found.records] == [month, None]

    def test_order_limit_and_conditions_on_groups(self, orders: Odoo) -> None:
        asked: dict[str, Any] = {"groupby": ["partner_id"], "measures": ["amount:sum"]}
        falling = aggregate(orders, "sale.order", order="amount:sum desc", limit=1, **asked)
        assert [row["partner_id"]["name"] for row in falling.records] == ["Zoe"]
        assert falling.has_more
        small = aggregate(orders, "sale.order", having=[["amount:sum", "<", 1]], **asked)
        assert [row["partner_id"]["name"] for row in small.records] == ["Ann"]

    def test_paths_lists_and_archived_records(self, orders: Odoo) -> None:
        (row,) = aggregate(orders, "sale.order", [], ["partner_id.country_id"]).records
        assert row == {"partner_id.country_id": {"id": 20, "name": "Belgium"}, "count": 3}
        every = aggregate(orders, "sale.order", context={"active_test": False}).records
        assert every == [{"count": 4}]
        if orders.version.major >= 15:
            found = aggregate(orders, "sale.order", [], ["tag_ids"])
            names = [row["tag_ids"] and row["tag_ids"]["name"] for row in found.records]
            assert names == ["Hot", "New", None]
            assert [row["count"] for row in found.records] == [2, 1, 1]


def test_connect_takes_the_path_of_a_journal(tmp_path: Path) -> None:
    server = FakeServer({"res.partner": {"name": "char"}}, records={"res.partner": []})
    odoo = server.connect(history=tmp_path / "history.sqlite")
    first = create(odoo, "res.partner", {"name": "Ann"}, idempotency_key="one")
    assert create(odoo, "res.partner", {"name": "Ann"}, idempotency_key="one").ids == first.ids
    assert len(server.records["res.partner"]) == 1


def test_a_lost_response_says_how_the_toolkit_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(lost_answers, "pause", waits.append)
    monkeypatch.setattr(lost_answers, "WAITS", (0.0, 2.0, 3.0))
    server = FakeServer({"res.partner": {"name": "char"}}, records={"res.partner": []})
    cases = [
        (None, "looked for the result in Odoo for 5 seconds and did not find it"),
        (OdooConnectionError("Gone."), "could not look for the result, because Odoo did not res"),
        (AccessError("Not yours."), "could not look for the result: Not yours."),
    ]
    for problem, told in cases:
        server.answers["res.partner", "search_read"] = problem or NotImplemented
        server.lose_answer("create", applied=False)
        with pytest.raises(OdooConnectionError) as raised:
            create(server.connect(), "res.partner", {"name": f"Lost {told}"})
        assert told in raised.value.message
    with time_limit(0.01), pytest.raises(OdooConnectionError, match="no time left to look"):
        or_seen(_lose_after_the_limit, lambda: None, [])


def test_what_one_server_created_does_not_hide_a_record_of_another() -> None:
    def contacts() -> FakeServer:
        return FakeServer({"res.partner": {"name": "char"}}, records={"res.partner": []})

    first, second = contacts(), contacts()
    create(first.connect(), "res.partner", {"name": "Ann"})
    first.lose_answer("create", applied=False)
    with pytest.raises(OdooConnectionError):
        create(first.connect(), "res.partner", {"name": "Bob"})
    for name in ("Ann", "Bob"):
        second.lose_answer("create")
        assert create(second.connect(), "res.partner", {"name": name}).warnings


def _lose_after_the_limit() -> None:
    while time_left() > 0:
        pass
    raise OdooConnectionError("Gone.", outcome="maybe_applied")
