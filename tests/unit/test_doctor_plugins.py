"""What the doctor says of plugins: which can be used, which not and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from odoo_toolkit.cli import main
from odoo_toolkit.cli.doctor_plugins import look_at_plugins
from odoo_toolkit.doctor import Step
from odoo_toolkit.errors import OdooConnectionError
from odoo_toolkit.plugins import load
from tests.rental import memory
from tests.rental.installed import FILE, install_rental
from tests.unit.fake_shell import depot


@pytest.fixture(autouse=True)
def _nothing_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("ODOO_URL", "ODOO_PROFILE", "ODOO_MCP_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    yield
    load()


def looked(step: Step | None) -> dict[str, str]:
    """Return why each plugin is not used; empty for those that are."""
    assert step
    assert step.name == "plugins"
    assert all(row["used"] == (not row["why_not"]) for row in step.details)
    return {row["plugin"]: row["why_not"] for row in step.details}


def test_without_plugins_there_is_no_such_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Most people have none."""
    assert look_at_plugins(None) is None
    assert main(["doctor"]) == 3
    assert "plugins" not in capsys.readouterr().out


def test_plugins_that_can_be_used_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Their models are there, in both forms."""
    install_rental(monkeypatch, tmp_path)
    for variable, value in (("PLUGINS", "rental"), ("PLUGIN_FILES", str(FILE))):
        with monkeypatch.context() as patch:
            patch.setenv(f"ODOO_MCP_{variable}", value)

            step = look_at_plugins(lambda: memory.connection()[0])

        assert looked(step) == {"rental": ""}
        assert step and step.status == "ok"  # noqa: PT018
        assert step.meaning == "The MCP server can use 1 of the 1 that it is told to use."


def test_each_that_cannot_be_used_is_told_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Unknown, wrong, twice; and what is right is used all the same."""
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(FILE.read_text("utf-8").replace('"action_confirm"', '"sudo"'), "utf-8")
    again = tmp_path / "again.toml"
    again.write_text(FILE.read_text("utf-8"), "utf-8")
    monkeypatch.setenv("ODOO_MCP_PLUGINS", "nobodys")
    monkeypatch.setenv("ODOO_MCP_PLUGIN_FILES", f"{FILE},{wrong},{again}")

    step = look_at_plugins(None)

    reasons = looked(step)
    assert reasons["rental"] == ""
    assert "No installed package has a plugin 'nobodys'" in reasons["nobodys"]
    assert "must not call sudo" in reasons[str(wrong)]
    assert "another plugin named 'rental'" in reasons[str(again)]
    assert step and step.status == "warning"  # noqa: PT018
    assert "were not looked for, as there is no connection" in step.meaning
    assert not caplog.records


def test_a_plugin_whose_models_this_odoo_has_not_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nor one for another Odoo, nor one that cannot be looked at."""
    monkeypatch.setenv("ODOO_MCP_PLUGIN_FILES", str(FILE))
    assert "rental.contract" in looked(look_at_plugins(lambda: depot().connect()))["rental"]

    newer = tmp_path / "newer.toml"
    text = FILE.read_text("utf-8").replace('name = "rental"', 'name = "rental"\nmin_odoo = 19', 1)
    newer.write_text(text, "utf-8")
    monkeypatch.setenv("ODOO_MCP_PLUGIN_FILES", str(newer))
    assert looked(look_at_plugins(lambda: memory.connection(version=19)[0])) == {"rental": ""}
    reasons = looked(look_at_plugins(lambda: memory.connection(version=18)[0]))
    assert reasons == {"rental": "It is for another Odoo than 18."}

    def gone() -> object:
        raise OdooConnectionError("It does not answer.", outcome="not_sent", retry=False)

    monkeypatch.setattr("odoo_toolkit.cli.doctor_plugins.problems_in_odoo", lambda *_: gone())
    reasons = looked(look_at_plugins(lambda: memory.connection()[0]))
    assert reasons == {"rental": "It does not answer."}


def test_the_server_s_settings_file_is_read_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As the server reads it; one that cannot be read is a problem."""
    config = tmp_path / "server.json"
    monkeypatch.setenv("ODOO_MCP_CONFIG", str(config))
    config.write_text('{"odoo_mcp_plugins": ["nobodys"]}', "utf-8")
    assert list(looked(look_at_plugins(None))) == ["nobodys"]

    for text, said in (('{"odoo_mcp_plugins": 7}', "comma-separated"), ("{", "cannot be read")):
        config.write_text(text, "utf-8")
        step = look_at_plugins(None)
        assert step and step.status == "problem"  # noqa: PT018
        assert said in step.meaning
    assert main(["doctor"]) == 3
