"""What descriptions, suggestions and guides say of Odoo is so, and their examples run."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from odoo_toolkit import (
    Odoo,
    OdooError,
    Policy,
    aggregate,
    connect,
    fields_get,
    read,
    search_read,
    upsert,
)
from odoo_toolkit import languages as translated
from odoo_toolkit.call import Call
from odoo_toolkit.client import Admitted
from odoo_toolkit.reports import list_reports
from odoo_toolkit_mcp.guides.domain_help import domain_help
from odoo_toolkit_mcp.resources.readers import several
from odoo_toolkit_mcp.resources.uris import parse_uri
from tests import odoo_names
from tests.descriptions import domains_in, guides, messages, server_texts, tool_texts, tools
from tests.live.servers import Server, credentials

pytestmark = pytest.mark.every_version

#: field that an example begins with -> the model that it is about; the first that fits.
ABOUT = (
    "sale.order",
    "res.partner",
    "account.move",
    "project.task",
    "product.product",
)


@pytest.fixture(scope="session")
def open_admin(server: Server) -> Iterator[Odoo]:
    """The administrator, without the lists of what is closed."""
    policy = Policy(protect=False)
    with connect(**credentials(server, server.user("admin")), policy=policy) as connection:
        yield connection


@functools.cache
def fields_of(odoo: Odoo, model: str) -> frozenset[str]:
    """Return the names of a model's fields; none where there is no such model."""
    try:
        return frozenset(fields_get(odoo, model, ["type"]).fields)
    except OdooError as error:
        if error.code != "UNKNOWN_MODEL":
            raise
        return frozenset()


def has_method(odoo: Odoo, model: str, method: str) -> bool:
    """Whether a model has a method; it is not run, for no method takes this argument."""
    call = Call(model=model, method=method, ids=(), arguments={"no_such_argument": 1})
    try:
        admitted = Admitted(call=call, asked=call, started=0.0, judged=call)
        odoo.send(admitted)  # the policy knows better
    except OdooError as error:
        return error.code != "UNKNOWN_METHOD"
    return True


def test_names_of_odoo_are_on_the_versions_that_they_are_said_to_be_on(open_admin: Odoo) -> None:
    wrong = []
    admin, major = open_admin, open_admin.version.major
    for model, versions in odoo_names.models().items():
        if bool(fields_of(admin, model)) != (major in versions):
            wrong.append(model)
    for model, name, versions in odoo_names.claims():
        if not fields_of(admin, model):
            continue
        there = name in fields_of(admin, model) or has_method(admin, model, name)
        if there != (major in versions):
            wrong.append(f"{model}.{name}")
    assert wrong == []


def test_names_that_have_changed_are_so_on_this_version(open_admin: Odoo) -> None:
    """The rows of the guide on versions that say which names became which."""
    major = open_admin.version.major
    text = next(guide.words for guide in guides() if guide.where == "docs/versions.md")
    row = re.compile(
        r"^\| `([\w.]+)`[^|]*\| (\d+) \| (`[^|]+`) -> (`[^|]+`|none) \| (\d+) \|$", re.MULTILINE
    )
    rows = row.findall(text)
    assert len(rows) > 8
    wrong = []
    for model, until, before, after, since in rows:
        names = {name: major <= int(until) for name in re.findall(r"`([^`]+)`", before)}
        names |= {name: major >= int(since) for name in re.findall(r"`([^`]+)`", after)}
        there = fields_of(open_admin, model)
        wrong += [f"{model}.{name}" for name, said in names.items() if (name in there) != said]
    assert wrong == []


def test_external_ids_and_reports_that_are_named_exist(admin: Odoo) -> None:
    for external_id in odoo_names.EXTERNAL_IDS:
        module, _, name = external_id.partition(".")
        domain = [["module", "=", module], ["name", "=", name]]
        assert search_read(admin, "ir.model.data", domain, ["id"]).count == 1, external_id
    for (report, versions), model in zip(
        odoo_names.reports().items(), odoo_names.REPORTS.values(), strict=True
    ):
        assert admin.version.major not in versions or report in [
            each.report_name for each in list_reports(admin, model).reports
        ]


def test_modules_that_are_named_exist(admin: Odoo) -> None:
    missing = [name for name in odoo_names.MODULES if not admin.schema.module_installed(name)]
    assert missing == []


def about(odoo: Odoo, domain: list[Any]) -> str:
    """Return a model that has the fields of a domain."""
    named = {item[0].partition(".")[0] for item in domain if isinstance(item, list)}
    return next((model for model in ABOUT if named <= fields_of(odoo, model)), f"none for {named}")


def test_examples_of_domains_find_without_an_error(admin: Odoo) -> None:
    words = [tool_texts()[0].words, domain_help(admin.version.major)]
    found = 0
    for domain in (each for text in words for each in domains_in(text)):
        filled = json.loads(json.dumps(domain).replace("<today>", "2025-02-09"))
        found += search_read(admin, about(admin, filled), filled, ["id"], limit=1).count
    assert found > 5


def test_examples_of_searching_run(admin: Odoo) -> None:
    """Order, context, dotted fields and all fields, as the descriptions of the arguments have."""
    told = _parameters("odoo_core_search_read")
    order = re.findall(r"'(.+?)'", told["order"])[0]
    context = _object(told["context"])
    dotted = re.findall(r"\((\w+\.\w+)\)", told["fields"])
    languages = [row["code"] for row in search_read(admin, "res.lang", [], ["code"])]
    assert set(context) == {"lang", "active_test"}
    context["lang"] = context["lang"] if context["lang"] in languages else languages[0]
    result = search_read(admin, "sale.order", [], dotted, limit=2, order=order, context=context)
    assert result.count == 2
    assert set(dotted) < set(result.records[0])
    assert len(read(admin, "res.partner", [1], ["*"]).records[0]) > 30
    # The default fields, where a model has no name.
    assert search_read(admin, "stock.quant", limit=1).count == 1


def _parameters(tool: str) -> dict[str, str]:
    found = tools()[tool].input_schema["properties"]
    return {name: schema.get("description", "") for name, schema in found.items()}


def _object(words: str) -> dict[str, Any]:
    text = words[words.index("{") : words.rindex("}") + 1]
    found: dict[str, Any] = json.loads(text.replace("'", '"'))
    return found


def test_examples_of_grouping_run(admin: Odoo) -> None:
    told = _parameters("odoo_core_aggregate")
    order = re.findall(r"'(.+?)'", told["order"])[0]
    having = domains_in(told["having"].removeprefix("E.g. ").rstrip("."))[0]
    path = re.findall(r"paths such as ([\w.]+\w)", told["groupby"])[0]
    periods = re.findall(r"date:([\w|]+)", told["groupby"])[0].split("|")
    functions = re.findall(r"field:([\w|]+)", told["measures"])[0].split("|")
    measures = [f"amount_total:{function}" for function in functions]
    found = aggregate(admin, "sale.order", [], [path], measures, order=order, having=having)
    assert found.count > 0
    assert set(measures) < set(found.records[0])
    for period in periods:
        assert aggregate(admin, "sale.order", [], [f"date_order:{period}"]).count > 0


def test_columns_of_an_import_run(admin: Odoo, suffix: str) -> None:
    told = _parameters("odoo_core_import")
    columns = re.findall(r"(\w+/\w+)", told["rows"])
    assert columns == ["country_id/code", "country_id/id"]
    for column, value in zip(columns, ("BE", "base.be"), strict=True):
        row = {"name": f"Described {suffix}", column: value}
        assert upsert(admin, "res.partner", [row], key="name", dry_run=True).created == 1


def test_examples_of_translations_run(admin: Odoo) -> None:
    told = _object(_parameters("odoo_core_translate")["translations"])
    languages = {row["code"] for row in search_read(admin, "res.lang", [], ["code"])}
    product = search_read(admin, "product.template", limit=1).records[0]["id"]
    if not set(told["name"]) <= languages:
        told = {"name": dict.fromkeys(languages, "Chaise")}
    plan = translated.translate(admin, "product.template", product, translations=told, dry_run=True)
    assert [call.method for call in plan.calls]


def test_examples_of_resources_are_read(admin: Odoo) -> None:
    pattern = re.compile(r"odoo://record/[\w.]+\?domain=\[\[.*?\]\]&limit=\d+")
    found = [address for said in server_texts() for address in pattern.findall(said.words)]
    assert found
    for address in found:
        assert several(admin, parse_uri(address))


def named_models() -> Iterator[str]:
    """Yield the models that suggestions send somebody to."""
    pattern = re.compile(r"\b(?:search_read|write|execute \w+|read) on ([a-z_]+\.[a-z_.]*[a-z_])")
    for said in (*messages(), *tool_texts(), *server_texts(), *guides()):
        yield from pattern.findall(said.words)


def test_models_that_suggestions_lead_to_exist(open_admin: Odoo) -> None:
    named = set(named_models())
    assert len(named) > 5
    assert [model for model in named if not fields_of(open_admin, model)] == []
