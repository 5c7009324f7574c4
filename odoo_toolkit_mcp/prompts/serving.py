"""Prompts and completions as the server answers them."""

from __future__ import annotations

from typing import Any

from mcp import MCPError
from mcp.types import (
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
)

from odoo_toolkit_mcp import completions
from odoo_toolkit_mcp.prompts import catalog
from odoo_toolkit_mcp.requests import Context, Requests
from odoo_toolkit_mcp.tool_list import ToolList
from odoo_toolkit_mcp.untrusted import cleaned_error, marked_prompt

#: Milliseconds for which a client may keep the list: it changes with the toolkit only.
_LIFETIME = 3_600_000


def prompt_handlers(requests: Requests, offered: ToolList) -> dict[str, Any]:
    """Return the handlers of prompts and completions, by what the MCP server calls them."""

    async def list_prompts(
        ctx: Context, params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return ListPromptsResult(
            prompts=catalog.list_prompts(), ttl_ms=_LIFETIME, cache_scope="public"
        )

    async def get_prompt(ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        given = catalog.check_arguments(params.name, params.arguments)
        try:
            prompt = await requests.ask(
                ctx,
                f"prompt {params.name}",
                lambda odoo: catalog.get_prompt(odoo, params.name, given, offered.served()),
            )
        except MCPError as error:
            raise cleaned_error(error) if requests.settings.mark_data else error from error
        if params.name in catalog.QUOTES_NOTHING or not requests.settings.mark_data:
            return prompt
        return marked_prompt(prompt)

    async def complete(ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        argument = params.argument
        given = params.context.arguments if params.context else None
        completion = await requests.ask(
            ctx,
            f"completion of {argument.name[:100]}",
            lambda odoo: completions.complete(odoo, argument.name, argument.value, given),
        )
        return CompleteResult(completion=completion)

    return {
        "on_list_prompts": list_prompts,
        "on_get_prompt": get_prompt,
        "on_completion": complete,
    }
