"""Prompts and completions as the server answers them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp import MCPError
from mcp.types import (
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
)

from odoo_toolkit_mcp.bridge import limiter
from odoo_toolkit_mcp.prompts import catalog
from odoo_toolkit_mcp.requests import Context, Requests
from odoo_toolkit_mcp.tool_list import ToolList
from odoo_toolkit_mcp.untrusted import cleaned_error, marked_prompt

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo

#: Milliseconds for which a client may keep the list: it changes with the toolkit only.
_LIFETIME = 3_600_000

#: MCP allows no more values.
_MOST = 100


def prompt_handlers(requests: Requests, offered: ToolList) -> dict[str, Any]:
    """Return the handlers of prompts and completions, by what the MCP server calls them."""

    async def added() -> Mapping[str, Any]:
        """Return the prompts of plugins."""
        if not offered.names_plugins:
            return {}
        return (await anyio.to_thread.run_sync(offered.plugins, limiter=limiter())).prompts

    async def list_prompts(
        ctx: Context, params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return ListPromptsResult(
            prompts=catalog.list_prompts(await added()), ttl_ms=_LIFETIME, cache_scope="public"
        )

    async def get_prompt(ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        more = await added()
        given = catalog.check_arguments(params.name, params.arguments, more)
        try:
            prompt = await requests.ask(
                ctx,
                f"prompt {params.name}",
                lambda odoo: catalog.get_prompt(odoo, params.name, given, offered.served(), more),
            )
        except MCPError as error:
            raise cleaned_error(error) if requests.settings.mark_data else error from error
        if params.name in catalog.QUOTES_NOTHING or not requests.settings.mark_data:
            return prompt
        return marked_prompt(prompt)

    async def answer_completion(ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        argument = params.argument
        given = params.context.arguments if params.context else None
        completion = await requests.ask(
            ctx,
            f"completion of {argument.name[:100]}",
            lambda odoo: complete(odoo, argument.name, argument.value, given),
        )
        return CompleteResult(completion=completion)

    return {
        "on_list_prompts": list_prompts,
        "on_get_prompt": get_prompt,
        "on_completion": answer_completion,
    }


def complete(odoo: Odoo, name: str, value: str, given: Mapping[str, str] | None) -> Completion:
    """Return what an argument may be, the likeliest first; to be run in a worker thread.

    Args:
        odoo: the connection of the user who asks.
        name: of the argument: ``model``, ``model_name``, ``id``, ``record_id``, ``report_name``.
            Others have no completion.
        value: what has been typed. Models are found by name and label, records by what they are
            called, reports by name and title.
        given: the arguments that have been filled in: records need the model.

    Raises:
        OdooError: Odoo cannot be reached, or does not allow it.
    """
    from odoo_toolkit.search_help import completion

    typed, values = value.strip()[:200], list[str]()
    model = (given or {}).get("model") or (given or {}).get("model_name")
    if name in ("model", "model_name"):
        values = completion.models_like(odoo, typed)
    elif name in ("id", "record_id") and model:
        values = list(map(str, completion.ids_like(odoo, model, typed)))
    elif name == "report_name":
        values = completion.reports_like(odoo, typed, model)
    return Completion(values=values[:_MOST], total=len(values), has_more=len(values) > _MOST)
