"""The prompts: what they are called, and their text, made from the connected Odoo.

Each text is made by the module of ``guides`` that has the prompt's name. It is imported when it is
first needed: the list of prompts must be there before the library's modules are.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit_mcp.plugins import AddedPrompt
    from odoo_toolkit_mcp.server_facts import Served

#: Prompts whose text has no labels, names or values of Odoo.
QUOTES_NOTHING = frozenset({"odoo_domain_help"})

#: Longest argument that is looked at; a model's name or a query has far less.
_LONGEST = 500

_MODEL = PromptArgument(
    name="model_name", description="The Odoo model's technical name, e.g. sale.order", required=True
)

_PROMPTS: Mapping[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            name="odoo_overview",
            title="Odoo overview",
            description="Get an overview of the connected Odoo instance, available tools, and how"
            " to use them",
        ),
        Prompt(
            name="odoo_domain_help",
            title="Domain help",
            description="Reference guide for Odoo domain filter syntax",
        ),
        Prompt(
            name="odoo_model_guide",
            title="Model guide",
            description="Get a guide for working with a specific Odoo model",
            arguments=[_MODEL],
        ),
        Prompt(
            name="odoo_create_record",
            title="Create a record",
            description="Get guidance for creating a record on a specific model",
            arguments=[_MODEL],
        ),
        Prompt(
            name="odoo_search_help",
            title="Search help",
            description="Get help constructing a search query for a model",
            arguments=[
                _MODEL,
                PromptArgument(
                    name="query",
                    description="The records to look for, e.g. unpaid invoices of Acme",
                    required=True,
                ),
            ],
        ),
    )
}


#: The prompts of no plugins.
_NONE: Mapping[str, AddedPrompt] = {}


def list_prompts(added: Mapping[str, AddedPrompt] = _NONE) -> list[Prompt]:
    """Return the prompts, and those that plugins add; they are the same for every Odoo."""
    return [*_PROMPTS.values(), *(one.prompt for one in added.values())]


def check_arguments(
    name: str,
    arguments: Mapping[str, str] | None,
    added: Mapping[str, AddedPrompt] = _NONE,
) -> dict[str, str]:
    """Return the arguments of a prompt, trimmed.

    Raises:
        MCPError: there is no such prompt; an argument is missing, unknown or too long.
    """
    prompt = _prompt(name, added)
    if prompt is None:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt: {name[:100]}")
    given = {key: value.strip() for key, value in (arguments or {}).items()}
    names = [argument.name for argument in prompt.arguments or ()]
    for key, value in given.items():
        if key not in names:
            raise MCPError(INVALID_PARAMS, f"{name} has no argument {key[:100]!r}.")
        if len(value) > _LONGEST:
            raise MCPError(INVALID_PARAMS, f"{key} is longer than {_LONGEST} characters.")
    missing = [key for key in names if not given.get(key)]
    if missing:
        raise MCPError(INVALID_PARAMS, f"{name} needs {' and '.join(missing)}.")
    return given


def _prompt(name: str, added: Mapping[str, AddedPrompt]) -> Prompt | None:
    return added[name].prompt if name in added else _PROMPTS.get(name)


def get_prompt(
    odoo: Odoo,
    name: str,
    arguments: Mapping[str, str] | None,
    served: Served,
    added: Mapping[str, AddedPrompt] = _NONE,
) -> GetPromptResult:
    """Return a prompt, made from the connected Odoo; to be run in a worker thread.

    Args:
        odoo: the connection of the user who asks.
        name: of the prompt.
        arguments: as the client gave them.
        served: what the server has.
        added: the prompts of plugins.

    Raises:
        MCPError: there is no such prompt, or the arguments are wrong.
        OdooError: Odoo cannot be reached, does not know the model, or does not allow it.
    """
    given = check_arguments(name, arguments, added)
    prompt = _prompt(name, added)
    if name in added:
        text = added[name].text(odoo, **given)
    else:
        # odoo_model_guide is made by the module guides.model_guide, and so on.
        maker = import_module(f"odoo_toolkit_mcp.guides.{name.removeprefix('odoo_')}")
        text = maker.text(odoo, served, **given)
    return GetPromptResult(
        description=prompt.description if prompt else None,
        messages=[PromptMessage(role="user", content=TextContent(text=text))],
    )
