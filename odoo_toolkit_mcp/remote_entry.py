"""How the file of an MCP client names a server that runs elsewhere and is reached by its URL.

Nothing of this machine's settings goes into it: which Odoo, which rules and whose keys is the
server's own affair. What a person has to fill in has a stand-in.
"""

from __future__ import annotations

import argparse
import ipaddress
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import attrs

from odoo_toolkit_mcp.settings import API_KEY_HEADER, USERNAME_HEADER

#: Headers that the server understands -> what stands in, and what is asked for.
HEADERS: dict[str, tuple[str, str]] = {
    "Authorization": ("Bearer YOUR_TOKEN", "Token of the MCP server"),
    USERNAME_HEADER: ("YOUR_LOGIN", "Login of the Odoo user"),
    API_KEY_HEADER: ("YOUR_API_KEY", "API key of the Odoo user"),
}


@attrs.frozen
class _Form:
    """The keys of a client's entry, as its documentation of 2026 has them."""

    url: str = "url"
    headers: str = "headers"
    fixed: dict[str, str] = attrs.Factory(dict)


#: Claude Desktop is not here: its file starts programs only.
_FORMS = {
    "claude-code": _Form(fixed={"type": "http"}),
    "cursor": _Form(),
    "vscode": _Form(fixed={"type": "http"}),
    "codex": _Form(headers="http_headers"),
    "gemini": _Form(url="httpUrl"),
}


@attrs.frozen
class RemoteEntry:
    """A server at a URL.

    Attributes:
        entry: as the client's file has it, without what has to be filled in.
        place: its key that holds that.
        to_fill_in: by name, with what stands in for it.
    """

    entry: dict[str, Any]
    place: str
    to_fill_in: dict[str, str]


def remote_entry(client: str, url: str, headers: Sequence[str], *, asks: bool) -> RemoteEntry:
    """Return how a client reaches the server at a URL.

    Args:
        client: its name.
        url: of the MCP endpoint.
        headers: names out of :data:`HEADERS` that the server wants.
        asks: whether the client asks the person for a value and keeps it safe.
    """
    wanted = {name: question(name) if asks else HEADERS[name][0] for name in headers}
    form = _FORMS.get(client)
    if form is None:
        # A bridge in between, which such clients start: it speaks HTTP for them.
        variables = {_variable(name): value for name, value in wanted.items()}
        more = [word for name in wanted for word in ("--header", f"{name}:${{{_variable(name)}}}")]
        entry = {"command": "npx", "args": ["-y", "mcp-remote", url, *more], "env": {}}
        return RemoteEntry(entry, "env", variables)
    entry = {**form.fixed, form.url: url, form.headers: {}}
    return RemoteEntry(entry, form.headers, wanted)


def question(header: str) -> str:
    """Return what stands for the answer of a person, in a header's value."""
    scheme = "Bearer " if header == "Authorization" else ""
    return f"{scheme}${{input:{question_id(header)}}}"


def question_id(header: str) -> str:
    """Return the id of the question for a header."""
    return _variable(header).lower()


def _variable(header: str) -> str:
    name = header.upper().replace("-", "_").removeprefix("X_ODOO_")
    return f"ODOO_MCP_{name}"


def endpoint(text: str) -> str:
    """Return the URL of an endpoint, checked: an argument of the command line."""
    try:
        url = urlsplit(text)
        host, named = url.hostname or "", url.username or url.password
    except ValueError:
        host, named, url = "", None, urlsplit("")
    if url.scheme not in ("http", "https") or not host or url.fragment:
        raise argparse.ArgumentTypeError(f"{text!r} is not like https://mcp.example.com/mcp")
    if named:
        raise argparse.ArgumentTypeError("a URL with a password in it would be kept in the file")
    if url.scheme == "http" and not _is_here(host):
        raise argparse.ArgumentTypeError("http sends the keys unencrypted. Use https")
    return text


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
