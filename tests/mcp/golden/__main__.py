"""``python -m tests.mcp.golden`` (``make golden``) writes the files anew."""

from __future__ import annotations

from tests.mcp import list_sizes
from tests.mcp.golden import FOLDER, files

if __name__ == "__main__":
    written = files()
    for name, text in written.items():
        (FOLDER / name).write_text(text, "utf-8")
    for file in FOLDER.glob("*.json"):
        if file.name not in written:
            file.unlink()
    list_sizes.keep_what_shrank()
