"""Prompts and completions as the server answers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp.types import (
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
)

from odoo_toolkit_mcp import completions, prompts
from odoo_toolkit_mcp.untrusted import cleaned_error, marked_prompt

if TYPE_CHECKING:
    from odoo_toolkit_mcp.server import Context, OdooServer

#: Milliseconds for which a client may keep the list: it changes with the toolkit only.
_LIFETIME = 3_600_000


def prompt_handlers(server: OdooServer) -> dict[str, Any]:
    """Return the handlers of prompts and completions, by what the MCP server calls them."""

    async def list_prompts(
        ctx: Context, params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return ListPromptsResult(
            prompts=prompts.list_prompts(), ttl_ms=_LIFETIME, cache_scope="public"
        )

    async def get_prompt(ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        given = prompts.check_arguments(params.name, params.arguments)
        try:
            prompt = await server.ask(
                ctx,
                f"prompt {params.name}",
                lambda odoo: prompts.get_prompt(odoo, params.name, given, server.served()),
            )
        except MCPError as error:
            raise cleaned_error(error) if server.settings.mark_data else error from error
        if params.name in prompts.QUOTES_NOTHING or not server.settings.mark_data:
            return prompt
        return marked_prompt(prompt)

    async def complete(ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        argument = params.argument
        given = params.context.arguments if params.context else None
        completion = await server.ask(
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
