"""Values by field type, in both directions."""

import base64
import math
from collections.abc import Mapping
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odoo_toolkit.arguments import to_wire
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.fields import Field, parse_fields
from odoo_toolkit.values import ReadOptions, from_wire, iso_utc, utc_string
from odoo_toolkit.values.moments import day_string
from odoo_toolkit.values.plain import plain
from tests.unit.table_values import NA, NAT, Column, Moment, Scalar

STATES = [["draft", "Quotation"], ["sale", "Sales Order"], ["cancel", "Cancelled"]]
ORDER = parse_fields(
    {
        "id": {"type": "integer", "readonly": True},
        "name": {"type": "char"},
        "note": {"type": "html"},
        "terms": {"type": "text"},
        "active": {"type": "boolean"},
        "sequence": {"type": "integer"},
        "rate": {"type": "float"},
        "amount": {"type": "monetary"},
        "date_order": {"type": "datetime"},
        "validity_date": {"type": "date"},
        "state": {"type": "selection", "selection": STATES},
        "priority": {"type": "selection", "selection": []},
        "partner_id": {"type": "many2one", "relation": "res.partner"},
        "order_line": {"type": "one2many", "relation": "sale.order.line"},
        "tag_ids": {"type": "many2many", "relation": "crm.tag"},
        "document": {"type": "binary"},
        "source": {"type": "reference"},
        "res_id": {"type": "many2one_reference"},
        "distribution": {"type": "json"},
        "extra": {"type": "properties"},
        "display_name": {"type": "char", "readonly": True, "store": False},
        "create_date": {"type": "datetime", "readonly": True},
        "hidden_id": {"type": "many2one", "relation": "hidden.model"},
        "hidden_ids": {"type": "one2many", "relation": "hidden.model"},
    }
)
LINE = parse_fields(
    {
        "product_id": {"type": "many2one", "relation": "product.product"},
        "quantity": {"type": "float"},
        "date_planned": {"type": "datetime"},
        "state": {"type": "selection", "selection": STATES},
        "order_id": {"type": "many2one", "relation": "sale.order"},
        "child_ids": {"type": "one2many", "relation": "sale.order.line"},
    }
)
TAG = parse_fields({"name": {"type": "char"}})


def fields_of(model: str) -> Mapping[str, Field]:
    if model == "hidden.model":
        raise AccessError("not for you")
    return {"sale.order": ORDER, "sale.order.line": LINE, "crm.tag": TAG}[model]


def write(values: Any) -> dict[str, Any]:
    return to_wire(values, "sale.order", ORDER, fields_of=fields_of)


def refused(values: Any) -> OdooError:
    with pytest.raises(OdooError) as caught:
        write(values)
    return caught.value


# ---- Reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "wire", "read"),
    [
        ("name", False, ""),
        ("terms", False, ""),
        ("note", False, ""),
        ("validity_date", False, None),
        ("date_order", False, None),
        ("state", False, None),
        ("partner_id", False, None),
        ("document", False, None),
        ("source", False, None),
        ("active", False, False),
        ("active", True, True),
        ("sequence", 0, 0),
        ("rate", 0.0, 0.0),
        ("amount", 12.5, 12.5),
        ("order_line", [], []),
        ("order_line", [3, 4], [3, 4]),
        ("tag_ids", [{"id": 3, "name": "x"}], [{"id": 3, "name": "x"}]),
        ("partner_id", [7, "Azure"], {"id": 7, "name": "Azure"}),
        ("partner_id", 7, {"id": 7, "name": None}),
        ("res_id", 0, None),
        ("res_id", False, None),
        ("res_id", 9, 9),
        ("date_order", "2025-02-09 14:30:00", "2025-02-09T14:30:00Z"),
        # Odoo writes years without leading zeros.
        ("date_order", "999-02-09 14:30:00", "0999-02-09T14:30:00Z"),
        ("validity_date", "999-02-09", "0999-02-09"),
        ("validity_date", "1-01-01", "0001-01-01"),
        ("validity_date", "", ""),
        ("validity_date", "2025-02-09", "2025-02-09"),
        ("name", "2025-02-09 14:30:00", "2025-02-09 14:30:00"),
        ("note", "<p>Hello <b>you</b></p>", "Hello you"),
        ("terms", "a <b> c", "a <b> c"),
        ("extra", [{"value": [1, "y"]}], [{"value": [1, "y"]}]),
        ("__count", False, False),
        ("unknown", [1, "x"], [1, "x"]),
    ],
)
def test_a_value_is_read_by_the_type_of_its_field(field: str, wire: Any, read: Any) -> None:
    got = from_wire({field: wire}, ORDER)[field]
    assert got == read
    assert type(got) is type(read)


def test_html_and_many2one_are_left_alone_when_asked() -> None:
    options = ReadOptions(strip_html=False, normalize_many2one=False)
    row = {"note": "<p>x</p>", "partner_id": [7, "Azure"]}
    assert from_wire(row, ORDER, options) == row


# ---- Moments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "wire"),
    [
        ("2025-02-09T14:30:00Z", "2025-02-09 14:30:00"),
        ("2025-02-09T14:30:00.123456Z", "2025-02-09 14:30:00"),
        ("2025-02-09T14:30:00+02:00", "2025-02-09 12:30:00"),
        ("2025-02-09T14:30:00-0530", "2025-02-09 20:00:00"),
        ("2025-02-09T23:30-05", "2025-02-10 04:30:00"),
        ("2025-02-09 14:30:00", "2025-02-09 14:30:00"),
        ("2025-02-09T14:30", "2025-02-09 14:30:00"),
        ("2025-02-09", "2025-02-09 00:00:00"),
        (date(2025, 2, 9), "2025-02-09 00:00:00"),
        (datetime(2025, 2, 9, 14, 30, 0, 99), "2025-02-09 14:30:00"),  # noqa: DTZ001
        (
            datetime(2025, 2, 9, 14, 30, tzinfo=timezone(timedelta(hours=2))),
            "2025-02-09 12:30:00",
        ),
    ],
)
def test_every_iso_form_becomes_naive_utc(given: Any, wire: str) -> None:
    assert utc_string(given) == wire
    assert write({"date_order": given}) == {"date_order": wire}


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "soon",
        "2025-13-01",
        "2025-02-30",
        "25:00",
        "2025-02-09T25:00:00",
        "0001-01-01T00:00:00+05:00",
    ],
)
def test_what_is_no_moment_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        utc_string(bad)
    assert refused({"date_order": bad}).code == "VALUE_ERROR"


@given(st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1)))  # noqa: DTZ001
def test_a_moment_survives_the_round_trip(moment: datetime) -> None:
    wire = utc_string(moment)
    assert utc_string(iso_utc(wire)) == wire
    assert datetime.fromisoformat(wire) == moment.replace(microsecond=0)


# ---- Writing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "given", "wire"),
    [
        ("name", "x", "x"),
        ("name", None, False),
        ("name", False, False),
        ("sequence", 5, 5),
        ("sequence", 5.0, 5),
        ("sequence", None, False),
        ("rate", 1, 1.0),
        ("amount", 12.5, 12.5),
        ("active", False, False),
        ("active", True, True),
        ("validity_date", "2025-02-09", "2025-02-09"),
        ("validity_date", "2025-02-09T00:00:00Z", "2025-02-09"),
        ("validity_date", "2025-02-09T00:00:00+02:00", "2025-02-09"),
        ("validity_date", date(2025, 2, 9), "2025-02-09"),
        ("state", "sale", "sale"),
        ("state", None, False),
        ("priority", "anything", "anything"),
        ("partner_id", 7, 7),
        ("partner_id", {"id": 7, "name": "Azure"}, 7),
        ("partner_id", {"id": None}, False),
        ("partner_id", None, False),
        ("hidden_id", 7, 7),
        ("tag_ids", [3, 4], [[6, 0, [3, 4]]]),
        ("tag_ids", [], [[6, 0, []]]),
        ("tag_ids", None, [[6, 0, []]]),
        (
            "tag_ids",
            [[4, 3], (3, 4), [5], [6, 0, [1]]],
            [[4, 3, 0], [3, 4, 0], [5, 0, 0], [6, 0, [1]]],
        ),
        ("tag_ids", [[0, 0, {"name": "new"}]], [[0, 0, {"name": "new"}]]),
        ("tag_ids", [[0, "virtual_7", {"name": "new"}]], [[0, "virtual_7", {"name": "new"}]]),
        ("order_line", [], []),
        (
            "order_line",
            [[0, 0, {"product_id": {"id": 5}, "date_planned": "2025-02-09T10:00:00+02:00"}]],
            [[0, 0, {"product_id": 5, "date_planned": "2025-02-09 08:00:00"}]],
        ),
        ("order_line", ((1, 9, {"quantity": 2}), (2, 8)), [[1, 9, {"quantity": 2.0}], [2, 8, 0]]),
        ("document", b"\x00\xff", base64.b64encode(b"\x00\xff").decode()),
        ("document", "AP8=\n", "AP8="),
        ("source", "res.partner,7", "res.partner,7"),
        ("res_id", 9, 9),
        ("distribution", {"12": 100}, {"12": 100}),
        ("extra", [{"name": "a", "value": 7, "type": "integer"}], {"a": 7}),
        ("extra", {"a": 7}, {"a": 7}),
    ],
)
def test_a_value_is_written_as_odoo_takes_it(field: str, given: Any, wire: Any) -> None:
    assert write({field: given}) == {field: wire}


def test_the_bytes_of_a_file_are_not_written_where_odoo_would_not_decode_them() -> None:
    fields = parse_fields({"raw": {"type": "binary"}, "datas": {"type": "binary"}})
    for model, related in (("ir.attachment", ""), ("product.document", "ir_attachment_id.raw")):
        here = {name: attrs.evolve(field, related=(related,)) for name, field in fields.items()}
        described = here if related else fields
        assert to_wire({"datas": b"x"}, model, described, fields_of=fields_of) == {"datas": "eA=="}
        with pytest.raises(OdooError, match="stor") as caught:
            to_wire({"raw": b"x"}, model, described, fields_of=fields_of)
        assert "datas" in caught.value.suggestion


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("name", 5),
        ("name", True),
        ("name", "nul\x00"),
        ("name", "\ud800"),
        ("sequence", True),
        ("sequence", False),
        ("sequence", "5"),
        ("sequence", 5.5),
        ("sequence", 2**31),
        pytest.param("sequence", 10**5000, id="sequence-huge"),
        ("rate", math.nan),
        ("rate", math.inf),
        ("rate", "1.5"),
        ("rate", True),
        pytest.param("amount", 10**400, id="amount-huge"),
        ("active", 1),
        ("active", "false"),
        ("validity_date", "2025-02-09T10:00:00Z"),
        ("validity_date", "tomorrow"),
        ("validity_date", 20250209),
        ("date_order", 1739100000),
        ("partner_id", True),
        ("partner_id", 0),
        ("partner_id", -1),
        ("partner_id", "Azure"),
        ("partner_id", [7, "Azure"]),
        ("partner_id", {"name": "Azure"}),
        ("tag_ids", 3),
        ("tag_ids", "3"),
        ("tag_ids", [True]),
        ("tag_ids", [3, [4, 5]]),
        ("tag_ids", [[7, 0, 0]]),
        ("tag_ids", [[True, 3]]),
        ("tag_ids", [[4]]),
        ("tag_ids", [[4, "x"]]),
        ("tag_ids", [[4, 3, "dropped?"]]),
        ("tag_ids", [[6, 0, 3]]),
        ("tag_ids", [[0, 0]]),
        ("tag_ids", [[0, {"name": "x"}]]),
        ("order_line", None),
        ("order_line", [3, 4]),
        ("order_line", [{"quantity": 1}]),
        ("document", "not base64!"),
        ("document", "data:image/png;base64,AP8="),
        ("document", 5),
        ("source", "res.partner"),
        ("source", 7),
        ("distribution", {"a": math.nan}),
        ("distribution", object()),
    ],
)
def test_what_the_field_cannot_hold_is_refused_with_its_path(field: str, given: Any) -> None:
    error = refused({field: given})
    assert error.code == "VALUE_ERROR"
    assert error.details["field"].startswith(field)
    assert field in error.message
    assert error.suggestion


def test_all_unknown_fields_are_reported_at_once() -> None:
    error = refused({"name": "x", "partner": 7, "nmae": "x"})
    assert error.code == "INVALID_FIELD"
    assert error.details["fields"] == ["partner", "nmae"]
    assert error.details["did_you_mean"] == {"partner": ["partner_id"], "nmae": ["name"]}


@pytest.mark.parametrize(
    "name",
    ["id", "create_uid", "create_date", "write_uid", "write_date", "display_name", "__last_update"],
)
def test_fields_that_odoo_sets_itself_are_refused_not_dropped(name: str) -> None:
    error = refused({name: "x"})
    assert error.code == "INVALID_FIELD"
    assert error.details["field"] == name


def test_an_unknown_nested_field_names_its_model_and_place() -> None:
    error = refused({"order_line": [[0, 0, {"produkt_id": 5}]]})
    assert error.details["model"] == "sale.order.line"
    assert error.details["did_you_mean"] == ["product_id"]
    assert error.details["path"] == "order_line[0].produkt_id"
    assert "order_line[0]" in str(error)


def test_bare_objects_for_a_one2many_are_answered_with_the_command_form() -> None:
    assert "[[0, 0, {...}]" in refused({"order_line": [{"quantity": 1}]}).suggestion


def test_nesting_without_end_is_an_error_not_a_crash() -> None:
    values: dict[str, Any] = {"quantity": 1}
    for _ in range(5000):
        values = {"child_ids": [[0, 0, values]]}
    assert refused({"order_line": [[0, 0, values]]}).code == "VALUE_ERROR"


def test_nested_fields_that_cannot_be_had_raise_rather_than_pass_unchecked() -> None:
    assert isinstance(refused({"hidden_ids": [[0, 0, {"name": "x"}]]}), AccessError)


@pytest.mark.parametrize("values", [None, [], "x", 5])
def test_values_that_are_no_object_are_refused(values: Any) -> None:
    assert refused(values).code == "VALUE_ERROR"


# ---- Values of tables ---------------------------------------------------------------------------


class Level(IntEnum):
    """A whole number with a name."""

    HIGH = 3


class State(str, Enum):  # noqa: UP042 - not a StrEnum
    """A text with a name."""

    SALE = "sale"


@pytest.mark.parametrize(
    ("field", "given", "wire"),
    [
        ("name", Scalar("x", "U"), "x"),
        ("name", NA, False),
        ("name", math.nan, False),
        ("sequence", Scalar(5, "i"), 5),
        ("sequence", Scalar(5.0, "f"), 5),
        ("sequence", Decimal(5), 5),
        ("sequence", Level.HIGH, 3),
        ("sequence", NA, False),
        ("rate", Scalar(1.5, "f"), 1.5),
        ("amount", Decimal("12.5"), 12.5),
        ("active", Scalar(True, "b"), True),
        ("active", Scalar(False, "b"), False),
        ("validity_date", Moment("2025-02-09"), "2025-02-09"),
        ("validity_date", NAT, False),
        ("validity_date", math.nan, False),
        ("date_order", Moment("2025-02-09T14:30:00.000000000"), "2025-02-09 14:30:00"),
        ("date_order", Moment("NaT"), False),
        ("date_order", NAT, False),
        ("state", State.SALE, "sale"),
        ("partner_id", Scalar(7, "i"), 7),
        ("partner_id", 7.0, 7),
        ("partner_id", {"id": Scalar(7, "i")}, 7),
        ("partner_id", math.nan, False),
        ("tag_ids", Column([Scalar(3, "i"), 4.0]), [[6, 0, [3, 4]]]),
        ("tag_ids", range(3, 5), [[6, 0, [3, 4]]]),
        ("tag_ids", {3}, [[6, 0, [3]]]),
        ("tag_ids", [[6, 0, Column([Scalar(3, "i")])]], [[6, 0, [3]]]),
        (
            "order_line",
            [(0, 0, {"quantity": Decimal("1.5"), "product_id": Scalar(5, "i")})],
            [[0, 0, {"quantity": 1.5, "product_id": 5}]],
        ),
        ("distribution", {"7": Scalar(50.0, "f")}, {"7": 50.0}),
    ],
)
def test_what_data_people_hold_is_taken_for_what_it_means(
    field: str, given: Any, wire: Any
) -> None:
    got = write({field: given})[field]
    assert got == wire
    assert type(got) is type(wire)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("sequence", math.nan),
        ("sequence", Scalar(True, "b")),
        ("sequence", Scalar(1.5, "f")),
        ("rate", Decimal("NaN")),
        ("amount", Decimal("Infinity")),
        ("amount", Scalar(True, "b")),
        ("active", Scalar(1, "i")),
        ("name", Scalar(5, "i")),
        ("name", Column(["a"])),
        ("date_order", Scalar(3, "m")),
        ("date_order", Moment("2025-02")),
        ("partner_id", Scalar(True, "b")),
        ("partner_id", 7.5),
        ("tag_ids", Column([3, math.nan])),
        ("tag_ids", Column([True])),
    ],
)
def test_what_a_table_cannot_mean_is_refused(field: str, given: Any) -> None:
    assert refused({field: given}).code == "VALUE_ERROR"


@pytest.mark.parametrize("bad", [NAT, NA, None, 5, Scalar(3, "m"), Moment("NaT")])
def test_what_is_missing_is_no_moment(bad: Any) -> None:
    for function in (utc_string, day_string):
        with pytest.raises(ValueError, match="not a date"):
            function(bad)


def test_a_missing_number_is_answered_with_the_way_to_empty_the_field() -> None:
    assert "null" in refused({"rate": math.nan}).suggestion


def test_a_structure_without_end_is_left_to_who_refuses_it() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert isinstance(plain(loop), list)


def test_the_callers_values_are_not_changed() -> None:
    values = {"order_line": [[0, 0, {"quantity": 2, "date_planned": "2025-02-09T10:00:00Z"}]]}
    write(values)
    assert values == {
        "order_line": [[0, 0, {"quantity": 2, "date_planned": "2025-02-09T10:00:00Z"}]]
    }


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["2025-01-01", "sale", "res.partner,1", "AP8="]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*LINE, "id", "x"]), inner, max_size=3)
        | st.tuples(st.integers(0, 7), st.integers(0, 3), inner).map(list)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*ORDER, "bogus"]), JSON, min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_any_json_is_either_converted_whole_or_refused_as_an_odoo_error(
    values: dict[str, Any],
) -> None:
    try:
        wire = write(values)
    except OdooError:
        return
    assert set(wire) == set(values)


@given(st.dictionaries(st.sampled_from(list(ORDER)), JSON))
@settings(max_examples=200, deadline=None)
def test_reading_keeps_every_key_and_never_raises(row: dict[str, Any]) -> None:
    assert set(from_wire(row, ORDER)) == set(row)
