"""A plugin as a TOML file: what is wrong with one, and what its tools do."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from odoo_toolkit import Odoo
from odoo_toolkit.configuration import load as load_settings
from odoo_toolkit.errors import AccessError, NotFoundError, StateError, ValidationError, make_error
from odoo_toolkit.plans import Plan
from odoo_toolkit.plugins import load
from odoo_toolkit_mcp.plugins import served
from odoo_toolkit_mcp.settings import ServerSettings, policy_of
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import ToolTable
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from odoo_toolkit_mcp.toolsets.registry import ToolsetRegistry
from tests.rental.installed import FILE
from tests.rental.memory import connection, written

TEXT = FILE.read_text("utf-8")


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    yield
    load()


def table_of(
    odoo: Odoo, file: Path = FILE, mode: str = "full", **settings: Any
) -> tuple[ToolTable, str | None]:
    """Return the tools of a server with a file, and why those of the file are missing."""
    found, problems = load_settings(ServerSettings, {"mode": mode, **settings}, environ={})
    assert found, problems
    table = ToolTable(found)
    added = served(load(files=[file]), ALL_TOOLSETS)
    registry = ToolsetRegistry(found, [CoreToolset, *added.toolsets], added.refused)
    last = registry.discover_and_register(table, odoo).results[-1]
    return table, last.error


class Calls:
    """The tools of the file, by what they are called without the beginning."""

    def __init__(self, mode: str = "full", version: int = 19, **settings: Any) -> None:
        found, problems = load_settings(ServerSettings, {"mode": mode, **settings}, environ={})
        assert found, problems
        self.odoo, self.server = connection(policy_of(found), version)
        self.table, why = table_of(self.odoo, mode=mode, **settings)
        assert why is None, why

    def __call__(self, name: str, /, **arguments: Any) -> Any:
        tools = {**self.table.tools, **self.table.hidden}
        tool = tools[f"odoo_rental_{name}"]
        return tool.function(self.odoo, **tool.check(arguments))

    def sent(self) -> list[str]:
        return written(self.server)


# What is wrong -----------------------------------------------------------------------------------


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """Write the file with a change."""
    assert old in TEXT, difflib.get_close_matches(old, TEXT.splitlines(), n=1)
    file = tmp_path / "rental.toml"
    file.write_text(TEXT.replace(old, new, 1), "utf-8")
    return file


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[plugin]", "[plugin", "It is not TOML"),
        ("[plugin]", "[plugins]", "the file has the unknown key 'plugins'. Did you mean plugin?"),
        ('name = "rental"\n', "", "[plugin]: name is missing."),
        ('name = "rental"\n', 'name = "sales"\n', "toolset or an area of the toolkit"),
        ('toolkit = "0.1"', 'toolkit = "9.9"', "written for version 9.9"),
        ('module = "rental"', 'modul = "rental"', "unknown key 'modul'. Did you mean module?"),
        ('module = "rental"', "", "[plugin]: module is missing."),
        ('module = "rental"', 'module = "rental"\nmin_odoo = "x"', "min_odoo must be a version"),
        ('reads = ["res.partner"]', 'reads = ["ir.config_parameter"]', "blocked in every mode"),
        ('reads = ["res.partner"]', "reads = 3", "reads must be a list of names"),
        ('model = "rental.contract"', 'model = "ir.cron"', "ir.cron, which is blocked in every"),
        ('model = "rental.contract"', 'model = "res.users"', "must not change res.users"),
        (
            'model = "rental.contract"',
            'model = "Rental"',
            "[models.contract]: model cannot be 'Rental'",
        ),
        (
            'model = "rental.contract"',
            'model = "rental.equipment"',
            "'rental.equipment' is listed twice",
        ),
        ("[models.contract]", "[models.Contract]", "a name must consist of lower-case letters"),
        ('create = ["partner_id"', 'creates = ["partner_id"', "Did you mean create?"),
        ('create = ["partner_id"', 'create = ["partner_id", "a b"', "'a b', which is not a name"),
        ('create = ["partner_id"', 'create = ["dry_run", "partner_id"', "name as an argument"),
        ('create = ["partner_id"', 'create = ["contract_name", "x"', "Choose another name for"),
        ('filter = ["state"', 'filter = ["state", "state"', "is listed twice"),
        ('method = "action_confirm"', 'method = "sudo"', "must not call sudo"),
        ('method = "action_confirm"', 'method = "_write"', "must not call _write"),
        ('method = "action_confirm"', 'method = "generate_access_token"', "always closed"),
        ('method = "action_confirm"', 'method = "a.b()"', "is not the name of a method"),
        ('to = ["confirmed"]', "", "to must list the states that the button leads to"),
        ('undo = "reset"', 'undo = "purge"', "undo is 'purge', which is not another button"),
        ("ask = true", "ask = 1", "ask must be true or false"),
        ("[models.contract.buttons.confirm]", "[models.contract.buttons.create]", "must not be"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    loaded = load(files=[changed(tmp_path, old, new)])

    assert not loaded.plugins
    assert said in loaded.refused[0].reason


def test_a_file_that_is_not_there_or_too_large_is_told(tmp_path: Path) -> None:
    large = tmp_path / "large.toml"
    large.write_text("#" * 300_000)
    loaded = load(files=[tmp_path / "none.toml", large, tmp_path])

    said = [one.reason for one in loaded.refused]
    assert "It cannot be read: No such file" in said[0]
    assert "larger than" in said[1]
    assert "It cannot be read" in said[2]


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text('[plugin]\nname = "x"\n[models.a]\nmodel = 3\n')
    said = load(files=[file]).refused[0].reason

    for part in (
        "description is missing",
        "module is missing",
        "model cannot be 3",
        "fields must list",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('model = "rental.equipment"', 'model = "rental.equipmnt"', "There is no model rental.eq"),
        ('"date_end", "price"', '"date_edn", "price"', "Did you mean date_end?"),
        ('update = ["date_end"', 'update = ["price"', "price, but Odoo lets no user set it"),
        ('update = ["date_end"', 'update = ["line_ids"', "A one2many field is not possible there"),
        ('update = ["date_end"', 'update = ["access_token"', "access_token, which rental.contract"),
        ('to = ["confirmed"]', 'to = ["confirmd"]', "'confirmd' is not a state of rental.contract"),
        (
            'search = ["name"]\n',
            'search = ["name"]\nstate = "name"\n',
            "A char field is not possible",
        ),
        ('"action_confirm"', '"action_purge"', "has no button that calls action_purge. It has act"),
    ],
)
@pytest.mark.parametrize("version", [14, 19])
def test_what_this_odoo_has_not_is_said_and_all_other_tools_are_there(
    tmp_path: Path, old: str, new: str, said: str, version: int
) -> None:
    odoo, server = connection(version=version)

    table, why = table_of(odoo, changed(tmp_path, old, new))

    assert said in (why or "")
    assert not [name for name in table.tools if name.startswith("odoo_rental_")]
    assert "odoo_core_search_read" in table.tools
    assert written(server) == []


# What its tools do -------------------------------------------------------------------------------


def test_the_tools_are_those_of_the_file_in_each_mode() -> None:
    reading = {"get_contract", "list_contracts", "get_equipment", "list_equipment"}
    for mode, more in (
        ("readonly", set[str]()),
        ("full", {"create_contract", "hand_over_contract"}),
    ):
        tools = Calls(mode).table.tools
        mine = {name.removeprefix("odoo_rental_") for name in tools if "_rental_" in name}

        assert mine >= reading | more
        assert (mine == reading) == (mode == "readonly")


def test_hints_and_schemas_are_those_of_ours() -> None:
    tools = Calls().table.tools
    assert tools["odoo_rental_get_contract"].hints("full").read_only
    press = tools["odoo_rental_hand_over_contract"]
    assert not press.hints("full").read_only
    assert (press.asks, tools["odoo_rental_confirm_contract"].asks) == ("always", "destroying")
    for name, tool in tools.items():
        if "_rental_" in name:
            Draft202012Validator.check_schema(tool.input_schema)
            Draft202012Validator.check_schema(tool.output_schema)
            assert len(tool.description) <= 1000
    made = tools["odoo_rental_create_contract"].input_schema["properties"]
    assert {"partner_id", "partner_name", "equipment_name", "dry_run", "idempotency_key"} <= set(
        made
    )
    listing = tools["odoo_rental_list_contracts"].input_schema["properties"]
    assert listing["state"]["enum"] == ["draft", "confirmed", "out", "returned", "cancelled"]
    assert {"date_end_from", "date_end_to"} <= set(listing)


def test_a_record_is_got_by_name_and_what_is_empty_is_none() -> None:
    got = Calls()("get_contract", contract_name="RENT/0001")

    assert (got.id, got.partner.name, got.date_end, got.price) == (1, "Azure Interior", None, 12.5)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"state": "draft"}, [1]),
        ({"state": "out"}, []),
        ({"partner_name": "Azure Interior"}, [1]),
        ({"date_end_from": "2026-01-01"}, []),
        ({}, [1]),
    ],
)
def test_a_list_is_narrowed(given: dict[str, Any], found: list[int]) -> None:
    listed = Calls()("list_contracts", **given)

    assert [row["id"] for row in listed.records] == found


@pytest.mark.parametrize(
    ("given", "found"),
    [({"name": "ril"}, [1]), ({"daily_price_from": 13}, []), ({"daily_price_to": 13}, [1])],
)
def test_a_list_is_narrowed_by_parts_and_bounds(given: dict[str, Any], found: list[int]) -> None:
    assert [row["id"] for row in Calls()("list_equipment", **given).records] == found


def test_a_wrong_argument_is_named() -> None:
    call = Calls()
    with pytest.raises(ValidationError, match="state"):
        call("list_contracts", state="lost")
    with pytest.raises(ValidationError, match="date_end_to is not a date"):
        call("list_contracts", date_end_to="soon")
    with pytest.raises(ValidationError, match="Pass either partner_id or partner_name"):
        call("create_contract", partner_id=9, partner_name="x")
    with pytest.raises(NotFoundError):
        call("create_contract", partner_name="Nobody")
    with pytest.raises(ValidationError, match="There is nothing to change"):
        call("update_contract", contract_id=1)
    assert call.sent() == []


def test_a_record_is_created_with_names_looked_up() -> None:
    call = Calls()
    made = call(
        "create_contract",
        partner_name="Azure Interior",
        equipment_name="Drill",
        date_start="2026-11-02",
    )

    assert made.partner.name == "Azure Interior"
    assert call.server.records["rental.contract"][-1]["equipment_id"] == 1
    made = call("create_equipment", name="Bit", note="a < b", accessory_ids=["Drill"])
    assert (made.note, made.accessory_ids) == ("a < b", [1])


def test_a_button_is_pressed_in_its_states_only() -> None:
    call = Calls()
    with pytest.raises(StateError, match="RENT/0001 is draft: hand_over is for confirmed"):
        call("hand_over_contract", contract_id=1)
    assert call.sent() == []

    assert call("confirm_contract", contract_id=1).state == "confirmed"
    again = call("confirm_contract", contract_id=1)

    assert again.message == "RENT/0001 is already confirmed."
    assert call.sent() == ["rental.contract.action_confirm"]


def test_a_plan_tells_what_would_be_sent_and_what_could_be_taken_back() -> None:
    for mode in ("readonly", "full"):
        call = Calls(mode)
        plans = {
            name: call(name, dry_run=True, **given)
            for name, given in {
                "create_contract": {"partner_id": 9, "equipment_id": 1},
                "update_contract": {"contract_id": 1, "damage": "x"},
                "confirm_contract": {"contract_id": 1},
                "cancel_contract": {"contract_id": 1},
            }.items()
        }
        assert all(isinstance(plan, Plan) for plan in plans.values())
        assert call.sent() == []
        # The person takes it back, whatever the file may do.
        assert plans["create_contract"].undo.possible == "full"
        assert plans["confirm_contract"].undo.actions == [
            "The record of rental.contract would be draft again."
        ]
        assert bool(plans["confirm_contract"].needs) == (mode == "readonly")


@pytest.mark.parametrize("allowed", ["rental.contract", "res.partner"])
def test_restricted_mode_writes_the_models_on_its_list(allowed: str) -> None:
    call = Calls("restricted", write_allowlist=[allowed])
    if allowed == "rental.contract":
        assert call("confirm_contract", contract_id=1).state == "confirmed"
        assert call("update_contract", contract_id=1, damage="x").id == 1
        assert call("create_contract", partner_id=9, equipment_id=1).state is None
    with pytest.raises(AccessError):
        call("create_equipment", name="x")
    with pytest.raises(AccessError):
        call("confirm_contract", contract_id=1) if allowed == "res.partner" else call(
            "update_equipment", equipment_id=1, name="x"
        )


def test_a_model_that_is_closed_here_has_no_tools() -> None:
    closed = {"model_blocklist": ["rental.equipment"]}
    found, _ = load_settings(ServerSettings, closed, environ={})
    assert found
    odoo, _ = connection(policy_of(found))

    _, why = table_of(odoo, mode="readonly", **closed)

    assert "equipment_id, which rental.contract does not have, or which is blocked" in (why or "")
    assert "rental.equipment cannot be accessed" in (why or "")


def test_a_file_about_a_model_of_ours_adds_buttons_and_no_facts(tmp_path: Path) -> None:
    text = TEXT.replace('"rental.equipment"', '"sale.order"', 1)
    file = tmp_path / "rental.toml"
    file.write_text(text)

    loaded = load(files=[file])

    assert loaded.refused == ()
    assert [model.name for model in loaded.plugins[0].models] == ["rental.contract"]


def test_only_what_the_file_names_is_declared() -> None:
    declared = load(files=[FILE]).plugins[0].declared

    assert declared.reads == ("res.partner",)
    assert dict(declared.steps) == {
        "rental.contract": (
            *("create", "write", "action_confirm", "action_hand_over", "action_cancel"),
            "action_draft",
        ),
        "rental.equipment": ("create", "write"),
    }


def test_names_are_not_looked_up_in_models_that_are_not_read(tmp_path: Path) -> None:
    odoo, _ = connection()
    table, why = table_of(odoo, changed(tmp_path, 'reads = ["res.partner"]', ""))

    assert why is None
    made = table.tools["odoo_rental_create_contract"].input_schema["properties"]
    assert "partner_id" in made
    assert "partner_name" not in made


def test_a_module_that_is_not_installed_leaves_its_tools_out() -> None:
    """Ordinary users of 14 and 15 are not told which modules there are: by its model it is seen."""
    odoo, server = connection()
    server.answers["rental.contract", "fields_get"] = make_error("UNKNOWN_MODEL", "There is none.")

    table, _ = table_of(odoo)

    result = table.report.results[-1]
    assert (result.status, result.skip_reason) == (
        "skipped",
        "module 'rental' is not installed, or not open to this user",
    )
