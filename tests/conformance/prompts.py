"""The prompts that the conformance suite gets."""

from __future__ import annotations

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    ContentBlock,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmbeddedResource,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
    TextResourceContents,
)

from tests.conformance.resources import PNG

_ARGUMENTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}

PROMPTS = [
    Prompt(
        name=name,
        description=f"For tests: {name}",
        arguments=[
            PromptArgument(name=argument, description="Any text", required=True)
            for argument in arguments
        ],
    )
    for name, arguments in _ARGUMENTS.items()
]


def get(params: GetPromptRequestParams) -> GetPromptResult | InputRequiredResult:
    """Return a prompt.

    Raises:
        MCPError: there is no such prompt, or it lacks an argument.
    """
    given = params.arguments or {}
    missing = [name for name in _ARGUMENTS.get(params.name, ()) if name not in given]
    if params.name not in _ARGUMENTS or missing:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt or missing arguments: {params.name}")
    if params.name == "test_simple_prompt":
        return _result(TextContent(text="This is a simple prompt for testing."))
    if params.name == "test_prompt_with_arguments":
        text = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
        return _result(TextContent(text=text))
    if params.name == "test_prompt_with_embedded_resource":
        contents = TextResourceContents(
            uri=given["resourceUri"],
            mime_type="text/plain",
            text="Embedded resource content for testing.",
        )
        return _result(
            EmbeddedResource(resource=contents),
            TextContent(text="Please process the embedded resource above."),
        )
    if params.name == "test_prompt_with_image":
        return _result(
            ImageContent(data=PNG, mime_type="image/png"),
            TextContent(text="Please analyze the image above."),
        )
    answer = (params.input_responses or {}).get("user_context")
    if not isinstance(answer, ElicitResult):
        form = ElicitRequestFormParams(
            message="What context should the prompt use?",
            requested_schema={
                "type": "object",
                "properties": {"context": {"type": "string"}},
                "required": ["context"],
            },
        )
        return InputRequiredResult(input_requests={"user_context": ElicitRequest(params=form)})
    return _result(TextContent(text=f"Context: {(answer.content or {}).get('context')}"))


def _result(*contents: ContentBlock) -> GetPromptResult:
    return GetPromptResult(
        messages=[PromptMessage(role="user", content=content) for content in contents]
    )
