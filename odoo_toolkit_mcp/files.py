"""Files that tools return: the ways to deliver them, and those kept for a while to be read."""

from __future__ import annotations

import base64
import binascii
import datetime
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Literal, Protocol

import attrs
from mcp.types import (
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
)

#: Seconds for which a file can be read by its link.
LIFETIME = 900.0

#: Files and bytes kept for one user, and for all of them.
MOST_FILES, MOST_BYTES = 20, 32 * 1024 * 1024
MOST_FILES_IN_ALL, MOST_BYTES_IN_ALL = 200, 128 * 1024 * 1024

#: The address of a kept file, before its token.
KEPT = "odoo://file/"

#: Base64 characters of the first bytes of a file, enough to tell a picture by.
_HEAD = 64

Delivery = Literal["embedded", "link", "base64", "file"]
"""How a file comes: in a content block, as an address for resources/read, as text of the answer,
or into the download folder."""

#: Way -> what the tool's parameter says of it.
WAYS: dict[str, str] = {
    "embedded": "as a resource or picture",
    "link": "as an address for resources/read",
    "base64": "in the result, for clients that show neither",
    "file": "written to the download folder",
}


@attrs.frozen(kw_only=True)
class File:
    """A file in the result of a tool.

    Attributes:
        content_base64: empty where the result has no content to deliver.
        address: a resource that has the content as long as Odoo has it; without one, the content
            is kept for a while.
        elsewhere: the address at which it is instead, on this machine or on the web.
        saved_as: its name in the download folder.
    """

    name: str
    mimetype: str | None
    size: int | None
    content_base64: str
    address: str | None = None
    elsewhere: str | None = None
    saved_as: str = ""


@attrs.frozen(kw_only=True)
class Delivered:
    """What an answer says of a file, beside its description.

    Attributes:
        blocks: follow the text.
        added: goes into the description.
        inline: whether the description keeps the content.
        warning: what could not be done as asked.
    """

    blocks: tuple[ContentBlock, ...] = ()
    added: dict[str, str] = attrs.field(factory=dict)
    inline: bool = False
    warning: str | None = None


@attrs.frozen
class Kept:
    """A file that is kept for whoever asked for it."""

    mimetype: str | None
    content: bytes = attrs.field(repr=False)


class Keeping(Protocol):
    """Keeps files that were made for somebody, who can read them for a while."""

    def keep(self, owner: Hashable, content: bytes, mimetype: str | None) -> str | None:
        """Keep a file and return its address; None where it cannot be kept."""
        ...

    def get(self, owner: Hashable, token: str) -> Kept | None:
        """Return a file; None where there is none of that user's by this token any more."""
        ...


@attrs.frozen
class _Held:
    owner: Hashable
    until: float
    file: Kept


class KeptFiles:
    """Keeps files in this process (see :class:`Keeping`); used by any thread.

    The oldest give way: those of the same user where that user has too many.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # By token, the oldest first.
        self._files: OrderedDict[str, _Held] = OrderedDict()
        self._changing = threading.Lock()

    def keep(self, owner: Hashable, content: bytes, mimetype: str | None) -> str | None:
        """Keep a file and return its address; None where it is too large to be kept."""
        size, token = len(content), secrets.token_urlsafe(24)
        if size > MOST_BYTES:
            return None
        with self._changing:
            self._drop_old()
            known = [(key, held.owner, len(held.file.content)) for key, held in self._files.items()]
            for key in giving_way(known, owner, size):
                del self._files[key]
            kept = Kept(mimetype, content)
            self._files[token] = _Held(owner, self._clock() + LIFETIME, kept)
        return f"{KEPT}{token}"

    def get(self, owner: Hashable, token: str) -> Kept | None:
        """Return a file; None where there is none of that user's by this token any more."""
        with self._changing:
            self._drop_old()
            held = self._files.get(token)
        return held.file if held is not None and held.owner == owner else None

    def _drop_old(self) -> None:
        now = self._clock()
        while self._files and next(iter(self._files.values())).until <= now:
            self._files.popitem(last=False)


def giving_way(
    known: Sequence[tuple[str, Hashable, int]], owner: Hashable, size: int
) -> frozenset[str]:
    """Return which files give way to one more, within the bounds of its owner and of all.

    Args:
        known: key, owner and size of each file, the oldest first.
        owner, size: of the new one.
    """
    own = [file for file in known if file[1] == owner]
    gone = _surplus(own, size, MOST_FILES, MOST_BYTES)
    rest = [file for file in known if file[0] not in gone]
    return gone | _surplus(rest, size, MOST_FILES_IN_ALL, MOST_BYTES_IN_ALL)


def _surplus(
    files: Sequence[tuple[str, Hashable, int]], size: int, most: int, most_bytes: int
) -> frozenset[str]:
    """Return the oldest of some files, so many that one more of this size fits beside the rest."""
    total, number, gone = sum(held for *_, held in files), len(files), set[str]()
    for key, _, held in files:
        if number < most and total + size <= most_bytes:
            break
        gone.add(key)
        number, total = number - 1, total - held
    return frozenset(gone)


def deliver(file: File, way: str, kept: Keeping, owner: Hashable, folder: str | None) -> Delivered:
    """Deliver a file in one of the ways.

    Args:
        file: of the result of a tool.
        way: see :data:`WAYS`.
        kept: keeps what can be read again.
        owner: who may read it again.
        folder: the download folder; ``file`` is offered only where there is one.

    Raises:
        OdooError: the folder cannot be written to.
    """
    if not file.content_base64:
        return Delivered(blocks=(_link(file, file.elsewhere),) if file.elsewhere else ())
    if way == "base64":
        return Delivered(inline=True)
    # Imported here: the server must be able to start without them.
    from odoo_toolkit.file_content import NewFile, human_size

    if way == "file" and folder is not None:
        with NewFile(folder, file.saved_as or file.name) as new:
            new.write(file.content_base64.encode("ascii"))
        link = _link(file, new.path.as_uri())
        return Delivered(blocks=(link,), added={"path": str(new.path)})
    added, warning = {}, None
    address = file.address
    if address is None:
        address = kept.keep(owner, base64.b64decode(file.content_base64), file.mimetype)
        until = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=LIFETIME)
        added["readable_until"] = until.isoformat(timespec="seconds")
    if address is None:
        added.clear()
        if way == "link":
            warning = (
                "The file is embedded instead of linked, because it has more than"
                f" {human_size(MOST_BYTES)} or the server cannot store it now."
            )
    else:
        added["uri"] = address
        if way == "link":
            return Delivered(blocks=(_link(file, address),), added=added)
    return Delivered(blocks=(_embedded(file, address),), added=added, warning=warning)


def _embedded(file: File, address: str | None) -> ContentBlock:
    """Return what its bytes show to be a picture as an image, else an embedded resource."""
    from odoo_toolkit.policy.files import picture_type

    data = file.content_base64
    if picture := picture_type(binascii.a2b_base64(data[:_HEAD])):
        return ImageContent(data=data, mime_type=picture)
    return EmbeddedResource(
        resource=BlobResourceContents(
            uri=address or f"{KEPT}not-kept", mime_type=file.mimetype, blob=data
        )
    )


def _link(file: File, address: str) -> ResourceLink:
    return ResourceLink(
        name=file.name, uri=address, mime_type=file.mimetype, size=file.size or None
    )
