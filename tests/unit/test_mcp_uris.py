"""Addresses of resources: what they name, and what is refused before Odoo is asked."""

from __future__ import annotations

import contextlib
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odoo_toolkit.errors import ValidationError
from odoo_toolkit_mcp.resources.catalog import RESOURCES
from odoo_toolkit_mcp.resources.uris import DEFAULT_LIMIT, parse_uri

DOMAIN = [["name", "ilike", "A & B + C # 50%"], ["state", "=", "draft"]]


@pytest.mark.parametrize("uri", [resource.uri for resource in RESOURCES])
def test_listed_resources_are_known(uri: str) -> None:
    assert uri == f"odoo://{parse_uri(uri).kind}"


@pytest.mark.parametrize("part", ["fields", "methods", "states"])
def test_parts_of_a_model(part: str) -> None:
    uri = parse_uri(f"odoo://model/sale.order/{part}")

    assert (uri.kind, uri.model) == (f"model/{part}", "sale.order")


def test_one_record() -> None:
    uri = parse_uri("odoo://record/res.partner/42")

    assert (uri.kind, uri.model, uri.record_id) == ("record", "res.partner", 42)


@pytest.mark.parametrize(
    "query", ["", "?", "?domain=&limit=", "?limit=20", "?domain=[]", "?domain=%5B%5D"]
)
def test_list_of_all_records(query: str) -> None:
    """What is left out, or left empty by a template, has its default."""
    uri = parse_uri(f"odoo://record/res.partner{query}")

    assert (uri.kind, uri.domain, uri.limit) == ("records", [], DEFAULT_LIMIT)


@pytest.mark.parametrize("limit", [1, 20, 100])
def test_limit_within_the_bounds(limit: int) -> None:
    assert parse_uri(f"odoo://record/res.partner?limit={limit}").limit == limit


@pytest.mark.parametrize(
    "encoded",
    [quote(json.dumps(DOMAIN), safe=""), quote_plus(json.dumps(DOMAIN))],
    ids=["as in a template", "as in a form"],
)
def test_encoded_domain(encoded: str) -> None:
    assert parse_uri(f"odoo://record/sale.order?domain={encoded}&limit=10").domain == DOMAIN


def test_domain_as_it_is_written_by_hand() -> None:
    """Brackets, quotation marks and a plus may stand as they are."""
    uri = parse_uri('odoo://record/res.partner?domain=[["phone","=","+32 1"]]')

    assert uri.domain == [["phone", "=", "+32 1"]]


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("", "begins with odoo://"),
        ("http://example.com", "begins with odoo://"),
        ("file:///etc/passwd", "begins with odoo://"),
        ("ODOO://system/info", "begins with odoo://"),
        ("odoo://", "path of the address is malformed"),
        ("odoo:///", "path of the address is malformed"),
        ("odoo://system", "There is no such resource"),
        ("odoo://system/secrets", "There is no such resource"),
        ("odoo://system/info/", "path of the address is malformed"),
        ("odoo://system/info?x=1", "Only a list of records"),
        ("odoo://system/info#top", "fragment"),
        ("odoo://model/res.partner", "There is no such resource"),
        ("odoo://model/res.partner/records", "There is no such resource"),
        ("odoo://model/..%2f..%2fetc/fields", "path of the address is malformed"),
        ("odoo://model/%2e%2e/fields", "path of the address is malformed"),
        ("odoo://model/../record/res.partner/1", "path of the address is malformed"),
        ("odoo://model/res.partner%00/fields", "path of the address is malformed"),
        ("odoo://model/res%5cpartner/fields", "path of the address is malformed"),
        ("odoo://model/res.partner%252f..%252f/fields", "not the name of a model"),
        ("odoo://model/Res.Partner/fields", "not the name of a model"),
        ("odoo://model/res..partner/fields", "not the name of a model"),
        ("odoo://model/{model}/fields", "not the name of a model"),
        ("odoo://record/res.partner/0", "must be a whole number"),
        ("odoo://record/res.partner/-1", "must be a whole number"),
        ("odoo://record/res.partner/1.5", "must be a whole number"),
        ("odoo://record/res.partner/abc", "must be a whole number"),
        ("odoo://record/res.partner/²", "must be a whole number"),
        ("odoo://record/res.partner/99999999999", "must be a whole number"),
        ("odoo://record/res.partner/2147483648", "must be a whole number"),
        ("odoo://record/res.partner/1?limit=1", "Only a list of records"),
        ("odoo://record/res.partner/1/name", "There is no such resource"),
        ("odoo://record/res.partner?limit=0", "must be a whole number from 1 to 100"),
        ("odoo://record/res.partner?limit=101", "must be a whole number from 1 to 100"),
        ("odoo://record/res.partner?limit=x", "must be a whole number from 1 to 100"),
        ("odoo://record/res.partner?limit=1&limit=2", "given twice"),
        ("odoo://record/res.partner?fields=name", "only domain and limit"),
        ("odoo://record/res.partner?domain=name", "not a list in JSON"),
        ('odoo://record/res.partner?domain={"a":1}', "not a list in JSON"),
        ("odoo://record/res.partner?domain=[('name','=','x')]", "not a list in JSON"),
        ('odoo://record/res.partner?domain=["&",["a","=",1]]', "within a domain is written as %26"),
        ("odoo://record/res.partner?domain=%", "two hexadecimal digits"),
        ("odoo://record/res.partner?domain=%ff%fe", "not UTF-8"),
        ("odoo://record/res.partner?domain=" + "[" * 9000, "not a list in JSON"),
        ("odoo://record/res.partner?domain=" + "x" * 20_000, "longer than"),
    ],
)
def test_refused(uri: str, reason: str) -> None:
    with pytest.raises(ValidationError, match=reason) as refusal:
        parse_uri(uri)

    assert refusal.value.suggestion
    assert len(json.dumps(refusal.value.to_dict())) < 2000


@given(st.text())
def test_any_text_is_an_address_or_refused(text: str) -> None:
    """Nothing else is ever raised."""
    for uri in (text, f"odoo://{text}", f"odoo://record/res.partner?domain={text}"):
        with contextlib.suppress(ValidationError):
            assert parse_uri(uri).text == uri
