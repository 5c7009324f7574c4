"""Installs the distributions into fresh environments and uses them there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from odoo_toolkit.installation import DISTRIBUTION
from tests.mcp.stdio_client import StdioClient
from tests.packaging.distributions import metadata
from tests.packaging.tools import ROOT, tool, uv
from tests.provisioning.cache import progress, run
from tests.provisioning.pythons import find_python

#: Another project, with a folder ``odoo_toolkit`` of its own.
FOREIGN = "odoo-toolkit==3.3.0"

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

#: What is installed together: no extra, each by itself, and all.
COMBINATIONS = ("", "cli", "pandas", "cli,pandas")

#: Enough for a server to start; Odoo is asked nothing before a tool is called.
SETTINGS = {
    "ODOO_URL": "http://127.0.0.1:9",
    "ODOO_DB": "x",
    "ODOO_USERNAME": "x",
    "ODOO_PASSWORD": "x",
}

#: Imports every module of both packages, but those that are named.
_IMPORT_ALL = """
import importlib, pkgutil, sys
for name in ("odoo_toolkit", "odoo_toolkit_mcp"):
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        left_out = any(f"{module.name}.".startswith(f"{one}.") for one in sys.argv[1:])
        if not left_out and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""


def check_matrix(wheel: Path, source: Path, target: Path) -> list[str]:
    """Install the wheel with each combination of extras on each Python, and use what is there.

    Returns:
        The versions of Python that were not found.
    """
    extras = metadata(wheel).get_all("Provides-Extra") or []
    missing = []
    for version in PYTHONS:
        python = find_python((version,))
        if python is None:
            missing.append(version)
            continue
        for combination in COMBINATIONS:
            chosen = [one for one in combination.split(",") if one]
            if set(chosen) <= set(extras):
                name = f"Python {version}, {combination or 'no extra'}"
                progress(name)
                environment = target / f"{version}-{combination or 'bare'}"
                install(environment, python, [f"{wheel}[{combination}]" if chosen else str(wheel)])
                use(environment, chosen, str(metadata(wheel)["Version"]))
    progress("Source distribution")
    environment = target / "source"
    install(environment, Path(sys.executable), [str(source)])
    use(environment, [], str(metadata(wheel)["Version"]))
    return missing


def install(environment: Path, python: Path, packages: list[str], *options: str) -> None:
    """Make an environment and install packages into it."""
    uv("venv", "--quiet", "--clear", "--python", python, environment, failure="No environment.")
    command = ["pip", "install", "--quiet", "--python", str(environment / "bin/python"), *options]
    uv(*command, *packages, failure=f"{', '.join(packages)} could not be installed.", cwd=ROOT)


def use(environment: Path, extras: Sequence[str], version: str) -> None:
    """Import all modules that the extras are enough for, and run the commands."""
    # The command needs an extra to be imported; the other module never can be.
    left_out = ["odoo_toolkit.connect", *([] if "cli" in extras else ["odoo_toolkit.cli"])]
    command: list[str | Path] = [environment / "bin/python", "-c", _IMPORT_ALL, *left_out]
    run(command, failure="A module cannot be imported.", cwd=environment)
    check_server([str(environment / "bin/odoo-toolkit-mcp")], version)
    if "cli" in extras:
        run([environment / "bin/odoo-toolkit", "--help"], failure="odoo-toolkit does not run.")
    else:
        _check_refusal(environment / "bin/odoo-toolkit", "pip install 'odoo-toolkit-mcp[cli]'")


def check_server(command: list[str], version: str) -> None:
    """Ask a command for its help and version, and shake hands with the server that it starts."""
    said = run([*command, "--help"], failure="The command does not run.")
    assert "ODOO_MCP_MODE" in said, said
    said = run([*command, "--version"], failure="No version.")
    assert said.strip() == f"odoo-toolkit-mcp {version}", said
    assert "mcpServers" in run([*command, "config", "cursor"], failure="No configuration.")
    check_handshake(command, SETTINGS, version)


def check_handshake(command: list[str], settings: dict[str, str], version: str) -> None:
    """Shake hands with a server over standard input and output."""
    with StdioClient(settings, command=tuple(command)) as client:
        server = client.initialize()["result"]["serverInfo"]
        assert server["version"] == version, server
        assert client.request("ping")["result"] == {}
        assert client.request("skills/list")["result"]["skills"], "The skills are missing."


def _check_refusal(command: Path, cure: str) -> None:
    """A command that cannot work says what to run."""
    done = subprocess.run(
        [command], env=SETTINGS, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode, done
    assert cure in done.stderr, done.stderr
    assert "Traceback" not in done.stderr, done.stderr


def check_clash(wheel: Path, target: Path) -> None:
    """Beside the project that has the same folder, each way in says so, and how to mend it.

    Both orders of installation are tried, and what is left when the other project is removed.
    """
    version = str(metadata(wheel)["Version"])
    for number, order in enumerate(((str(wheel), FOREIGN), (FOREIGN, str(wheel)))):
        progress(f"Beside {FOREIGN}, {('installed before it', 'installed after it')[number]}")
        environment = target / f"clash-{number}"
        install(environment, Path(sys.executable), [f"{wheel}[cli]"])
        pip = ["--quiet", "--python", str(environment / "bin/python")]
        uv("pip", "uninstall", *pip, DISTRIBUTION, failure="It could not be removed.")
        for one in order:
            uv("pip", "install", *pip, "--no-deps", one, failure=f"{one} was not installed.")
        _check_clash(environment, f"pip uninstall odoo-toolkit {DISTRIBUTION}")
        uv("pip", "uninstall", *pip, "odoo-toolkit", failure="It could not be removed.")
        repair = ["--force-reinstall", "--no-deps"]
        _check_clash(environment, f"pip install {' '.join(repair)} {DISTRIBUTION}")
        uv("pip", "install", *pip, *repair, wheel, failure="The repair failed.")
        use(environment, ["cli"], version)


def _check_clash(environment: Path, cure: str) -> None:
    """Both commands, and a script's first line, say what to run."""
    for name in ("odoo-toolkit", "odoo-toolkit-mcp"):
        _check_refusal(environment / "bin" / name, cure)
    script = "from odoo_toolkit import connect"
    done = subprocess.run(
        [environment / "bin/python", "-I", "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr.splitlines()[-1].startswith("ImportError: "), done.stderr
    assert cure in done.stderr, done.stderr


def check_lowest(wheel: Path, target: Path) -> None:
    """Use the oldest versions that setup.cfg allows, on the oldest Python that is here."""
    python = find_python(PYTHONS)
    assert python is not None
    progress("The oldest versions that are allowed")
    environment = target / "lowest"
    extras = [
        one for one in ("cli", "pandas") if one in (metadata(wheel).get_all("Provides-Extra") or [])
    ]
    oldest = ["--resolution", "lowest-direct", "--requirements", "setup.cfg"]
    install(environment, python, [], *oldest, *(f"--extra={one}" for one in extras))
    pip = ["pip", "install", "--quiet", "--python", str(environment / "bin/python")]
    uv(*pip, "--no-deps", wheel, failure="The wheel could not be installed.")
    use(environment, extras, str(metadata(wheel)["Version"]))


def check_runners(wheel: Path, target: Path) -> None:
    """Run the server as pipx and uvx do, and install it with pip."""
    version = str(metadata(wheel)["Version"])
    package = str(wheel)
    progress("uvx")
    # As "uvx odoo-toolkit-mcp" does, once there is such a release.
    check_server([str(tool("uvx")), "--quiet", "--from", package, DISTRIBUTION], version)
    progress("pipx")
    home = {"PIPX_HOME": str(target / "pipx"), "PIPX_BIN_DIR": str(target / "pipx-bin")}
    run([tool("pipx"), "install", "--quiet", package], failure="pipx install failed.", env=home)
    check_server([str(target / "pipx-bin/odoo-toolkit-mcp")], version)


def list_components(wheel: Path, folder: Path, environment: Path) -> Path:
    """Write what the server consists of (SBOM, CycloneDX) into a folder, and return the file."""
    progress("List of components")
    package = f"{DISTRIBUTION}=={metadata(wheel)['Version']}"
    install(environment, Path(sys.executable), [package], "--find-links", str(wheel.parent))
    file = folder / f"{DISTRIBUTION}.cdx.json"
    command: list[str | Path] = [tool("cyclonedx-py"), "environment", environment / "bin/python"]
    options = ["--output-reproducible", "--output-format", "JSON", "--output-file", str(file)]
    run([*command, *options], failure="The components could not be listed.")
    return file
