"""Makes ``server.json``, the entry of the MCP registry: it points to the bundle of a release."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from odoo_toolkit.installation import DISTRIBUTION
from tests.packaging.bundle import check_schema
from tests.packaging.distributions import metadata
from tests.packaging.tools import registry_schema

DESCRIPTION = "Odoo 14 to 19: records, sales, books, stock and more; readonly unless told otherwise"


def server_json(wheel: Path, bundle: Path, repository: str) -> dict[str, Any]:
    """Return the entry for a release.

    Args:
        wheel: says which version it is.
        bundle: the file that the release offers.
        repository: address of the repository, with its owner; the entry is the owner's.
    """
    version = metadata(wheel)["Version"]
    owner = re.fullmatch(r"/([^/]+)/[^/]+", urlsplit(repository).path)
    if owner is None:
        raise SystemExit(f"{repository} is not the address of a repository, with its owner.")
    return {
        # It says by which schema the entry was validated.
        "$schema": json.loads(registry_schema().read_text("utf-8"))["$id"],
        "name": f"io.github.{owner[1]}/{DISTRIBUTION}",
        "title": "Odoo toolkit",
        "description": DESCRIPTION,
        "version": version,
        "repository": {"url": repository, "source": "github"},
        "packages": [
            {
                "registryType": "mcpb",
                "identifier": f"{repository}/releases/download/v{version}/{bundle.name}",
                "fileSha256": hashlib.sha256(bundle.read_bytes()).hexdigest(),
                "version": version,
                "transport": {"type": "stdio"},
            }
        ],
    }


def make_server_json(wheel: Path, bundle: Path, repository: str, target: Path) -> Path:
    """Write the entry into a folder, validate it by the published schema, and return the file."""
    file = target / "server.json"
    entry = server_json(wheel, bundle, repository)
    file.write_text(json.dumps(entry, indent=2) + "\n", "utf-8")
    check_schema(registry_schema(), file)
    return file
