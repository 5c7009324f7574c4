"""The plugins that the operator admitted, as the server serves them.

Their tools are those of toolsets like ours, and each function is kept within what its plugin
declared. Of a plugin's toolset only its table of tools is taken; no code of its own registers them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from mcp.types import Prompt, PromptArgument

from odoo_toolkit.client import Odoo
from odoo_toolkit.plugins import Loaded, Plugin, PluginPrompt, Refused, load
from odoo_toolkit.plugins.against_odoo import problems_in_odoo
from odoo_toolkit.plugins.bounds import Bounds, bound
from odoo_toolkit.plugins.file_functions import FileTool, tools_of
from odoo_toolkit_mcp.toolsets.base import ASKS, Asks, BaseToolset, Tool, ToolsetMetadata, ToolTable

if TYPE_CHECKING:
    from odoo_toolkit_mcp.settings import ServerSettings

#: Before which changes a person is asked, from the fewest on.
_MORE: tuple[Asks, ...] = ("never", "destroying", "always")


@attrs.frozen(kw_only=True)
class AddedPrompt:
    """A prompt of a plugin: as prompts/list shows it, and what makes its text."""

    prompt: Prompt
    text: Callable[..., str]


@attrs.frozen(kw_only=True)
class Plugins:
    """What all admitted plugins add.

    Attributes:
        toolsets: their toolsets.
        prompts: by name.
        skills: folders of skills.
        refused: the plugins that are not used, and why.
    """

    toolsets: tuple[type[BaseToolset], ...] = ()
    prompts: Mapping[str, AddedPrompt] = attrs.field(factory=dict)
    skills: tuple[Path, ...] = ()
    refused: tuple[Refused, ...] = ()


def plugins_of(settings: ServerSettings, ours: Iterable[type[BaseToolset]]) -> Plugins:
    """Return what the admitted plugins add; those that cannot be used are told, not raised.

    Args:
        settings: name them.
        ours: the toolkit's own toolsets, on which those of plugins may depend.
    """
    return served(load(settings.plugins, settings.plugin_files), ours)


def served(loaded: Loaded, ours: Iterable[type[BaseToolset]]) -> Plugins:
    """Return what plugins add that have been put to use."""
    own = frozenset(toolset().metadata().name for toolset in ours)
    toolsets = [_toolset(plugin, loaded, own) for plugin in loaded.plugins]
    return Plugins(
        toolsets=tuple(toolset for toolset in toolsets if toolset),
        prompts={
            prompt.name: _prompt(plugin, prompt)
            for plugin in loaded.plugins
            for prompt in plugin.prompts
        },
        skills=tuple(plugin.skills for plugin in loaded.plugins if plugin.skills),
        refused=loaded.refused,
    )


def _toolset(plugin: Plugin, loaded: Loaded, ours: frozenset[str]) -> type[BaseToolset] | None:
    if plugin.file_models:
        return type(f"{plugin.name.title()}Toolset", (_FileToolset,), {"plugin": plugin})
    found = loaded.toolsets.get(plugin.name)
    if found is None:
        return None
    about: ToolsetMetadata = found().metadata()
    # On each other they would not be checked for circles, which end the server.
    depends_on = tuple(name for name in about.depends_on if name in ours)
    parts = {
        "about": attrs.evolve(about, depends_on=depends_on),
        "tools": tuple(bounded(plugin, tool) for tool in found.tools),
    }
    return type(found.__name__, (BaseToolset,), parts)


def bounded(plugin: Plugin, tool: Tool) -> Tool:
    """Return a tool of a plugin whose functions keep within bounds.

    It asks a person at least as often as the toolkit's own tools do.
    """
    bounds = Bounds(plugin=plugin.name, declared=plugin.declared, access=tool.access)
    asking = attrs.evolve(bounds, access="read")
    least: Asks = "never" if tool.access == "read" else ASKS.get(tool.access, "destroying")
    return attrs.evolve(
        tool,
        function=bound(bounds, tool.function),
        plan=tool.plan and bound(attrs.evolve(bounds, plans=True), tool.plan),
        shows=tool.shows and bound(asking, tool.shows),
        asks=max(tool.asks, least, key=_MORE.index),
        asks_about_plan=True,
    )


def _prompt(plugin: Plugin, prompt: PluginPrompt) -> AddedPrompt:
    bounds = Bounds(plugin=plugin.name, declared=plugin.declared, access="read")
    arguments = [
        PromptArgument(name=name, description=words, required=True)
        for name, words in prompt.arguments.items()
    ]
    listed = Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=arguments or None,
    )
    return AddedPrompt(prompt=listed, text=bound(bounds, prompt.text))


class _FileToolset(BaseToolset):
    """The tools of a TOML file, made of the fields that the connected Odoo has."""

    plugin: Plugin

    def metadata(self) -> ToolsetMetadata:
        plugin = self.plugin
        about = ToolsetMetadata(
            name=plugin.name,
            description=plugin.description,
            version=plugin.version,
            required_modules=(plugin.odoo_module,),
            max_odoo_version=plugin.max_odoo,
            depends_on=("core",),
            tags=("plugin",),
        )
        oldest = plugin.min_odoo or about.min_odoo_version
        return attrs.evolve(about, min_odoo_version=oldest)

    def register_tools(self, server: ToolTable, connection: Odoo | None) -> list[str]:
        if connection is None:
            raise ValueError("Connect to Odoo to see which fields exist.")
        plugin = self.plugin
        if problems := problems_in_odoo(connection, plugin):
            raise ValueError(" ".join(problems))
        described = partial(connection.policy.readable_fields, fields_of=connection.schema.fields)
        return server.add_tools(
            bounded(plugin, _tool(tool))
            for model in plugin.file_models
            for tool in tools_of(plugin.name, model, described(model.model), plugin.declared.models)
        )


def _tool(tool: FileTool) -> Tool:
    made = Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        function=tool.function,
        access=tool.access,
        creates=tool.creates,
    )
    return attrs.evolve(made, asks="always") if tool.ask else made
