"""The views as the server serves them (MCP Apps, ``io.modelcontextprotocol/ui``).

A view is one HTML document without data in it, which the client shows beside the answer of a tool.
Clients that do not know views see the same tools and get the same answers without them.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import io
import string
from collections.abc import Iterable, Mapping
from importlib.resources import files
from itertools import compress, zip_longest
from typing import TYPE_CHECKING, Any

import attrs
from mcp import MCPError
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID, client_supports_apps
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp.types import Tool as McpTool

from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit_mcp import results
from odoo_toolkit_mcp.callers import client_of
from odoo_toolkit_mcp.views.names import names_in
from odoo_toolkit_mcp.views.sealed import Seal, check_unchanged, digest, sealed, shown_by, unsealed

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit_mcp.question import Question
    from odoo_toolkit_mcp.requests import Context
    from odoo_toolkit_mcp.sealing import Sealing
    from odoo_toolkit_mcp.tool_groups import Area
    from odoo_toolkit_mcp.toolsets.base import Tool

__all__ = [
    "EXTENSION_ID",
    "ServedViews",
    "ViewCall",
    "document",
    "view_of",
    "with_views",
    "with_whole",
]

VIEWS = ("review", "choose", "table", "chart", "document", "area")

#: The view of the tools of areas, which has all the others in it.
_AREA = "area"

#: The key of what is for the view in ``_meta`` of a result.
META = "odoo-toolkit/view"

_SCHEME = "ui://odoo-toolkit/"

#: Tools that only views call.
CALL, CONFIRM = "odoo_view_call", "odoo_view_confirm"

#: Milliseconds for which a client may keep a view: it changes with the toolkit only.
_LIFETIME = 3_600_000

#: Pages of a PDF whose text is shown, and characters of one.
_PAGES, _PAGE_TEXT = 10, 20_000

#: Columns of blanks that are kept between others.
_BLANKS = 2

_CALL_PROPERTIES: dict[str, Any] = {
    "tool": {"type": "string", "description": "Name of a tool of this server."},
    "arguments": {"type": "object", "description": "Its arguments."},
}


# Which tool has which view ----------------------------------------------------------------------


def view_of(tool: Tool) -> str | None:
    """Return the view that shows the answers of a tool; None where the text is enough."""
    given, answered = tool.input_schema["properties"], tool.output_schema.get("properties", {})
    if tool.access != "read":
        return "review" if tool.plans else None
    if {"groupby", "measures"} <= given.keys():
        return "chart"
    if tool.file:
        return "document"
    if answered.get("records", {}).get("type") == "array":
        return "table"
    return "choose" if any(_takes_name(name, given) for name in given) else None


def _takes_name(name: str, given: Mapping[str, Any]) -> bool:
    """Whether an argument takes the name of a record, beside its id or in the place of it."""
    described = str(given[name].get("description", "")).lower()
    beside = name.endswith("_name") and name.removesuffix("_name") + "_id" in given
    return beside or "id or name" in described or "name or id" in described


# The documents ----------------------------------------------------------------------------------


@functools.cache
def document(view: str) -> str:
    """Return a view as one HTML document: nothing in it is loaded from anywhere.

    Its own content policy allows the two scripts and the style in it, known by their digests, and
    pictures that the scripts make.
    """
    folder = files(__package__) / "static"
    page, style, shared, own = (
        (folder / name).read_text("utf-8")
        for name in ("view.html", "shared.css", "shared.js", f"{view}.js")
    )
    if view == _AREA:
        others = (name for name in VIEWS if name != _AREA)
        scripts = {name: (folder / f"{name}.js").read_text("utf-8") for name in others}
        own += "".join(
            f'\nVIEWS.set("{name}", (start) => {{\n{script}}});\n'
            for name, script in scripts.items()
        )
    policy = (
        f"default-src 'none'; script-src '{_hash(shared)}' '{_hash(own)}';"
        f" style-src '{_hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = {"policy": policy, "style": style, "shared": shared, "own": own}
    return string.Template(page).substitute(parts)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def read_view(uri: str) -> ReadResourceResult | None:
    """Return the document of a view; None where the address is not that of one."""
    name = uri.removeprefix(_SCHEME).removesuffix(".html")
    if name not in VIEWS or uri != _address(name):
        return None
    text = TextResourceContents(
        uri=uri,
        mime_type=APP_MIME_TYPE,
        text=document(name),
        # Without a "csp" nothing may be loaded, as nothing is.
        _meta={"ui": {"prefersBorder": True}},
    )
    return ReadResourceResult(contents=[text], ttl_ms=_LIFETIME, cache_scope="public")


def _address(view: str) -> str:
    return f"{_SCHEME}{view}.html"


# Calls ------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class ViewCall:
    """A call that a view makes, and the seal that it brings, if it confirms something."""

    params: CallToolRequestParams
    seal: str | None = None

    def check(self, tool: Tool, given: Mapping[str, Any]) -> None:
        """See that a call that confirms nothing changes nothing.

        Raises:
            AccessError: it might change something that nobody has seen.
        """
        if self.seal is not None or given.get("dry_run") is True or tool.access == "read":
            return
        raise make_error(
            "ACCESS_DENIED",
            f"A view can make changes only with {CONFIRM}, after it has shown the plan.",
            suggestion="First plan the change with dry_run true.",
            outcome="not_sent",
        )


def tool_called(params: CallToolRequestParams) -> str:
    """Return the name of the tool that a call means, which may be one by a view."""
    named = (params.arguments or {}).get("tool") if params.name in (CALL, CONFIRM) else None
    return named if isinstance(named, str) else params.name


def with_views(
    listed: Iterable[McpTool], tools: Mapping[str, Tool], areas: Mapping[str, Area]
) -> list[McpTool]:
    """Return the tools as tools/list shows them to a client that has views.

    Args:
        listed: as other clients see them.
        tools: those that are listed as they are, and others.
        areas: the areas among them.
    """
    found = []
    for item in listed:
        view = view_of(tools[item.name]) if item.name in tools else None
        if item.name in areas and any(map(view_of, areas[item.name].tools.values())):
            view = _AREA
        if view:
            meta = {**(item.meta or {}), "ui": {"resourceUri": _address(view)}}
            item = item.model_copy(update={"meta": meta})
        found.append(item)
    return [*found, *_OWN_TOOLS]


class ServedViews:
    """The views of a server, and what their clients are given for them.

    Args:
        sealing: of the server.
    """

    def __init__(self, sealing: Sealing) -> None:
        self._sealing = sealing

    def call_of(self, ctx: Context, params: CallToolRequestParams) -> ViewCall | None:
        """Return the call that a view makes; None where this is not one of a view.

        Raises:
            MCPError: the client has no views, or the arguments are wrong.
        """
        if params.name not in (CALL, CONFIRM):
            return None
        if not client_supports_apps(ctx):
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}")
        given = params.arguments or {}
        tool, arguments, seal = given.get("tool"), given.get("arguments"), given.get("seal")
        confirms = params.name == CONFIRM
        complete = isinstance(seal, str) or not confirms
        if not isinstance(tool, str) or not isinstance(arguments, dict) or not complete:
            raise MCPError(INVALID_PARAMS, f"Wrong arguments for {params.name}.")
        own = CallToolRequestParams(name=tool, arguments=arguments, _meta=params.meta)
        return ViewCall(params=own, seal=seal if confirms else None)

    def who(self, ctx: Context, odoo: Odoo | None) -> str:
        """Return for whom something is shown."""
        return f"{client_of(ctx.request)} {odoo.settings.database} {odoo.uid}" if odoo else ""

    def unsealed(
        self, odoo: Odoo | None, who: str, tool: Tool, given: Mapping[str, Any], seal: str
    ) -> Seal:
        """Return what was shown, if it still is what would be done.

        Raises:
            OdooError: the confirmation does not count.
        """
        shown = unsealed(self._sealing, seal, who, tool.name, given)
        if odoo and shown.plan:
            arguments = tool.check({**given, "dry_run": True})
            plan = results.success(tool.function(odoo, **arguments)).structured_content or {}
            check_unchanged(odoo, shown, plan)
        return shown

    def with_meta(
        self,
        odoo: Odoo | None,
        who: str,
        tool: Tool,
        given: Mapping[str, Any],
        result: CallToolResult,
        content: str,
    ) -> CallToolResult:
        """Return a result with what its view needs: of a plan, the seal to confirm it with.

        ``content`` is that of the file that the tool returned, as base64.
        """
        meta = {**_about(tool), "arguments": dict(given)}
        if tool.plans:
            meta["schema"] = tool.input_schema
        # Files that anybody sent are not taken apart for this.
        if "report_name" in (result.structured_content or {}):
            meta["pages"] = _page_texts(content)
        # What was done stays done, and what was read stays read, whatever becomes of this.
        with contextlib.suppress(OdooError):
            meta |= self._of_odoo(odoo, who, tool, given, result) if odoo else {}
        return _with(result, meta)

    def _of_odoo(
        self,
        odoo: Odoo,
        who: str,
        tool: Tool,
        given: Mapping[str, Any],
        result: CallToolResult,
    ) -> dict[str, Any]:
        meta: dict[str, Any] = {"link": odoo.link_pattern}
        plan = result.structured_content or {}
        if given.get("dry_run") is not True or plan.get("dry_run") is not True:
            return meta
        meta["confirms"] = {name: value for name, value in given.items() if name != "dry_run"}
        meta["names"] = names_in(odoo, plan)
        if not plan.get("needs"):
            meta["seal"] = sealed(self._sealing, shown_by(odoo, who, tool, meta["confirms"], plan))
        return meta

    def question(
        self,
        question: Question,
        seal: Seal | None,
        ctx: Context,
        odoo: Odoo | None,
        tool: Tool,
        given: Mapping[str, Any],
    ) -> CallToolResult:
        """Return what a person is asked in a view before something is destroyed."""
        if seal is None:  # a tool that reads
            seal = Seal(
                who=self.who(ctx, odoo),
                tool=tool.name,
                arguments=digest(given),
                plan={},
                records={},
            )
        asked = sealed(self._sealing, attrs.evolve(seal, question=question.digest))
        result = CallToolResult(
            content=[TextContent(text=question.message)],
            structured_content={"status": "confirmation_needed", "message": question.message},
        )
        return _with(result, {**_about(tool), "confirms": dict(given), "seal": asked})


def _about(tool: Tool) -> dict[str, Any]:
    return {"tool": tool.name, "title": tool.title, "view": view_of(tool)}


def _with(result: CallToolResult, meta: Mapping[str, Any]) -> CallToolResult:
    return result.model_copy(update={"meta": {**(result.meta or {}), META: dict(meta)}})


def with_whole(shorter: CallToolResult, whole: CallToolResult) -> CallToolResult:
    """Return a shortened answer with the whole one for its view, if it has a view.

    A person confirms a plan in a view, and sees all of it there.
    """
    for_view = (shorter.meta or {}).get(META)
    if for_view is None:
        return shorter
    return _with(shorter, {**for_view, "whole": whole.structured_content})


def _page_texts(content_base64: str) -> list[str]:
    """Return what the first pages of a printed report say, laid out as on paper."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        content = base64.b64decode(content_base64)
        pages = PdfReader(io.BytesIO(content)).pages[:_PAGES]
        texts = [page.extract_text(extraction_mode="layout")[:_PAGE_TEXT] for page in pages]
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError):
        # The file is what it is; a damaged one can still be downloaded.
        return []
    return list(map(_narrowed, texts))


def _narrowed(text: str) -> str:
    """Return a page with at most two columns of blanks side by side; words keep their columns."""
    lines = text.replace("\t", " ").split("\n")
    blank = [not any(places) for places in zip_longest(*[map(str.strip, line) for line in lines])]
    kept = [not all(blank[max(place - _BLANKS, 0) : place + 1]) for place in range(len(blank))]
    return "\n".join("".join(compress(line, kept)).rstrip() for line in lines)


def has_views(ctx: Context) -> bool:
    """Whether the client shows views."""
    return client_supports_apps(ctx)


def _own_tool(name: str, title: str, description: str, more: Iterable[str], reads: bool) -> McpTool:
    seal = (
        {"seal": {"type": "string", "description": "Confirmation token of the plan."}}
        if more
        else {}
    )
    return McpTool(
        name=name,
        description=description,
        input_schema={
            "type": "object",
            "properties": {**_CALL_PROPERTIES, **seal},
            "required": ["tool", "arguments", *more],
            "additionalProperties": False,
        },
        annotations=ToolAnnotations(
            title=title,
            read_only_hint=reads,
            destructive_hint=not reads,
            idempotent_hint=reads,
            open_world_hint=True,
        ),
        _meta={"ui": {"visibility": ["app"]}},
    )


_OWN_TOOLS = (
    _own_tool(
        CALL,
        "Read or plan, for a view",
        "From a view, read records or plan a change (dry_run). This tool changes nothing.",
        (),
        reads=True,
    ),
    _own_tool(
        CONFIRM,
        "Confirm, for a view",
        "From a view, run the tool call that it showed and the user confirmed there.",
        ("seal",),
        reads=False,
    ),
)
