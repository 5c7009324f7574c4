"""Plugins: admitted by name, checked before anything of them is used, and told when they are not.

What they send is judged in ``test_plugin_bounds.py``; TOML files are in ``test_plugin_files.py``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit import app_models
from odoo_toolkit.app_models import AppModel, Block, Opposite, known
from odoo_toolkit.installation import version
from odoo_toolkit.plugins import Declared, Plugin, PluginPrompt, load
from odoo_toolkit.plugins.claims import RESERVED, problems_of, toolset_problems
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.wizards import KnownWizard, known_wizard
from odoo_toolkit_mcp.tool_groups import area_of
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata
from tests.rental.installed import FILE, install, install_rental

CONTRACT = "rental.contract"
PLAIN = Plugin(
    name="rental",
    description="Rent equipment out",
    toolkit="0.1",
    declared=Declared(reads="res.partner", steps={CONTRACT: "create write action_confirm"}),
    models=(AppModel(CONTRACT),),
)


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    """What a test puts to use is taken away after it."""
    yield
    load()


def declaring(**declared: Any) -> Plugin:
    return attrs.evolve(PLAIN, models=(), declared=Declared(**declared))


def telling(*models: Any) -> Plugin:
    return attrs.evolve(PLAIN, models=models)


def wizard(**facts: Any) -> Plugin:
    told = {
        "model": "rental.return",
        "description": "Asks.",
        "source_model": CONTRACT,
        "action_method": "action_done",
        "fields": {},
        "context_keys": (),
    }
    declared = Declared(steps={CONTRACT: "create"}, wizards={"rental.return": "action_done"})
    wizards = (KnownWizard(**{**told, **facts}),)
    return attrs.evolve(PLAIN, models=(), declared=declared, wizards=wizards)


def prompt(name: str) -> Plugin:
    made = PluginPrompt(name=name, title="x", description="x", text=lambda odoo: "x")
    return attrs.evolve(PLAIN, prompts=(made,))


#: What is wrong -> the plugin, and what is said of it.
WRONG: dict[str, tuple[object, str]] = {
    "no plugin": (ALL_TOOLSETS, "is a list, not an odoo_toolkit Plugin"),
    "no declaration": (attrs.evolve(PLAIN, declared=None), "declares nothing"),
    "a toolset's name": (attrs.evolve(PLAIN, name="sales"), "toolset or an area of the toolkit"),
    "an area's name": (attrs.evolve(PLAIN, name="people"), "toolset or an area of the toolkit"),
    "no name": (attrs.evolve(PLAIN, name="Rental-1"), "lower-case letters and digits"),
    "another name": (attrs.evolve(PLAIN, name="hire"), "was enabled as 'rental'"),
    "an older toolkit": (attrs.evolve(PLAIN, toolkit="0.0"), "written for version 0.0 of"),
    "a newer toolkit": (attrs.evolve(PLAIN, toolkit="0.2"), "written for version 0.2 of"),
    "no version": (attrs.evolve(PLAIN, toolkit="new"), "toolkit must be a version such as '0.1'"),
    "secrets": (declaring(reads="ir.config_parameter"), "ir.config_parameter, which is blocked in"),
    "code": (declaring(steps={"ir.cron": "create"}), "ir.cron, which is blocked in every mode"),
    "users": (declaring(steps={"res.users": "write"}), "must not change res.users"),
    "views": (declaring(steps={"ir.ui.view": "write"}), "must not change ir.ui.view"),
    "templates": (declaring(steps={"mail.template": "write"}), "must not change mail.template"),
    "messages": (declaring(steps={"mail.compose.message": "create"}), "must not change mail.comp"),
    "languages": (declaring(steps={"base.language.install": "create"}), "must not change base.lan"),
    "tokens": (declaring(steps={CONTRACT: "generate_access_token"}), "which is always closed"),
    "other eyes": (declaring(steps={CONTRACT: "sudo"}), "must not call sudo"),
    "private methods": (declaring(steps={CONTRACT: "_write"}), "must not call _write"),
    "another case": (declaring(steps={CONTRACT: "Generate_Access_Token"}), "always closed"),
    "no method": (declaring(steps={CONTRACT: ["a b"]}), "is not the name of a method"),
    "no model": (declaring(reads=["Rental"]), "is not the name of a model"),
    "a closed wizard": (declaring(wizards={"res.config.settings": "execute"}), "blocked in every"),
    "a wizard's token": (declaring(wizards={"rental.return": "get_share_url"}), "always closed"),
    "our facts": (
        telling(AppModel("sale.order")),
        "The toolkit's sales already describes sale.order",
    ),
    "our module": (
        telling(AppModel(CONTRACT, module="sale")),
        "The toolkit's sales tells whether the module sale is installed",
    ),
    "no facts": (telling("sale.order"), "models has a str, not an AppModel"),
    "facts of what it does not read": (telling(AppModel("x.y")), "does not declare that it reads"),
    "no wizard": (telling(AppModel(CONTRACT, is_wizard=True)), "does not declare it as one"),
    "undo by what it does not do": (
        telling(AppModel(CONTRACT, opposites=(Opposite("action_confirm", "action_purge"),))),
        "is action_purge, which is not a declared step of rental.contract",
    ),
    "undo by nothing": (
        telling(AppModel(CONTRACT, opposites=(Opposite("action_confirm"),))),
        "The opposite of rental.contract.action_confirm is empty",
    ),
    "undo by a function": (
        telling(AppModel(CONTRACT, opposites=(Opposite("action_confirm", "looked_up"),))),
        "is looked_up, which is not a declared step",
    ),
    "undo elsewhere": (
        telling(AppModel(CONTRACT, opposites=(Opposite("x", keeps="name", of="res.users"),))),
        "writes res.users, which is not a declared step",
    ),
    "undo in another context": (
        telling(AppModel(CONTRACT, opposites=(Opposite("x", context="install_mode"),))),
        "has a context",
    ),
    "undo that looks elsewhere": (
        telling(
            AppModel(CONTRACT, opposites=(Opposite("x", unless=(Block("res.users", (), "x"),)),))
        ),
        "is about res.users, which is not declared",
    ),
    "our wizard": (
        wizard(model="account.payment.register"),
        "The toolkit already describes the wizard",
    ),
    "a button it does not press": (
        wizard(alternative_actions={"action_other": "x"}),
        "The button action_other of the wizard rental.return is not declared",
    ),
    "a wizard of others": (wizard(source_model="sale.order"), "about sale.order, which is not"),
    "our prompt": (
        prompt("odoo_overview"),
        "must begin with odoo_rental_, followed by its purpose",
    ),
    "no skills": (attrs.evolve(PLAIN, skills=Path(__file__).parent), "contains no skill"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_a_plugin_is_said(case: str) -> None:
    plugin, said = WRONG[case]

    assert said in " ".join(problems_of(plugin, "rental"))


def test_a_plugin_that_claims_nothing_of_ours_is_right() -> None:
    assert problems_of(PLAIN, "rental") == []
    assert version().startswith("0.1"), "The examples name the version that they are written for."


def test_no_plugin_can_have_the_name_of_a_toolset_or_an_area() -> None:
    names = {toolset().metadata().name for toolset in ALL_TOOLSETS}

    assert names | {area_of(f"odoo_{name}_x") for name in names} <= RESERVED


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            {"name": "odoo_sales_create_order"},
            "must begin with odoo_rental_, followed by its purpose",
        ),
        ({"name": "odoo_read_rental"}, "must begin with odoo_rental_"),
        ({"description": "x" * 1001}, "longer than 1000 characters"),
        ({"access": "execute"}, "executes methods that the client chooses"),
        ({"access": "write"}, "needs the parameter dry_run"),
        ({"creates": "res.partner"}, "creates res.partner, which is not declared"),
        ({"function": lambda odoo, number: number}, "cannot derive a schema"),
    ],
)
def test_what_is_wrong_with_a_tool_is_said(parts: dict[str, Any], said: str) -> None:
    def get(odoo: Any) -> RecordName:
        raise AssertionError

    right: dict[str, Any] = {
        "name": "odoo_rental_get",
        "title": "x",
        "description": "x",
        "function": get,
        "access": "read",
    }

    class Tools(BaseToolset):
        about = ToolsetMetadata(name="rental", description="x", required_modules=("rental",))
        tools = (Tool(**{**right, **parts}),)

    assert said in " ".join(toolset_problems(PLAIN, Tools))


def test_a_toolset_has_the_plugins_name_and_a_module() -> None:
    class Other(BaseToolset):
        about = ToolsetMetadata(name="sales", description="x")

    said = " ".join(toolset_problems(PLAIN, Other))

    assert "Its toolset is called 'sales'" in said
    assert "lists no Odoo module" in said


# Loading ---------------------------------------------------------------------------------------


def module(folder: Path, name: str, text: str) -> str:
    """Write a module of somebody else's, and return its entry point."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(text)
    return f"{name}:PLUGIN"


def test_a_plugin_that_is_slow_to_import_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It would wait for ever: the time that a test takes decides nothing."""
    go_on = threading.Event()
    monkeypatch.setattr(threading, "slow_plugin_may_go_on", go_on, raising=False)
    text = "import threading\nthreading.slow_plugin_may_go_on.wait()\n"
    point = module(tmp_path, "slow_to_import", text)
    install(monkeypatch, tmp_path, {"hire": point}, "hire")

    loaded = load(["hire"], patience=0.01)
    go_on.set()

    assert not loaded.plugins
    assert "took longer than 0.01 seconds to import" in loaded.refused[0].reason


def test_what_is_not_installed_is_told_with_what_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_rental(monkeypatch, tmp_path)

    said = load(["rentals"]).refused[0].reason

    assert "No installed package has a plugin 'rentals'" in said
    assert "The plugins are rental." in said


def test_of_two_packages_with_one_name_none_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_rental(monkeypatch, tmp_path / "one")
    install(monkeypatch, tmp_path / "two", {"rental": "odoo_rental:PLUGIN"}, "fork")

    loaded = load(["rental"])

    assert not loaded.plugins
    assert "Several packages have a plugin 'rental': fork, odoo-rental" in loaded.refused[0].reason


def test_two_plugins_cannot_tell_of_one_model(tmp_path: Path) -> None:
    text = FILE.read_text("utf-8").replace('name = "rental"', 'name = "hire"')
    other = tmp_path / "hire.toml"
    other.write_text(text)

    loaded = load(files=[FILE, other])

    said = "The plugin rental already describes rental.contract."
    assert said in loaded.refused[0].reason


def test_what_is_known_comes_and_goes_with_the_plugin(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_rental(monkeypatch, tmp_path)
    before = dict(app_models.MODELS)

    load(["rental"])
    told, asks = known(CONTRACT), known_wizard("rental.return", 19)
    load()

    assert told.nouns == ("rental contract", "rental")
    assert asks.beyond, "A caller's answers to it are never taken for those to a wizard of ours."
    assert dict(app_models.MODELS) == before
    assert known_wizard("rental.return", 19) is None


def test_names_of_ours_cannot_be_added() -> None:
    with pytest.raises(ValueError, match="part of the toolkit"):
        app_models.add("sales", (AppModel("x.y"),))
    with pytest.raises(ValueError, match=r"Another app already describes sale\.order"):
        app_models.add("rental", (AppModel("sale.order"),))
