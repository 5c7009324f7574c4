"""Plugins write where ours would, and nowhere else: the database is the same after each attack."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from odoo_toolkit import Odoo, OdooError, Policy, connect, create, execute, unlink, write
from odoo_toolkit.call import Access, Call
from odoo_toolkit.client import Admitted
from odoo_toolkit.configuration import load as load_settings
from odoo_toolkit.plans import Plan
from odoo_toolkit.plugins import Declared, load
from odoo_toolkit.plugins.bounds import Bounds, bound
from odoo_toolkit_mcp.plugins import served
from odoo_toolkit_mcp.settings import ServerSettings, policy_of
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import ToolTable
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from odoo_toolkit_mcp.toolsets.registry import ToolsetRegistry
from tests.attacks.database import Database, unchanged
from tests.attacks.policies import Raw
from tests.attacks.servers import Copy
from tests.live.servers import credentials
from tests.rental import memory
from tests.rental.installed import FILE, install_rental
from tests.rental.servers import Rented, rental

__all__ = ["rental"]

CONTRACT = "rental.contract"

#: Modes in which nothing of a contract's may be written -> their settings.
CLOSED = {
    "readonly": {"mode": "readonly"},
    "restricted to others": {"mode": "restricted", "write_allowlist": ["res.partner"]},
}

#: Where it may be.
OPEN = {
    "restricted": {"mode": "restricted", "write_allowlist": [CONTRACT]},
    "full": {"mode": "full"},
}


@pytest.fixture
def watched(rental: Copy) -> Database:
    return rental.database


@pytest.fixture
def raw(rental: Copy) -> Raw:
    return Raw(rental.server)


@contextlib.contextmanager
def connected(rental: Copy, **rules: Any) -> Iterator[Odoo]:
    user = credentials(rental.server, rental.server.user("admin"))
    with connect(**user, policy=Policy(**rules)) as odoo:
        # What a login and the first questions write is not the attack's.
        odoo.schema.fields(CONTRACT)
        yield odoo


@pytest.fixture(params=["python", "file"])
def toolset(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Any]:
    """The toolset of the plugin for rentals, in either form."""
    install_rental(monkeypatch, tmp_path)
    loaded = load(["rental"]) if request.param == "python" else load(files=[FILE])
    assert loaded.refused == ()
    yield served(loaded, ALL_TOOLSETS).toolsets[0]
    load()


def tools_of(odoo: Odoo, toolset: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """Return all tools of the plugin, those that the mode hides, too."""
    found, problems = load_settings(ServerSettings, settings, environ={})
    assert found, problems
    assert policy_of(found) == odoo.policy
    table = ToolTable(found)
    registry = ToolsetRegistry(found, [CoreToolset, toolset])
    result = registry.discover_and_register(table, odoo).results[-1]
    assert result.status == "registered", result.error
    mine = {**table.tools, **table.hidden}
    return {name: tool for name, tool in mine.items() if name.startswith("odoo_rental_")}


def arguments_of(tool: Any, contract: Rented) -> dict[str, Any]:
    """Return arguments with which a tool would do something."""
    given = {
        "contract_id": contract.id,
        "equipment_id": contract.equipment,
        "partner_id": contract.partner,
        "date_end": "2027-01-01",
        "damage": "attacked",
        "name": "attacked",
        "daily_price": 99.0,
    }
    return {key: value for key, value in given.items() if key in tool.input_schema["properties"]}


@pytest.mark.parametrize("case", CLOSED)
@pytest.mark.parametrize("state", ["draft", "confirmed", "out"])
def test_no_tool_writes_where_the_mode_does_not_let_it(
    rental: Copy, watched: Database, raw: Raw, toolset: Any, case: str, state: str
) -> None:
    contract = Rented(raw, state)
    refused = []
    with connected(rental, **CLOSED[case]) as odoo:
        tools = tools_of(odoo, toolset, CLOSED[case])
        with unchanged(watched):
            for name, tool in tools.items():
                try:
                    tool.function(odoo, **tool.check(arguments_of(tool, contract)))
                except OdooError as error:
                    refused.append((name, error.code))

    writing = {name for name, tool in tools.items() if tool.access != "read"}
    assert writing <= {name for name, code in refused if code == "MODE_VIOLATION"}


@pytest.mark.parametrize("case", [*CLOSED, *OPEN])
@pytest.mark.parametrize("state", ["draft", "confirmed", "out"])
def test_no_dry_run_writes_in_any_mode(
    rental: Copy, watched: Database, raw: Raw, toolset: Any, case: str, state: str
) -> None:
    contract = Rented(raw, state)
    rules = {**CLOSED, **OPEN}[case]
    planned = 0
    with connected(rental, **rules) as odoo:
        tools = tools_of(odoo, toolset, rules)
        with unchanged(watched):
            for tool in tools.values():
                if not tool.plans:
                    continue
                given = tool.check({**arguments_of(tool, contract), "dry_run": True})
                with contextlib.suppress(OdooError):  # it may be in another state
                    plan = tool.function(odoo, **given)
                    # It may be there already: then there is nothing to plan.
                    planned += len(plan.calls) if isinstance(plan, Plan) else 0
    assert planned


@pytest.mark.parametrize("case", OPEN)
def test_where_it_may_be_written_the_tools_do(
    rental: Copy, raw: Raw, toolset: Any, case: str
) -> None:
    """Else the attacks above would show nothing."""
    contract = Rented(raw)
    with connected(rental, **OPEN[case]) as odoo:
        tool = tools_of(odoo, toolset, OPEN[case])["odoo_rental_confirm_contract"]
        tool.function(odoo, **tool.check({"contract_id": contract.id}))

    assert contract.value("state") == "confirmed"


# A plugin that tries to do more than it declared ------------------------------------------------

#: What is declared: enough that each attack would work with what is not.
DECLARED = Declared(reads="res.partner", steps={CONTRACT: "write action_confirm"})

Act = Callable[[Odoo, Rented], Any]


def calling(model: str, method: str, **parts: Any) -> Act:
    def call(odoo: Odoo, contract: Rented) -> Any:
        ids = (contract.id if model == CONTRACT else contract.equipment,)
        return odoo.call(Call(**{"model": model, "method": method, "ids": ids, **parts}))

    return call


def _sent_past(odoo: Odoo, contract: Rented) -> Any:
    call = Call(model=CONTRACT, method="action_confirm", ids=(contract.id,), access="read")
    return odoo.send(Admitted(call=call, asked=call, started=0.0, judged=call))


_VALUES = {"arguments": {"vals": {"name": "attacked"}}}
_USER = {"arguments": {"vals_list": {"login": "attacker", "name": "attacker"}}, "ids": None}

#: In no mode.
UNDECLARED: dict[str, Act] = {
    "a button, as a step": calling(CONTRACT, "action_write_off", step=True, access="write"),
    "a button, as a read": calling(CONTRACT, "action_write_off", step=True, access="read"),
    "a button, as the toolkit's own": calling(
        CONTRACT, "action_write_off", internal=True, access="read"
    ),
    "a button, freely": lambda odoo, rented: execute(
        odoo, CONTRACT, "action_write_off", [[rented.id]]
    ),
    "a token": calling(CONTRACT, "generate_access_token", step=True, access="write"),
    "a token, as a read": calling(CONTRACT, "generate_access_token", internal=True, access="read"),
    "another model": calling("rental.equipment", "write", step=True, **_VALUES),
    "another model, as this": calling(
        "rental.equipment", "write", step=True, acts_on=CONTRACT, **_VALUES
    ),
    "another model, freely": lambda odoo, rented: write(
        odoo, "rental.equipment", [rented.equipment], {"name": "attacked"}
    ),
    "another model, through this": lambda odoo, rented: write(
        odoo, CONTRACT, [rented.id], {"message_ids": [[0, 0, {"body": "attacked"}]]}
    ),
    "a new record": lambda odoo, rented: create(odoo, CONTRACT, {"partner_id": rented.partner}),
    "deleting": lambda odoo, rented: unlink(odoo, CONTRACT, [rented.id]),
    "a user": calling("res.users", "create", step=True, acts_on=CONTRACT, **_USER),
    "a setting": calling(
        "ir.config_parameter",
        "set_param",
        ids=None,
        arguments={"key": "attacked", "value": "1"},
        step=True,
        access="write",
    ),
    "past the call": _sent_past,
}

#: What it declared, where the mode does not let it.
DECLARED_ONES: dict[str, Act] = {
    "its button": calling(CONTRACT, "action_confirm", step=True, access="write"),
    "its button, as a read": calling(CONTRACT, "action_confirm", step=True, access="read"),
    "its button, as the toolkit's own": calling(
        CONTRACT, "action_confirm", internal=True, access="read"
    ),
    "its values": lambda odoo, rented: write(odoo, CONTRACT, [rented.id], {"damage": "attacked"}),
    "its values, as this": calling(
        CONTRACT, "write", step=True, acts_on="res.partner", arguments={"vals": {"damage": "x"}}
    ),
}


def attack(rental: Copy, contract: Rented, act: Act, access: Access, **rules: Any) -> OdooError:
    """Let a function of a plugin attack, and return how it was refused."""
    bounds = Bounds(plugin="rental", declared=DECLARED, access=access)
    with connected(rental, **rules) as odoo:
        before = rental.database.state()
        with pytest.raises(OdooError) as caught:
            bound(bounds, lambda own: act(own, contract))(odoo)
        assert rental.database.changes(before) == []
    return caught.value


def attack_in_memory(act: Act, access: Access, **rules: Any) -> OdooError:
    """Let a function of a plugin attack where all that arrives is known, and return its refusal."""
    odoo, server = memory.connection(Policy(**rules))
    contract = cast(Rented, SimpleNamespace(id=1, equipment=1, partner=9))
    records = copy.deepcopy(server.records)
    with pytest.raises(OdooError) as caught:
        bound(
            Bounds(plugin="rental", declared=DECLARED, access=access),
            lambda own: act(own, contract),
        )(odoo)
    assert {call.method for call in server.sent} <= READING
    assert server.records == records
    return caught.value


#: All that the client asks before it refuses.
READING = {"fields_get", "get_view", "search_count", "search_read", "read", "default_get"}


#: What takes a model that the Odoo in memory has not.
ON_A_SERVER = "another model, through this"


@pytest.mark.parametrize("case", [*CLOSED, *OPEN])
@pytest.mark.parametrize("name", [name for name in UNDECLARED if name != ON_A_SERVER])
def test_what_a_plugin_did_not_declare_is_not_sent(case: str, name: str) -> None:
    error = attack_in_memory(UNDECLARED[name], "write", **{**CLOSED, **OPEN}[case])

    assert error.code in ("METHOD_BLOCKED", "MODE_VIOLATION", "MODEL_BLOCKED")


@pytest.mark.parametrize("case", [*CLOSED, "a tool that reads"])
@pytest.mark.parametrize("name", DECLARED_ONES)
def test_what_a_plugin_declared_is_sent_where_ours_would_be(case: str, name: str) -> None:
    access: Access = "read" if case == "a tool that reads" else "write"
    attack_in_memory(DECLARED_ONES[name], access, **CLOSED.get(case, {"mode": "full"}))


@pytest.mark.parametrize("case", [*CLOSED, *OPEN])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.attack] if name != ON_A_SERVER else [])
        for name in UNDECLARED
    ],
)
def test_what_a_plugin_did_not_declare_is_not_written(
    rental: Copy, raw: Raw, case: str, name: str
) -> None:
    contract = Rented(raw)
    rules = {**CLOSED, **OPEN}[case]

    error = attack(rental, contract, UNDECLARED[name], "write", **rules)

    assert error.code in ("METHOD_BLOCKED", "MODE_VIOLATION", "MODEL_BLOCKED")


@pytest.mark.attack
@pytest.mark.parametrize("case", [*CLOSED, "a tool that reads"])
@pytest.mark.parametrize("name", DECLARED_ONES)
def test_what_a_plugin_declared_is_written_where_ours_would_be(
    rental: Copy, raw: Raw, case: str, name: str
) -> None:
    contract = Rented(raw)

    attack(
        rental,
        contract,
        DECLARED_ONES[name],
        "read" if case == "a tool that reads" else "write",
        **CLOSED.get(case, {"mode": "full"}),
    )


@pytest.mark.parametrize("name", ["its button", "its values"])
def test_the_same_attacks_are_sent_where_they_may_be(name: str) -> None:
    """Else those in memory would show nothing."""
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        attack_in_memory(DECLARED_ONES[name], "write", mode="full")


@pytest.mark.parametrize("name", ["its button", "its values"])
def test_the_same_attacks_write_where_they_may(rental: Copy, raw: Raw, name: str) -> None:
    """Else those above would show nothing."""
    contract = Rented(raw)
    bounds = Bounds(plugin="rental", declared=DECLARED, access="write")
    with connected(rental, mode="full") as odoo:
        bound(bounds, lambda own: DECLARED_ONES[name](own, contract))(odoo)

    assert "confirmed" in str(contract.value("state")) or contract.value("damage") == "attacked"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('method = "action_confirm"', 'method = "generate_access_token"'),
        ('method = "action_confirm"', 'method = "unlink"'),
        ('method = "action_confirm"', 'method = "sudo"'),
        ('method = "action_confirm"', 'method = "_write"'),
        ('method = "action_confirm"', 'method = "action_not_on_the_form"'),
        ('model = "rental.contract"', 'model = "res.users"'),
        ('model = "rental.contract"', 'model = "ir.cron"'),
        ('model = "rental.contract"', 'model = "ir.actions.server"'),
        ('model = "rental.contract"', 'model = "ir.config_parameter"'),
        ('reads = ["res.partner"]', 'reads = ["ir.config_parameter"]'),
        ('update = ["date_end"', 'update = ["access_token"'),
        ('fields = ["name"', 'fields = ["access_token"'),
    ],
)
def test_a_file_that_reaches_for_what_is_closed_has_no_tools_in_full_mode(
    rental: Copy, watched: Database, tmp_path: Path, old: str, new: str
) -> None:
    text = FILE.read_text("utf-8")
    assert old in text
    file = tmp_path / "rental.toml"
    file.write_text(text.replace(old, new, 1))
    settings, _ = load_settings(ServerSettings, {"mode": "full"}, environ={})
    assert settings
    with connected(rental, mode="full") as odoo, unchanged(watched):
        added = served(load(files=[file]), ALL_TOOLSETS)
        table = ToolTable(settings)
        registry = ToolsetRegistry(settings, [CoreToolset, *added.toolsets], added.refused)
        result = registry.discover_and_register(table, odoo).results[-1]
    load()

    assert result.status == "failed"
    assert result.error
    assert not [name for name in table.tools if "_rental_" in name]
