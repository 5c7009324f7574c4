"""The examples in descriptions are accepted; ``tests/live/test_descriptions.py`` runs them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from odoo_toolkit import run_queries, search_read
from odoo_toolkit.testing import FakeServer
from odoo_toolkit_mcp.guides.domain_help import domain_help
from tests.descriptions import Said, domains_in, tool_texts, tools

pytestmark = pytest.mark.lint

#: What the examples of domains are about, as Odoo describes it; ``x`` stands for any model.
EXAMPLE_FIELDS: dict[str, Any] = {
    "active": "boolean",
    "amount_total": "float",
    "categ_id": "many2one x",
    "category_id": "many2many x",
    "code": "char",
    "company_id": "many2one x",
    "country_id": "many2one x",
    "create_date": "datetime",
    "customer_rank": "integer",
    "date_deadline": "date",
    "date_order": "datetime",
    "display_name": "char",
    "email": "char",
    "invoice_date": "date",
    "name": "char",
    "order_line": "one2many x order_id",
    "order_id": "many2one x",
    "partner_id": "many2one x",
    "phone": "char",
    "price_unit": "float",
    "product_id": "many2one x",
    "ref": "char",
    "state": {
        "type": "selection",
        "selection": [["draft", "Quotation"], ["sent", "Sent"], ["sale", "Order"]],
    },
    "tag_ids": "many2many x",
    "user_id": "many2one x",
}


@pytest.mark.parametrize("version", [14, 17, 19])
def test_examples_of_domains_are_accepted(version: int) -> None:
    told = [tool_texts()[0], Said("", domain_help(version))]
    examples = [domain for said in told for domain in domains_in(said.words)]
    server = FakeServer({"x": EXAMPLE_FIELDS}, version=version)
    server.answers["x", "search_read"] = []
    odoo = server.connect()
    for domain in examples:
        search_read(odoo, "x", _filled(domain), ["name"])
    assert len(examples) > 30
    assert len(server.asked("search_read")) == len(examples)


def _filled(domain: list[Any]) -> list[Any]:
    text = json.dumps(domain).replace("<today>", "2025-02-09").replace("<me>", "2")
    filled: list[Any] = json.loads(text)
    return filled


def test_what_queries_are_said_to_take_is_taken() -> None:
    words = tools()["odoo_core_run_queries"].input_schema["properties"]["queries"]["description"]
    named = re.findall(r"'(\w+)'", words.partition("}")[0])
    values = {"model": "x", "domain": [], "fields": ["name"], "limit": 1, "offset": 0}
    server = FakeServer({"x": EXAMPLE_FIELDS}, records={"x": []})
    asked = [
        {name: values.get(name, "name") for name in named},
        {"model": "x", "domain": [], "count": True},
    ]
    answers = run_queries(server.connect(), asked)
    assert len(named) == 6
    assert [answer.error for answer in answers.answers] == [None, None]
