"""What would be found wrong of a team's rules only when somebody calls: found when it starts.

What a server of a rule needs is made here once, so that the same code tells what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import attrs

from odoo_toolkit.call import Call, asking
from odoo_toolkit.change_history.store import FORM
from odoo_toolkit.client import Odoo
from odoo_toolkit.configuration import configuration_error
from odoo_toolkit.databases import database_of
from odoo_toolkit.errors import OdooError
from odoo_toolkit_mcp.accounts.team import Instance, Team
from odoo_toolkit_mcp.accounts.waiting_plans import approvers_of
from odoo_toolkit_mcp.accounts.wording import in_the_file
from odoo_toolkit_mcp.approval_rules import rules_of
from odoo_toolkit_mcp.requests import fails_without_history
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.tool_list import ToolList


def check_rules(team: Team) -> None:
    """See that there is a server for each instance and rule, and the tools of each list.

    It asks no Odoo.

    Raises:
        ConfigurationError: there is none; all that is wrong is told together.
    """
    problems = [
        f"{place}: {in_the_file(error)}"
        for place, settings in _places(team)
        if (error := _problem(settings))
    ]
    if problems := problems or [*_unknown_tools(team)]:
        raise configuration_error(problems)


def unused_plugins(instance: Instance) -> list[str]:
    """Return which plugins of an instance are not used, and why: it is served without them."""
    # A rule says nothing of plugins.
    lists = [ToolList(rule.settings) for rule in instance.rules[:1]]
    return [
        f"The server does not use the plugin {refused.name}: {refused.reason}"
        for tools in lists
        if tools.names_plugins
        for refused in tools.plugins().refused
    ]


def history_problem(place: str) -> str | None:
    """Return why a change history cannot be used; it is left as it is."""
    try:
        store = database_of(place, attrs.evolve(FORM, left=True))
        with closing(store), store.reading():
            pass
    except OdooError as error:
        return f"{error.message} {error.suggestion or ''}".strip()
    return None


def off_history(instance: Instance) -> str | None:
    """Return which calls of an instance fail because its history is off."""
    rules = [rule.settings for rule in instance.rules if rule.allow]
    told = [fails_without_history(instance.connection, one, page=True) for one in rules]
    return next(filter(None, told), None)


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
    ids = tuple(odoo.call(asking(model, "search", domain=[])))
    named = odoo.call(Call(model=model, method="get_external_id", ids=ids, internal=True))
    return sorted(wanted - set(named.values()))


def unknown_approvers(instance: Instance, odoo: Odoo) -> list[str]:
    """Return the approvers of an instance whom its Odoo does not have, or does not show.

    Args:
        instance: has the rules.
        odoo: the connection of the server's own user.

    Raises:
        OdooError: it cannot be asked, or this user may not know.
    """
    wanted = sorted(approvers_of(instance))
    if not wanted:
        return []
    # More than is asked for may match, as some characters stand for others.
    named = [["login", "=ilike", login.replace("\\", "\\\\")] for login in wanted]
    domain = [*["|"] * (len(named) - 1), *named]
    search = asking("res.users", "search_read", domain=domain, fields=["login"])
    found = {row["login"].lower() for row in odoo.call(search)}
    return [login for login in wanted if login not in found]


def doubtful_rules(instance: Instance) -> list[str]:
    """Return what the rules of an instance say that is hardly meant."""
    told = []
    several = len(instance.rules) > 1
    for number, rule in enumerate(instance.rules, 1):
        which = f"rule {number}" if several else "the policy"
        if number < len(instance.rules) and not (rule.logins or rule.groups or rule.claims):
            told.append(
                f"{which} has no logins, groups or claims. It matches every user, so later rules"
                " never apply. Move it to the end, or set logins, groups or claims."
            )
        settings = rule.settings
        if rule.allow and settings.mode == "restricted" and not settings.write_allowlist:
            told.append(
                f"{which} has the mode restricted, but no write_allowlist, so its users cannot"
                " create or change records. Set write_allowlist to the models that they can change."
            )
    return told


def _places(team: Team) -> Iterator[tuple[str, ServerSettings]]:
    for name, instance in team.instances.items():
        for number, rule in enumerate(instance.rules, 1):
            alone = len(instance.rules) == 1
            place = f"instances.{name}" if alone else f"instances.{name}: rule {number}"
            yield place, rule.settings


def _unknown_tools(team: Team) -> Iterator[str]:
    """Yield what is wrong with the tools that the lists of addresses name."""
    for address in team.addresses:
        if address.tools:
            instances = team.instances_at(address.url).values()
            settings = [rule.settings for instance in instances for rule in instance.rules]
            # A tool may be that of a plugin, or of a rule with approvals.
            unknown = [ToolList(one).unknown(sorted(address.tools)) for one in settings]
            everywhere = set.intersection(*map(set, unknown)) if unknown else set()
            yield from (f"lists.{address.list}: {unknown[0][name]}" for name in sorted(everywhere))


def _problem(settings: ServerSettings) -> OdooError | None:
    try:
        rules_of(settings)
        _ = ToolList(settings).registry
    except OdooError as error:
        return error
    return None
