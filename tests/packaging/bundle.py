"""Makes the MCP bundle (``.mcpb``): a zip file that desktop clients install with a click.

Its manifest is of version 0.4 and its server of the type ``uv``: the client's uv installs the
wheel, which is in the bundle, and what it needs, in the versions written down when it was made.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

from odoo_toolkit.installation import DISTRIBUTION
from tests.packaging.distributions import metadata
from tests.packaging.environments import check_handshake
from tests.packaging.tools import ROOT, mcpb_package, tool, uv
from tests.provisioning.cache import progress, run

MAIN = '''\
"""Starts the MCP server, which uv has installed from the wheel of this bundle."""

import sys

from odoo_toolkit_mcp.cli import main

if __name__ == "__main__":
    sys.exit(main())
'''

PROJECT = """\
[project]
name = "odoo-toolkit-mcp-bundle"
version = "{version}"
requires-python = "{python}"
dependencies = ["odoo-toolkit-mcp"]

[tool.uv]
package = false
constraint-dependencies = {constraints}

[tool.uv.sources]
odoo-toolkit-mcp = {{ path = "{wheel}" }}
"""

#: What the client asks the person for, by the variable that it sets. What is left empty is not set.
QUESTIONS: dict[str, dict[str, Any]] = {
    "ODOO_URL": {
        "title": "Address of Odoo",
        "description": "Such as https://example.odoo.com",
        "required": True,
    },
    "ODOO_USERNAME": {
        "title": "Login",
        "description": "The Odoo user; take one who may do no more than the model should",
        "required": True,
    },
    "ODOO_API_KEY": {
        "title": "API key",
        "description": "Made in Odoo under Preferences, Account Security",
        "required": True,
        "sensitive": True,
    },
    "ODOO_DB": {
        "title": "Database",
        "description": "Only where the server has several",
        "default": "",
    },
    "ODOO_MCP_MODE": {
        "title": "Mode",
        "description": "readonly changes nothing; restricted writes the models below;"
        " full does all that the user may",
        "default": "readonly",
    },
    "ODOO_MCP_WRITE_ALLOWLIST": {
        "title": "Models to write in restricted mode",
        "description": "Separated by commas, such as res.partner,crm.lead",
        "default": "",
    },
}


def manifest(wheel: Path) -> dict[str, Any]:
    """Return the manifest for a wheel."""
    about = metadata(wheel)
    keys = {variable: variable.removeprefix("ODOO_").lower() for variable in QUESTIONS}
    command = {
        "command": "uv",
        "args": ["run", "--directory", "${__dirname}", "server/main.py"],
        "env": {variable: f"${{user_config.{key}}}" for variable, key in keys.items()},
    }
    return {
        "manifest_version": "0.4",
        "name": about["Name"],
        "display_name": "Odoo",
        "version": about["Version"],
        "description": about["Summary"],
        "author": {"name": "The Odoo toolkit developers"},
        "license": about["License"],
        "keywords": ["odoo", "erp", "crm", "accounting"],
        "server": {"type": "uv", "entry_point": "server/main.py", "mcp_config": command},
        "tools_generated": True,
        "prompts_generated": True,
        "user_config": {
            keys[variable]: {"type": "string", **question}
            for variable, question in QUESTIONS.items()
        },
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": about["Requires-Python"]},
        },
    }


def make_bundle(wheel: Path, target: Path) -> Path:
    """Write the bundle for a wheel into a folder and return it.

    The same wheel, and the same versions of what it needs, give the same bytes.
    """
    about = metadata(wheel)
    project = PROJECT.format(
        version=about["Version"],
        python=about["Requires-Python"],
        constraints=json.dumps(_versions(wheel), indent=4),
        wheel=wheel.name,
    )
    content = {
        "manifest.json": json.dumps(manifest(wheel), indent=2).encode() + b"\n",
        "pyproject.toml": project.encode(),
        "server/main.py": MAIN.encode(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        wheel.name: wheel.read_bytes(),
    }
    target.mkdir(parents=True, exist_ok=True)
    bundle = target / f"{about['Name']}-{about['Version']}.mcpb"
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return bundle


def _versions(wheel: Path) -> list[str]:
    """Return the versions of all that the server needs, for every platform."""
    wanted = wheel.parent / "bundle-requirements.in"
    wanted.write_text(f"{DISTRIBUTION} @ {wheel.resolve().as_uri()}\n", "utf-8")
    oldest = metadata(wheel)["Requires-Python"].removeprefix(">=")
    options = ["--quiet", "--universal", "--python-version", oldest, "--no-header", "--no-annotate"]
    found = uv("pip", "compile", *options, wanted, failure="What the bundle needs is not found.")
    return [line.strip() for line in found.splitlines() if "==" in line]


def check_bundle(bundle: Path, target: Path) -> bool:
    """Validate a bundle by the published schema, and start it as a client does.

    Returns:
        Whether there is a Node to do it with.
    """
    progress("MCP bundle")
    package = mcpb_package()
    if package is None:
        return False
    shutil.rmtree(target, ignore_errors=True)
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(target)
    cli = package / "dist/cli/cli.js"
    run(["node", cli, "validate", target / "manifest.json"], failure="The manifest is wrong.")
    schema = package / "schemas/mcpb-manifest-v0.4.schema.json"
    check_schema(schema, target / "manifest.json")
    command = _resolved(package, target)
    uv_folder = str(tool("uv").parent)
    assert command["command"] == "uv", command
    version = json.loads((target / "manifest.json").read_text("utf-8"))["version"]
    check_handshake([f"{uv_folder}/uv", *command["args"]], command["env"], version)
    return True


def check_schema(schema: Path, document: Path) -> None:
    """Validate a JSON document by a JSON schema."""
    program = (
        "import json, sys, jsonschema;"
        "schema, document = (json.load(open(name, encoding='utf-8')) for name in sys.argv[1:]);"
        "jsonschema.validators.validator_for(schema)(schema).validate(document)"
    )
    run([tool("python"), "-c", program, schema, document], failure=f"{document.name} is wrong.")


def _resolved(package: Path, folder: Path) -> dict[str, Any]:
    """Return the command of a bundle, as a client makes it of what the person answered."""
    program = f"""
        import {{ getMcpConfigForManifest }} from {json.dumps(str(package / "dist/index.js"))};
        import {{ readFileSync }} from "fs";
        const folder = {json.dumps(str(folder))};
        console.log(JSON.stringify(await getMcpConfigForManifest({{
            manifest: JSON.parse(readFileSync(folder + "/manifest.json")),
            extensionPath: folder, systemDirs: {{}}, pathSeparator: "/",
            userConfig: {{ url: "http://127.0.0.1:9", username: "x", api_key: "x" }},
        }})));
    """
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    command: dict[str, Any] = json.loads(done.stdout)
    return command
