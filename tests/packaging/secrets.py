"""Looks for keys and passwords in the files of the checkout, by detect-secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.packaging.distributions import files
from tests.packaging.tools import ROOT, tool
from tests.provisioning.cache import ProvisioningError, progress, run

#: What it finds that is none: examples, and the passwords of test servers.
BASELINE = "tests/packaging/secrets.baseline"

#: To be run, from the root, when a new example or a test's password has been looked at.
ACCEPT = f"detect-secrets scan --baseline {BASELINE} --exclude-files {BASELINE}"

Findings = Mapping[str, list[dict[str, Any]]]


def check() -> None:
    """Scan the files, and fail for what is not among the known ones.

    Raises:
        ProvisioningError: something looks like a secret.
    """
    progress("Secrets")
    known = json.loads((ROOT / BASELINE).read_text("utf-8"))["results"]
    command: list[str | Path] = [tool("detect-secrets"), "scan"]
    command += sorted(set(files()) - {BASELINE})
    found = json.loads(run(command, failure="The files could not be scanned.", cwd=ROOT))["results"]
    if new := unknown(found, known):
        raise ProvisioningError(
            f"These look like secrets: {', '.join(new)}. Take them out, and change them where they"
            f" were ever used. If they are none, run in the checkout: {tool(ACCEPT.split()[0])}"
            f" {ACCEPT.partition(' ')[2]}"
        )


def unknown(found: Findings, known: Findings) -> list[str]:
    """Return where something is found that is not known; what has merely moved is known."""
    hashes = {(path, one["hashed_secret"]) for path, every in known.items() for one in every}
    return [
        f"{path}:{one['line_number']} ({one['type']})"
        for path, every in found.items()
        for one in every
        if (path, one["hashed_secret"]) not in hashes
    ]
