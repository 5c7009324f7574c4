"""What a name in Odoo holds does not act on the terminal or page of whoever looks at it."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from odoo_toolkit.cli.output import as_json, print_rows, print_text, print_value, say
from odoo_toolkit.display.results import as_html, as_text, html_table
from odoo_toolkit.display.visible_text import ACTING, in_one_line, visible
from odoo_toolkit.doctor.diagnosis import Diagnosis, Step
from odoo_toolkit.errors import OdooError
from odoo_toolkit.notebook.models import Model
from odoo_toolkit.plans import Plan, PlannedCall
from odoo_toolkit.testing import FakeServer
from odoo_toolkit_mcp.logs import WithoutSecrets

#: What acts: a cleared screen, a title, a link, an 8-bit escape, an overwritten line, a turned
#: direction, line ends that not all programs take for one, a bell, and half a character.
ATTACKS = {
    "clear": "\x1b[2J\x1b[H",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "8 bit": "\x9b2J",
    "device": "\x1bP+q544e\x1b\\",
    "overwrite": "unpaid\rpaid  ",
    "backspace": "bad\b\b\bgood",
    "turned": "invoice\u202efdp.exe",
    "isolated": "\u2066a\u2067b\u2069",
    "marks": "\u200e\u200f\u061c",
    "line ends": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "null": "a\x00b\x7f",
    "half": "a\ud800b",
}
_ACTS = re.compile(f"[{ACTING}\ud800-\udfff]")


@pytest.fixture(params=ATTACKS)
def attack(request: pytest.FixtureRequest) -> str:
    return ATTACKS[request.param]


def plan(text: str) -> Plan:
    call = PlannedCall(model="a.b", method="write", ids=[text], arguments={"vals": {"name": text}})
    return Plan(dry_run=True, message=f"Would change {text}.", needs=text, calls=[call])


def rows(text: str) -> Any:
    records = [{"id": 1, "name": text, text: [[1, text]], "partner_id": {"id": 1, "name": text}}]
    server = FakeServer({"res.partner": {"name": "char"}}, records={"res.partner": []})
    found = server.connect()["res.partner"].search([], ["name"])
    found.records.extend(records)
    return found


def error(text: str) -> OdooError:
    return OdooError(f"{text} is archived.", suggestion=f"Restore {text}.", details={"x": text})


def diagnosis(text: str) -> Diagnosis:
    step = Step(status="problem", name="login", meaning=text, advice=text, details=[{"a": text}])
    return Diagnosis(steps=[step])


SHOWN: dict[str, Callable[[str], str]] = {
    "repr of a plan": lambda text: repr(plan(text)),
    "a plan": lambda text: as_text(plan(text)),
    "a plan as html": lambda text: unescape(as_html(plan(text))),
    "a call": lambda text: repr(plan(text).calls[0]),
    "repr of records": lambda text: repr(rows(text)),
    "records": lambda text: as_text(rows(text)),
    "records as html": lambda text: unescape(as_html(rows(text))),
    "a table": lambda text: unescape(html_table([{"name": text, text: 1}])),
    "an error": lambda text: str(error(text)),
    "repr of an error": lambda text: repr(error(text)),
    "an error in a notebook": lambda text: "\n".join(error(text)._render_traceback_()),
    "a diagnosis": lambda text: str(diagnosis(text)),
    "JSON": lambda text: as_json({"name": text, text: 1}, indent=2),
}


@pytest.mark.parametrize("way", SHOWN)
def test_nothing_that_acts_is_shown(way: str, attack: str) -> None:
    shown = SHOWN[way](attack)
    assert _ACTS.findall(shown) == []


def test_data_stays_as_it_is(attack: str) -> None:
    assert error(attack).message == f"{attack} is archived."
    assert rows(attack).records[0]["name"] == attack


def test_names_in_any_script_are_shown_as_they_are() -> None:
    # A joiner within a word or an emoji turns nothing around.
    for name in ("Ünal & Söhne", "株式会社", "علی\u200cرضا", "👩\u200d💻", "a\tb\nc"):
        assert visible(name) == name
    assert in_one_line("a\nb\tc") == "a\\nb\\tc"
    assert visible("\x1b[2J\u202e") == "\\x1b[2J\\u202e"


@pytest.mark.parametrize("printed", ["say", "text", "value", "table", "json", "csv"])
def test_the_command_prints_nothing_that_acts_on_a_terminal(
    printed: str, attack: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    text = attack.replace("\ud800", "")  # the command's streams replace it by themselves
    row = {"id": 1, "name": text, "partner_id": {"id": 1, "name": text}}
    prints: dict[str, Callable[[], Any]] = {
        "say": lambda: say(text),
        "text": lambda: print_text(text),
        "value": lambda: print_value(text),
        "table": lambda: print_rows([row], form="table"),
        "json": lambda: print_rows([row], form="json"),
        "csv": lambda: print_rows([row], form="csv"),
    }
    prints[printed]()
    told = capsys.readouterr()
    # Rich writes escapes of its own for the heading of a table.
    shown = re.sub(r"\x1b\[\d*m", "", told.out + told.err)
    assert _ACTS.findall(shown) == []


def test_a_line_of_the_log_is_one_line(attack: str) -> None:
    text = f"{attack}\n2026-01-01 INFO all is well"
    record = logging.LogRecord("a", logging.WARNING, "", 1, "%s", (text,), None)
    line = WithoutSecrets([]).format(record)
    assert _ACTS.findall(line) == []
    assert "\n" not in line


def test_a_label_of_a_model_does_not_act(attack: str) -> None:
    names = [{"model": "res.partner", "name": attack}]
    server = FakeServer(
        {"res.partner": {"name": "char"}},
        records={"res.partner": []},
        answers={("ir.model", "search_read"): names},
    )
    model: Model = server.connect()["res.partner"]
    assert _ACTS.findall(model._repr_html_()) == []
