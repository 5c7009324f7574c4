"""What the doctor says of plugins: which can be used, which not and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
    assert step.name == "plugins"
    assert all(row["used"] == (not row["why_not"]) for row in step.details)
    return {row["plugin"]: row["why_not"] for row in step.details}


def test_plugins_that_can_be_used_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Their models are there, in both forms."""
    install_rental(monkeypatch, tmp_path)
    for variable, value in (("PLUGINS", "rental"), ("PLUGIN_FILES", str(FILE))):
        with monkeypatch.context() as patch:
            patch.setenv(f"ODOO_MCP_{variable}", value)

            step = look_at_plugins(lambda: memory.connection()[0])

        assert looked(step) == {"rental": ""}
        assert step and step.status == "ok"  # noqa: PT018
        assert step.meaning == "The MCP server can use 1 of the 1 in its settings."


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
    assert reasons == {"rental": "It does not support Odoo 18."}

    def gone() -> object:
        raise OdooConnectionError("It does not answer.", outcome="not_sent", retry=False)

    monkeypatch.setattr("odoo_toolkit.cli.doctor_plugins.problems_in_odoo", lambda *_: gone())
    reasons = looked(look_at_plugins(lambda: memory.connection()[0]))
    assert reasons == {"rental": "It does not answer."}
