"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from odoo_toolkit.errors import ValidationError


@contextlib.contextmanager
def written_beside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the path of a file to fill, which takes the place of ``path`` when it is full.

    Whatever ends the block early, a full disc or Ctrl-C, leaves no file behind, and one that was
    there before as it was.

    Args:
        path: of the file in the end. A link stays, and what it leads to is replaced.

    Raises:
        ValidationError: it is a directory or a device.
        OSError: it cannot be written; the message says that nothing has changed.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        raise ValidationError(
            f"{path} is not a file.",
            suggestion="Give the path of a file.",
            details={"field": "path"},
        )
    # Beside it, as only within one file system can one file take the place of another at once.
    part = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        part.touch(exist_ok=False)
        if place.exists():
            shutil.copymode(place, part)
            if not os.access(place, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        yield part
        os.replace(part, place)
    except OSError as error:
        there = "is as it was before" if place.exists() else "was not made"
        problem = f"{error.strerror or error}. The file {there}"
        raise OSError(error.errno, problem, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
