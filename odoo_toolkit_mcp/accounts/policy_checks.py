"""What would be found wrong of a team's rules only when somebody calls: found when it starts.

What a server of a rule needs is made here once, so that the same code tells what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.configuration import configuration_error
from odoo_toolkit.errors import OdooError
from odoo_toolkit_mcp.accounts.team import Instance, Team
from odoo_toolkit_mcp.approval_rules import rules_of
from odoo_toolkit_mcp.requests import journal_for
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.tool_list import ToolList

#: How the messages of the server name a setting; in the team's file it is in small letters.
_VARIABLE = re.compile(r"ODOO_MCP_([A-Z_]+)")


def check_rules(team: Team) -> None:
    """See that there is a server for each instance and rule; no Odoo is asked.

    Raises:
        ConfigurationError: there is none; all that is wrong is told together.
    """
    problems = [
        f"{place}: {_in_the_file(error)}"
        for place, settings in _places(team)
        if (error := _problem(settings))
    ]
    if problems:
        raise configuration_error(problems)


def unused_plugins(instance: Instance) -> list[str]:
    """Return which plugins of an instance are not used, and why: it is served without them."""
    # A rule says nothing of plugins.
    lists = [ToolList(rule.settings) for rule in instance.rules[:1]]
    return [
        f"The plugin {refused.name} is not used: {refused.reason}"
        for tools in lists
        if tools.names_plugins
        for refused in tools.plugins().refused
    ]


def journal_problem(instance: Instance) -> str | None:
    """Return why the journal of an instance cannot be used; without it nothing is changed."""
    for rule in instance.rules:
        try:
            journal = journal_for(instance.connection, rule.settings)
            if journal:
                try:
                    journal.store.open()
                finally:
                    journal.store.close()
        except OdooError as error:
            return f"{error.message} {error.suggestion or ''}".strip()
    return None


def unknown_groups(instance: Instance, odoo: Odoo) -> list[str]:
    """Return the groups of an instance's rules that its Odoo does not have.

    Args:
        instance: has the rules.
        odoo: the connection of the server's own user.

    Raises:
        OdooError: it cannot be asked.
    """
    wanted = {group for rule in instance.rules for group in rule.groups}
    if not wanted:
        return []
    model = "res.groups"
    everything: list[Any] = []
    search = Call(model=model, method="search", arguments={"domain": everything}, internal=True)
    ids = tuple(odoo.call(search))
    named = odoo.call(Call(model=model, method="get_external_id", ids=ids, internal=True))
    return sorted(wanted - set(named.values()))


def _places(team: Team) -> Iterator[tuple[str, ServerSettings]]:
    for name, instance in team.instances.items():
        for number, rule in enumerate(instance.rules, 1):
            alone = len(instance.rules) == 1
            place = f"instances.{name}" if alone else f"instances.{name}: rule {number}"
            yield place, rule.settings


def _problem(settings: ServerSettings) -> OdooError | None:
    try:
        rules_of(settings)
        _ = ToolList(settings).registry
    except OdooError as error:
        return error
    return None


def _in_the_file(error: OdooError) -> str:
    told = f"{error.message} {error.suggestion or ''}".strip()
    return _VARIABLE.sub(lambda found: found[1].lower(), told)
