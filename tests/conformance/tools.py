"""The tools that the conformance suite calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import attrs
from mcp import MCPError
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)

from odoo_toolkit import progress
from odoo_toolkit_mcp.bridge import run_blocking
from odoo_toolkit_mcp.requests import Context
from tests.conformance.resources import PNG

Result = CallToolResult | InputRequiredResult
Function = Callable[[Context, CallToolRequestParams], Awaitable[Result]]

#: Seconds between the steps of a tool whose course the suite watches.
STEP = 0.05

#: Silence.
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="


@attrs.frozen
class FixtureTool:
    """A tool that the suite knows."""

    name: str
    description: str
    input_schema: dict[str, Any]
    function: Function


TOOLS: dict[str, FixtureTool] = {}


def tool(name: str, input_schema: dict[str, Any] | None = None) -> Callable[[Function], Function]:
    """Add a function to the tools."""

    def add(function: Function) -> Function:
        schema = input_schema or _object()
        TOOLS[name] = FixtureTool(name, f"For tests: {name}", schema, function)
        return function

    return add


def _object(*required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def _result(*content: ContentBlock) -> CallToolResult:
    return CallToolResult(content=list(content))


def _text(text: str) -> CallToolResult:
    return _result(TextContent(text=text))


def _resource(uri: str, mime_type: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


# What a result can hold.


@tool("test_simple_text")
async def simple_text(ctx: Context, params: CallToolRequestParams) -> Result:
    return _text("This is a simple text response for testing.")


@tool("test_image_content")
async def image(ctx: Context, params: CallToolRequestParams) -> Result:
    return _result(ImageContent(data=PNG, mime_type="image/png"))


@tool("test_audio_content")
async def audio(ctx: Context, params: CallToolRequestParams) -> Result:
    return _result(AudioContent(data=WAV, mime_type="audio/wav"))


@tool("test_embedded_resource")
async def embedded(ctx: Context, params: CallToolRequestParams) -> Result:
    text = "This is an embedded resource content."
    return _result(_resource("test://embedded-resource", "text/plain", text))


@tool("test_multiple_content_types")
async def mixed(ctx: Context, params: CallToolRequestParams) -> Result:
    return _result(
        TextContent(text="Multiple content types test:"),
        ImageContent(data=PNG, mime_type="image/png"),
        _resource(
            "test://mixed-content-resource", "application/json", '{"test":"data","value":123}'
        ),
    )


@tool("test_error_handling")
async def error(ctx: Context, params: CallToolRequestParams) -> Result:
    raise RuntimeError("This tool intentionally returns an error for testing")


@tool(
    "json_schema_2020_12_tool",
    {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
)
async def json_schema(ctx: Context, params: CallToolRequestParams) -> Result:
    return _text("ok")


@tool("test_x_mcp_header", _object(region={"type": "string", "x-mcp-header": "Region"}))
async def custom_header(ctx: Context, params: CallToolRequestParams) -> Result:
    return _text(f"region={(params.arguments or {}).get('region')}")


# What happens while a tool runs.


@tool("test_tool_with_progress")
async def with_progress(ctx: Context, params: CallToolRequestParams) -> Result:
    def work() -> None:
        import time

        for done in (0, 50, 100):
            progress.report(done, 100)
            # Longer than the bridge's interval between two notifications.
            time.sleep(0.11)

    await run_blocking(ctx.session, work)
    return _text("Done.")


@tool("test_tool_with_logging")
@tool("test_logging_tool")
async def with_logging(ctx: Context, params: CallToolRequestParams) -> Result:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", text, related_request_id=ctx.request_id)
        await anyio.sleep(STEP)
    return _text("Done.")


@tool("test_reconnection")
async def reconnection(ctx: Context, params: CallToolRequestParams) -> Result:
    if ctx.close_sse_stream:
        await ctx.close_sse_stream()
    await anyio.sleep(2 * STEP)
    return _text("Done.")


# Questions to a client of the handshake era, on its session.


@tool("test_sampling", _object("prompt", prompt={"type": "string"}))
async def sampling(ctx: Context, params: CallToolRequestParams) -> Result:
    answer = await ctx.session.create_message(
        [_message(str((params.arguments or {})["prompt"]))],
        max_tokens=100,
        related_request_id=ctx.request_id,
    )
    return _text(f"LLM response: {_sampled(answer)}")


def _message(text: str) -> SamplingMessage:
    return SamplingMessage(role="user", content=TextContent(text=text))


def _sampled(answer: object) -> str:
    content = answer.content if isinstance(answer, CreateMessageResult) else None
    return content.text if isinstance(content, TextContent) else ""


def _elicitation(name: str, said: str, properties: dict[str, Any], required: list[str]) -> None:
    message = {"message": {"type": "string"}} if name == "test_elicitation" else {}

    @tool(name, _object(*message, **message))
    async def elicitation(ctx: Context, params: CallToolRequestParams) -> Result:
        answer = await ctx.session.elicit_form(
            str((params.arguments or {}).get("message", "Please answer")),
            {"type": "object", "properties": properties, "required": required},
            related_request_id=ctx.request_id,
        )
        return _text(f"{said}: action={answer.action}, content={answer.content}")


_elicitation(
    "test_elicitation",
    "User response",
    {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    ["username", "email"],
)
_elicitation(
    "test_elicitation_sep1034_defaults",
    "Elicitation completed",
    {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
    [],
)
_VALUES = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
_OPTIONS = ["option1", "option2", "option3"]
_elicitation(
    "test_elicitation_sep1330_enums",
    "Elicitation completed",
    {
        "untitledSingle": {"type": "string", "enum": _OPTIONS},
        "titledSingle": {"type": "string", "oneOf": _VALUES},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": _VALUES}},
    },
    [],
)


# Questions to a client of the stateless era: the result asks, the next call brings the answers.


def _form(message: str, field: str, kind: str = "string") -> ElicitRequest:
    return ElicitRequest(
        params=ElicitRequestFormParams(
            message=message,
            requested_schema={
                "type": "object",
                "properties": {field: {"type": kind}},
                "required": [field],
            },
        )
    )


def _sample(text: str, max_tokens: int) -> CreateMessageRequest:
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[_message(text)], max_tokens=max_tokens)
    )


def _answered(params: CallToolRequestParams, key: str, kind: type) -> Any:
    answer = (params.input_responses or {}).get(key)
    return answer if isinstance(answer, kind) else None


@tool("test_input_required_result_elicitation")
async def asks_for_name(ctx: Context, params: CallToolRequestParams) -> Result:
    answer = _answered(params, "user_name", ElicitResult)
    if answer is None:
        form = _form("What is your name?", "name")
        return InputRequiredResult(input_requests={"user_name": form})
    return _text(f"Hello, {(answer.content or {}).get('name')}!")


@tool("test_input_required_result_sampling")
async def asks_the_model(ctx: Context, params: CallToolRequestParams) -> Result:
    answer = _answered(params, "capital_question", CreateMessageResult)
    if answer is None:
        question = _sample("What is the capital of France?", 100)
        return InputRequiredResult(input_requests={"capital_question": question})
    return _text(_sampled(answer))


@tool("test_input_required_result_list_roots")
async def asks_for_roots(ctx: Context, params: CallToolRequestParams) -> Result:
    answer = _answered(params, "client_roots", ListRootsResult)
    if answer is None:
        return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})
    return _text(", ".join(str(root.uri) for root in answer.roots))


@tool("test_input_required_result_request_state")
@tool("test_input_required_result_tampered_state")
async def asks_with_state(ctx: Context, params: CallToolRequestParams) -> Result:
    if _answered(params, "confirm", ElicitResult) is None:
        form = _form("Please confirm", "ok", "boolean")
        return InputRequiredResult(input_requests={"confirm": form}, request_state="asked")
    return _text("state-ok" if params.request_state == "asked" else "The state is missing.")


@tool("test_input_required_result_multiple_inputs")
async def asks_three_things(ctx: Context, params: CallToolRequestParams) -> Result:
    name = _answered(params, "user_name", ElicitResult)
    greeting = _answered(params, "greeting", CreateMessageResult)
    roots = _answered(params, "client_roots", ListRootsResult)
    if name is None or greeting is None or roots is None:
        return InputRequiredResult(
            input_requests={
                "user_name": _form("What is your name?", "name"),
                "greeting": _sample("Generate a greeting", 50),
                "client_roots": ListRootsRequest(),
            },
            request_state="asked",
        )
    return _text(f"{_sampled(greeting)} {(name.content or {}).get('name')} {len(roots.roots)}")


@tool("test_input_required_result_multi_round")
async def asks_twice(ctx: Context, params: CallToolRequestParams) -> Result:
    if params.request_state is None:
        form = _form("Step 1: What is your name?", "name")
        return InputRequiredResult(input_requests={"step1": form}, request_state="one")
    if _answered(params, "step2", ElicitResult) is None:
        form = _form("Step 2: What is your favorite color?", "color")
        return InputRequiredResult(input_requests={"step2": form}, request_state="two")
    return _text("Done.")


@tool("test_input_required_result_capabilities")
async def asks_what_it_may(ctx: Context, params: CallToolRequestParams) -> Result:
    capabilities = ctx.session.client_capabilities
    requests: dict[str, Any] = {}
    if capabilities and capabilities.elicitation:
        requests["user_name"] = _form("What is your name?", "name")
    if capabilities and capabilities.sampling:
        requests["greeting"] = _sample("Generate a greeting", 50)
    if requests and not params.input_responses:
        return InputRequiredResult(input_requests=requests)
    return _text("Done.")


@tool("test_streaming_elicitation")
async def asks_while_streaming(ctx: Context, params: CallToolRequestParams) -> Result:
    await ctx.session.report_progress(1, 2, "Asking")
    return await asks_for_name(ctx, params)


@tool("test_missing_capability")
async def needs_sampling(ctx: Context, params: CallToolRequestParams) -> Result:
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(
            MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool needs a client with the capability sampling.",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return _text("Done.")
