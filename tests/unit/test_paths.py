"""Dotted fields: what is asked of the server, and what becomes of what may not be read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import (
    NotFoundError,
    Odoo,
    OdooError,
    Policy,
    ReadOptions,
    ValidationError,
    read,
    run_queries,
    search_read,
)
from odoo_toolkit.call import Call
from odoo_toolkit.errors import make_error
from odoo_toolkit.records import paths
from odoo_toolkit.testing import FakeServer

MODELS = {
    "sale.order": {
        "name": "char",
        "partner_id": "many2one res.partner",
        "order_line": "one2many sale.order.line order_id",
        "attachment_ids": "many2many ir.attachment",
        "file_ids": "one2many ir.attachment res_id",
    },
    "sale.order.line": {
        "name": "char",
        "order_id": "many2one sale.order",
        "product_id": "many2one product.product",
        "tag_ids": "many2many x.tag",
    },
    "product.product": {"default_code": "char", "active": "boolean", "price": "float"},
    "res.partner": {
        "name": "char",
        "comment": "html",
        "create_date": "datetime",
        "country_id": "many2one res.country",
        "parent_id": "many2one res.partner",
        "password": "char",
    },
    "res.country": {"code": "char", "name": "char"},
    "x.tag": {"name": "char"},
    "ir.attachment": {
        "name": "char",
        "raw": "binary",
        "res_model": "char",
        "res_field": "char",
        "res_id": "many2one_reference",
    },
    "ir.cron": {"name": "char", "partner_id": "many2one res.partner"},
}
RECORDS: dict[str, list[dict[str, Any]]] = {
    "res.country": [{"id": 21, "name": "Belgium", "code": "BE"}],
    "res.partner": [
        {"id": 1, "name": "Azure", "country_id": 21, "comment": "<p>Hi</p>"},
        {"id": 2, "name": "Deco", "parent_id": 1, "create_date": "2025-01-02 03:04:05"},
    ],
    "product.product": [
        {"id": 5, "default_code": "A"},
        {"id": 6, "default_code": "OLD", "active": False},
    ],
    "x.tag": [{"id": 1, "name": "x"}, {"id": 2, "name": "y"}],
    "sale.order": [
        {"id": 10, "name": "S10", "partner_id": 1},
        {"id": 11, "name": "S11", "partner_id": 2},
        {"id": 12, "name": "S12"},
    ],
    "sale.order.line": [
        {"id": 100, "name": "one", "order_id": 10, "product_id": 6, "tag_ids": [2, 1]},
        {"id": 101, "name": "two", "order_id": 10},
        {"id": 102, "name": "three", "order_id": 11, "product_id": 5},
    ],
    "ir.attachment": [],
}


@pytest.fixture
def server() -> FakeServer:
    return FakeServer(MODELS, records={k: [dict(r) for r in v] for k, v in RECORDS.items()})


@pytest.fixture
def odoo(server: FakeServer) -> Odoo:
    return server.connect()


def models_read(server: FakeServer) -> list[str]:
    return sorted(call.model for call in server.asked("search_read", "read"))


def refusing(model: str, field: str | None = None) -> dict[tuple[str, str], Callable[[Call], Any]]:
    """Return answers that refuse a model, or a field of it, as Odoo does."""

    def answer(call: Call) -> Any:
        if field is None or field in call.arguments["fields"]:
            return make_error("ACCESS_DENIED", "You are not allowed to access it.")
        return NotImplemented

    return {(model, method): answer for method in ("read", "search_read")}


def test_rows_have_the_keys_that_were_asked_for_in_that_order(odoo: Odoo) -> None:
    fields = ["partner_id.country_id.code", "name", "partner_id.name"]
    found = search_read(odoo, "sale.order", [], fields)
    assert [list(row) for row in found] == [["id", *fields]] * 3
    assert [list(row.values()) for row in found] == [
        [10, "BE", "S10", "Azure"],
        [11, None, "S11", "Deco"],
        [12, None, "S12", None],
    ]
    assert (found.skipped_fields, found.warnings) == ([], [])


def test_each_relation_is_one_call_whatever_the_paths_and_rows(
    odoo: Odoo, server: FakeServer
) -> None:
    fields = [
        "order_id.partner_id.country_id.code",
        "order_id.partner_id.country_id.name",
        "order_id.partner_id.name",
        "order_id.name",
        "product_id.default_code",
    ]
    found = search_read(odoo, "sale.order.line", [], fields, order="id")
    assert models_read(server) == [
        "product.product",
        "res.country",
        "res.partner",
        "sale.order",
        "sale.order.line",
    ]
    assert found[0]["order_id.partner_id.country_id.name"] == "Belgium"


def test_many_ids_are_read_in_chunks(
    odoo: Odoo, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "_CHUNK", 1)
    found = search_read(odoo, "sale.order", [], ["partner_id.name"])
    assert models_read(server) == ["res.partner", "res.partner", "sale.order"]
    assert [row["partner_id.name"] for row in found] == ["Azure", "Deco", None]


def test_read_takes_paths_too_and_keeps_the_order_of_ids(odoo: Odoo) -> None:
    found = read(odoo, "sale.order", [11, 10, 99], ["partner_id.name"])
    assert found.records == [
        {"id": 11, "partner_id.name": "Deco"},
        {"id": 10, "partner_id.name": "Azure"},
    ]
    assert found.missing_ids == [99]


def test_queries_take_paths_too(odoo: Odoo) -> None:
    query = {"model": "sale.order", "fields": ["partner_id.name"], "limit": 1}
    assert run_queries(odoo, [query])[0].records == [{"id": 10, "partner_id.name": "Azure"}]


def test_through_many_records_a_path_is_a_list_in_their_order(odoo: Odoo) -> None:
    fields = ["order_line", "order_line.name", "order_line.product_id.default_code"]
    found = search_read(odoo, "sale.order", [], fields)
    assert found[0] == {
        "id": 10,
        "order_line": [100, 101],
        "order_line.name": ["one", "two"],
        "order_line.product_id.default_code": ["OLD", None],
    }
    assert found[2]["order_line.name"] == []
    assert found.described["order_line.name"].type == "json"


def test_each_step_through_many_is_a_list_of_its_own(odoo: Odoo) -> None:
    found = search_read(odoo, "sale.order", [], ["order_line.tag_ids.name"])
    assert found[0]["order_line.tag_ids.name"] == [["y", "x"], []]


def test_archived_records_are_reached_by_a_link(odoo: Odoo, server: FakeServer) -> None:
    found = search_read(odoo, "sale.order.line", [], ["product_id.default_code"], order="id")
    assert [row["product_id.default_code"] for row in found] == ["OLD", None, "A"]
    (linked,) = [call for call in server.sent if call.model == "product.product"]
    assert linked.context["active_test"] is False
    (own,) = [call for call in server.sent if call.model == "sale.order.line"]
    assert "active_test" not in own.context


def test_values_are_shown_as_elsewhere(odoo: Odoo) -> None:
    fields = ["partner_id.comment", "partner_id.country_id", "partner_id.create_date"]
    first, second, _ = search_read(odoo, "sale.order", [], fields)
    assert first["partner_id.comment"] == "Hi"
    assert first["partner_id.country_id"] == {"id": 21, "name": "Belgium"}
    assert second["partner_id.create_date"] == "2025-01-02T03:04:05Z"
    odoo.options = ReadOptions(strip_html=False, normalize_many2one=False)
    first = search_read(odoo, "sale.order", [], fields)[0]
    assert first["partner_id.comment"] == "<p>Hi</p>"
    assert first["partner_id.country_id"] == [21, "Belgium"]


def test_the_id_alone_needs_no_further_call(odoo: Odoo, server: FakeServer) -> None:
    found = search_read(odoo, "sale.order", [], ["partner_id.id", "order_line.id"])
    assert found[0] == {"id": 10, "partner_id.id": 1, "order_line.id": [100, 101]}
    assert models_read(server) == ["sale.order"]


def test_a_relation_can_lead_back_to_its_own_model(odoo: Odoo) -> None:
    found = search_read(odoo, "res.partner", [], ["parent_id.country_id.code"])
    assert [row["parent_id.country_id.code"] for row in found] == [None, "BE"]


def test_star_and_the_default_fields_go_with_paths(odoo: Odoo) -> None:
    row = search_read(odoo, "sale.order", [], ["*", "partner_id.name"])[0]
    assert list(row)[-1] == "partner_id.name"
    assert {"name", "order_line", "partner_id"} < set(row)


def test_the_fields_are_described(odoo: Odoo) -> None:
    found = search_read(odoo, "sale.order", [], ["partner_id.country_id", "name"])
    assert [*found.described] == ["id", "partner_id.country_id", "name"]
    assert found.described["partner_id.country_id"].relation == "res.country"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("partner_id.nam", "res.partner has no field 'nam' (did you mean name?)"),
        ("partner.name", "sale.order has no field 'partner'"),
        ("name.x", "name of sale.order is char. Only relational fields can be followed by a dot"),
        ("partner_id.country_id.code.x", "code of res.country is char"),
        ("partner_id.", "res.partner has no field ''"),
        (".name", "sale.order has no field ''"),
        ("file_ids.raw", "makes some Odoo versions return an invalid response"),
        (".".join(["partner_id", *["parent_id"] * 9]), "more than 8 names"),
    ],
)
def test_a_wrong_path_is_refused_before_anything_is_read(
    odoo: Odoo, server: FakeServer, path: str, said: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        search_read(odoo, "sale.order", [], ["name", path])
    assert said in caught.value.message
    assert caught.value.code == "INVALID_FIELD"
    assert models_read(server) == []


class TestRights:
    def test_a_record_that_may_not_be_read_is_none_and_told(
        self, odoo: Odoo, server: FakeServer
    ) -> None:
        server.records["res.partner"][:] = [r for r in server.records["res.partner"] if r["id"] > 1]
        fields = ["name", "partner_id.id", "partner_id.name", "partner_id.country_id.code"]
        found = search_read(odoo, "sale.order", [], fields)
        assert found[0] == {
            "id": 10,
            "name": "S10",
            "partner_id.id": 1,
            "partner_id.name": None,
            "partner_id.country_id.code": None,
        }
        assert found[1]["partner_id.name"] == "Deco"
        assert found.skipped_fields == []
        (warning,) = found.warnings
        assert "res.partner" in warning
        assert "partner_id" in warning
        assert read(odoo, "sale.order", [10], ["partner_id.name"]).warnings == [warning]

    def test_a_model_that_may_not_be_read_leaves_its_paths_out(
        self, odoo: Odoo, server: FakeServer
    ) -> None:
        server.answers |= refusing("res.partner")
        paths = ["partner_id.name", "partner_id.country_id.code"]
        found = search_read(odoo, "sale.order", [], ["name", *paths])
        assert found[0] == {"id": 10, "name": "S10"}
        assert sorted(found.skipped_fields) == sorted(paths)
        assert [*found.described] == ["id", "name"]

    def test_a_model_that_may_not_even_be_described_too(
        self, odoo: Odoo, server: FakeServer
    ) -> None:
        server.answers["res.partner", "fields_get"] = make_error("ACCESS_DENIED", "No.")
        found = search_read(odoo, "sale.order", [], ["name", "partner_id.name"])
        assert found[0] == {"id": 10, "name": "S10"}
        assert found.skipped_fields == ["partner_id.name"]

    def test_a_field_that_may_not_be_read_leaves_its_path_out(
        self, odoo: Odoo, server: FakeServer
    ) -> None:
        server.answers |= refusing("res.partner", "country_id")
        fields = ["partner_id.name", "partner_id.country_id.code"]
        found = search_read(odoo, "sale.order", [], fields)
        assert found[0] == {"id": 10, "partner_id.name": "Azure"}
        assert found.skipped_fields == ["partner_id.country_id.code"]

    def test_a_relation_of_its_own_that_may_not_be_read_too(
        self, odoo: Odoo, server: FakeServer
    ) -> None:
        server.answers |= refusing("sale.order", "partner_id")
        found = search_read(odoo, "sale.order", [], ["name", "partner_id.name"])
        assert found[0] == {"id": 10, "name": "S10"}
        assert found.skipped_fields == ["partner_id.name"]

    def test_other_failures_are_raised(self, odoo: Odoo, server: FakeServer) -> None:
        server.answers["res.partner", "search_read"] = make_error("VALIDATION_ERROR", "Gone.")
        with pytest.raises(OdooError, match="Gone"):
            search_read(odoo, "sale.order", [], ["partner_id.name"])

    def test_a_relation_to_a_model_that_is_not_there(self) -> None:
        server = FakeServer(
            {"x.log": {"other_id": "many2one x.gone"}}, records={"x.log": [{"other_id": 1}]}
        )
        with pytest.raises(NotFoundError):
            search_read(server.connect(), "x.log", [], ["other_id.name"])


class TestPolicy:
    @pytest.mark.parametrize(
        "function",
        [
            lambda odoo, path: search_read(odoo, "sale.order", [], ["name", path]),
            lambda odoo, path: read(odoo, "sale.order", [10], ["name", path]),
        ],
        ids=["search_read", "read"],
    )
    @pytest.mark.parametrize(
        ("policy", "path", "code"),
        [
            ({}, "partner_id.password", "FIELD_BLOCKED"),
            ({}, "order_line.order_id.partner_id.password", "FIELD_BLOCKED"),
            ({"field_blocklist": "code"}, "partner_id.country_id.code", "FIELD_BLOCKED"),
            ({"field_blocklist": "country_id"}, "partner_id.country_id.code", "FIELD_BLOCKED"),
            ({"model_blocklist": "res.country"}, "partner_id.country_id.code", "MODEL_BLOCKED"),
            ({"model_blocklist": "res.partner"}, "partner_id.country_id.code", "MODEL_BLOCKED"),
            ({"model_allowlist": "sale.order"}, "partner_id.name", "MODEL_BLOCKED"),
            ({"field_blocklist": "x"}, "attachment_ids.name", "MODEL_BLOCKED"),
        ],
    )
    @pytest.mark.parametrize("mode", ["readonly", "full"])
    def test_what_is_closed_is_closed_on_a_path(
        self,
        server: FakeServer,
        function: Callable[[Odoo, str], Any],
        policy: dict[str, str],
        path: str,
        code: str,
        mode: Any,
    ) -> None:
        odoo = server.connect(policy=Policy(mode=mode, **policy))
        with pytest.raises(OdooError) as caught:
            function(odoo, path)
        assert caught.value.code == code
        assert models_read(server) == []

    @pytest.mark.parametrize("mode", ["readonly", "restricted", "full"])
    def test_what_is_open_passes_in_every_mode(self, server: FakeServer, mode: Any) -> None:
        odoo = server.connect(policy=Policy(mode=mode))
        found = search_read(odoo, "sale.order", [], ["partner_id.country_id.code"])
        assert found[0]["partner_id.country_id.code"] == "BE"

    def test_files_of_closed_models_stay_unseen(self, server: FakeServer) -> None:
        server.records["ir.attachment"] += [
            {"id": 7, "name": "open.txt", "res_model": "sale.order", "res_id": 10},
            {"id": 8, "name": "closed.txt", "res_model": "ir.cron", "res_id": 10},
        ]
        found = search_read(server.connect(), "sale.order", [["id", "=", 10]], ["file_ids.name"])
        assert found[0]["file_ids.name"] == ["open.txt", None]
        assert "ir.attachment" in found.warnings[0]

    def test_no_more_is_followed_than_a_maximum_allows(
        self, server: FakeServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(paths, "_MOST_LINKED", 2)
        odoo = server.connect(options=ReadOptions(max_limit=2))
        with pytest.raises(ValidationError, match="order_line leads to 3 records"):
            search_read(odoo, "sale.order", [], ["order_line.name"])
        odoo.options = ReadOptions()
        assert search_read(odoo, "sale.order", [], ["order_line.name"]).count == 3


def test_relations_of_one_model_are_read_side_by_side(server: FakeServer) -> None:
    """Two calls that wait for each other get through only together."""
    both = threading.Barrier(2, timeout=60)

    def answer(call: Call) -> Any:
        both.wait()
        return NotImplemented

    server.answers = {(m, "search_read"): answer for m in ("sale.order", "product.product")}
    odoo = server.connect()
    fields = ["order_id.name", "product_id.default_code"]
    assert search_read(odoo, "sale.order.line", [], fields)[0]["order_id.name"] == "S10"
