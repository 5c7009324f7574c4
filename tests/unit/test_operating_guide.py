"""The guides for administrators: their settings, metrics and files are right."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import attrs
import pytest
import tomlkit

from docs.builder import settings
from odoo_toolkit.configuration import load
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit_mcp.accounts import team
from odoo_toolkit_mcp.accounts.passwords import hash_password
from odoo_toolkit_mcp.accounts.team import team_of
from odoo_toolkit_mcp.metrics import Metrics
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from tests.proxies.paths import FOR_THE_MACHINE, let_through, paths_of_a_team
from tests.team.people import NOWHERE

pytestmark = pytest.mark.lint

DOCS = Path(__file__).parents[2] / "docs"
HTTP, MONITORING, OPERATING, RULES, SINGLE_SIGN_ON = (
    (DOCS / f"{name}.md").read_text("utf-8")
    for name in ("http", "monitoring", "operating", "team-rules", "team-sign-in")
)
FILES = DOCS / "operating"


def blocks(guide: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", guide, re.DOTALL)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The settings of the guide, with credentials in place of the dots."""
    (block,) = [block for block in blocks(HTTP, "sh") if "\nODOO_MCP_TRANSPORT=http\n" in block]
    lines = dict(re.findall(r"^(ODOO_\w+)=(.*)$", block, re.MULTILINE))
    assert len(lines) > 10
    lines["ODOO_MCP_AUDIT_FILE"] = str(tmp_path / "audit.jsonl")
    return {name: "x" * 32 if value == "..." else value for name, value in lines.items()}


def test_its_settings_make_a_server(environ: dict[str, str]) -> None:
    connection, problems = load(ConnectionSettings, environ=environ)
    server, more = load(ServerSettings, environ=environ)

    assert problems + more == []
    assert connection is not None
    assert server is not None
    read = {f.metadata["env"] for c in (connection, server) for f in c.__attrs_attrs__}
    assert set(environ) <= read


@pytest.fixture
def exposed(environ: dict[str, str]) -> set[str]:
    """The names of the metrics that a server with these settings tells."""
    connection, _ = load(ConnectionSettings, environ=environ)
    settings, _ = load(ServerSettings, environ=environ)
    assert connection is not None
    assert settings is not None
    text = Metrics(OdooServer(connection, settings, [])).text().decode()
    return set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))


def test_its_metrics_are_those_that_there_are(exposed: set[str]) -> None:
    exposed = {name for name in exposed if name.startswith("odoo_mcp_")}
    assert set(re.findall(r"^\| `(odoo_mcp_\w+)`", MONITORING, re.MULTILINE)) == exposed
    asked = set(re.findall(r"odoo_mcp_\w+", "".join(blocks(MONITORING, ""))))
    assert {re.sub("_(sum|bucket|count)$", "", name) for name in asked} <= exposed


def test_its_json_is_json() -> None:
    for block in [*blocks(HTTP, "json"), *blocks(MONITORING, "json")]:
        json.loads(block)


def test_each_file_beside_it_is_shown_or_linked() -> None:
    for path in FILES.iterdir():
        assert f"](operating/{path.name})" in OPERATING + MONITORING, path.name


def test_the_dashboard_asks_for_metrics_that_there_are_and_for_all(exposed: set[str]) -> None:
    dashboard = json.loads((FILES / "grafana.json").read_text("utf-8"))
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]

    named = set(re.findall(r"\b(?:odoo_mcp|process)_\w+", " ".join(asked)))
    plain = {re.sub("_(sum|bucket|count)$", "", name) for name in named}
    assert plain <= exposed
    assert {name for name in exposed if name.startswith("odoo_mcp_")} <= plain
    # Each of them has the name of the job chosen above the panels, and an identity of its own.
    assert [
        one for one in asked for name in re.findall(r"_\w+\{(.*?)\}", one) if "$job" not in name
    ] == []
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_the_panels_of_the_dashboard_do_not_cover_each_other() -> None:
    dashboard = json.loads((FILES / "grafana.json").read_text("utf-8"))
    covered: set[tuple[int, int]] = set()
    for place in (panel["gridPos"] for panel in dashboard["panels"]):
        columns = range(place["x"], place["x"] + place["w"])
        fields = {(x, place["y"] + y) for x in columns for y in range(place["h"])}
        assert max(columns) < 24
        assert not fields & covered
        covered |= fields


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not on this machine.")
    text = (FILES / "odoo-toolkit-mcp.service").read_text("utf-8")
    assert "/opt/odoo-toolkit/bin/odoo-toolkit-mcp\n" in text
    team = (FILES / "team.conf").read_text("utf-8")
    unit = tmp_path / "odoo-toolkit-mcp.service"
    more = tmp_path / "odoo-toolkit-mcp.service.d" / "team.conf"
    more.parent.mkdir()
    for path, said in ((unit, text), (more, team)):
        path.write_text(re.sub(r"(?m)^ExecStart=/\S+", f"ExecStart={verify}", said), "utf-8")

    checked = subprocess.run([verify, "verify", unit], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_no_proxy_takes_less_than_the_server() -> None:
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", (FILES / "nginx.conf").read_text())
    assert int(megabytes) * 1024 * 1024 >= ServerSettings().max_body_bytes


def test_each_path_of_a_teams_server_is_let_through_by_each_proxy(tmp_path: Path) -> None:
    paths = paths_of_a_team(tmp_path)

    assert {"/mcp", "/consent", "/static/pages.css"} <= paths
    for name, pattern in let_through().items():
        assert {path for path in paths if not pattern.search(path)} == set(), name
        assert {path for path in FOR_THE_MACHINE if pattern.search(path)} == set(), name


def test_the_settings_of_another_server_in_the_environment_do_not_matter_to_a_team(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    content = {
        "public_url": "https://mcp.example.com",
        "port": "env:PORT",
        "instances": {"main": dict(NOWHERE)},
    }
    monkeypatch.setenv("PORT", "8081")
    alone = team_of(content, tmp_path)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    assert team_of(content, tmp_path) == alone
    assert alone.server.port == 8081


@pytest.mark.parametrize("guides", [[RULES], [OPERATING], [RULES, SINGLE_SIGN_ON]])
def test_the_guides_examples_of_team_toml_are_valid(
    guides: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in {"SERVER_KEY": "0" * 40, "MCP_KEYS": "0" * 64, "PORT": "8081"}.items():
        monkeypatch.setenv(name, value)
    text = "\n".join(blocks(guide, "toml")[0] for guide in guides)
    text = text.replace("scrypt:...", hash_password("a long password")).replace(
        '"..."', f'"{"0" * 40}"'
    )

    found = team_of(tomlkit.parse(text).unwrap(), tmp_path)
    assert found.instances["production"].rules


def test_the_guide_lists_every_setting_of_team_toml() -> None:
    (reference,) = settings.pages().values()
    named = set(re.findall(r"`(\w+)[` ]", RULES + reference.partition("## team.toml")[2]))

    of_team = {field.name for field in attrs.fields(team.Team)} - {"instances", "server"}
    of_rule = {"logins", "groups", "claims", "allow", *team._OF_RULE}
    of_issuer = {name for name in team._NOT_HERE if name.startswith("auth_")}
    assert of_team | of_rule | {*team._OF_SERVER} | team._NOT_HERE.keys() - of_issuer <= named
