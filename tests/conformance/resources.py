"""The resources that the conformance suite reads."""

from __future__ import annotations

import json

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    BlobResourceContents,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

#: One red pixel.
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAF"
    "BQIAX8jx0gAAAABJRU5ErkJggg=="
)

RESOURCES = [
    Resource(uri=f"test://{name}", name=name, description=f"For tests: {name}", mime_type=mime_type)
    for name, mime_type in (
        ("static-text", "text/plain"),
        ("static-binary", "image/png"),
        ("watched-resource", "text/plain"),
    )
]

TEMPLATES = [
    ResourceTemplate(
        uri_template="test://template/{id}/data",
        name="template",
        description="For tests: says which id it was read with",
        mime_type="application/json",
    )
]


def read(uri: str) -> TextResourceContents | BlobResourceContents:
    """Return what is at an address.

    Raises:
        MCPError: nothing is there.
    """
    if uri == "test://static-text":
        text = "This is the content of the static text resource."
        return TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    if uri == "test://static-binary":
        return BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    if uri == "test://watched-resource":
        return TextResourceContents(uri=uri, mime_type="text/plain", text="Watched.")
    given = uri.removeprefix("test://template/").removesuffix("/data")
    if uri == f"test://template/{given}/data":
        data = {"id": given, "templateTest": True, "data": f"Data for ID: {given}"}
        return TextResourceContents(
            uri=uri, mime_type="application/json", text=json.dumps(data, separators=(",", ":"))
        )
    raise MCPError(INVALID_PARAMS, "Resource not found", data={"uri": uri})
