"""The skills that this server has: steps of common tasks, as Markdown files.

They are served as the extension ``io.modelcontextprotocol/skills`` says, and are resources for
clients that do not know it. The bytes are those of the package, and the same for everybody. Plugins
add folders with skills of theirs.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import attrs
from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    PaginatedRequestParams,
    RequestParams,
    Resource,
    TextResourceContents,
)

from odoo_toolkit_mcp.requests import Context

EXTENSION = "io.modelcontextprotocol/skills"

SCHEME = "skill://"
_FOLDER = Path(__file__).with_name("skills")
_FILE = "SKILL.md"
_MARKDOWN = "text/markdown"

#: Milliseconds for which a client may keep them: they change with the toolkit only.
_LIFETIME = 3_600_000


class GetSkillParams(RequestParams):
    """What ``skills/get`` is asked with: the address of a skill's SKILL.md."""

    uri: str


@attrs.frozen(kw_only=True)
class Skill:
    """A skill: one file, with what its first lines say of it."""

    frontmatter: dict[str, str]
    content: bytes = attrs.field(repr=False)

    @property
    def name(self) -> str:
        """Its name, which is that of its folder."""
        return self.frontmatter["name"]

    @property
    def uri(self) -> str:
        """The address of its file."""
        return f"{SCHEME}{self.name}/{_FILE}"

    @property
    def entry(self) -> dict[str, Any]:
        """What ``skills/list`` tells of it; who approves a skill approves these digests."""
        digest = f"sha256:{hashlib.sha256(self.content).hexdigest()}"
        file = {"uri": self.uri, "digest": digest, "size": len(self.content)}
        return {"uri": self.uri, "frontmatter": self.frontmatter, "resources": [file]}


@functools.cache
def skills(added: tuple[Path, ...] = ()) -> dict[str, Skill]:
    """Return all skills by their addresses, in the order of their names; those of plugins last.

    Args:
        added: folders with a folder for each skill of a plugin.
    """
    folders = (_FOLDER, *added)
    found = [_read(path) for folder in folders for path in sorted(folder.glob(f"*/{_FILE}"))]
    return {skill.uri: skill for skill in found}


def _read(path: Path) -> Skill:
    """Read a skill; the lines between the first two marks are ``key: text`` each."""
    content = path.read_bytes()
    head = content.decode().split("---\n")[1]
    pairs = (line.partition(": ") for line in head.splitlines())
    return Skill(frontmatter={key: text for key, _, text in pairs}, content=content)


def names() -> list[str]:
    """Return the names of the skills."""
    return [skill.name for skill in skills().values()]


def resources(added: tuple[Path, ...] = ()) -> list[Resource]:
    """Return the skills as resources, for clients that know nothing of skills."""
    return [
        Resource(
            uri=skill.uri,
            name=skill.name,
            title=f"Skill: {skill.name}",
            description=skill.frontmatter["description"],
            mime_type=_MARKDOWN,
            size=len(skill.content),
        )
        for skill in skills(added).values()
    ]


def read(uri: str, added: tuple[Path, ...] = ()) -> TextResourceContents:
    """Return the text of a skill.

    Raises:
        MCPError: there is no such skill.
    """
    text = _skill(uri, added).content.decode()
    return TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=text)


def skill_handlers(added: Callable[[], Awaitable[tuple[Path, ...]]]) -> dict[str, Any]:
    """Return the handlers of ``skills/list`` and ``skills/get``, each with its parameters' class.

    Args:
        added: returns the folders of the plugins' skills.
    """

    async def answer_list(ctx: Context, params: PaginatedRequestParams | None) -> dict[str, Any]:
        """Answer with all of them at once."""
        return _cached({"skills": [skill.entry for skill in skills(await added()).values()]})

    async def answer_get(ctx: Context, params: GetSkillParams) -> dict[str, Any]:
        return _cached({"skill": _skill(params.uri, await added()).entry})

    return {
        "skills/list": (PaginatedRequestParams, answer_list),
        "skills/get": (GetSkillParams, answer_get),
    }


def _cached(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "ttlMs": _LIFETIME, "cacheScope": "public"}


def _skill(uri: str, added: tuple[Path, ...]) -> Skill:
    found = skills(added).get(uri)
    if found is None:
        message = f"This skill does not exist. Available skills: {', '.join(skills(added))}."
        raise MCPError(INVALID_PARAMS, message, {"uri": uri[:500]})
    return found
