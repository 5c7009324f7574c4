"""The server adds to an error what the library cannot know: settings and prompts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from odoo_toolkit.arguments.domain_shape import check_syntax
from odoo_toolkit.chatter.attachments import upload
from odoo_toolkit.errors import OdooError
from odoo_toolkit.file_content import NewFile
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.rules import IN_A_SCRIPT
from odoo_toolkit_mcp.results import error_object, failure, mcp_error
from tests.unit.scripted import Scripted


def raised(function: Callable[[], object]) -> OdooError:
    with pytest.raises(OdooError) as caught:
        function()
    return caught.value


def refusal(policy: Policy) -> OdooError:
    error = policy.model_problem("res.partner", "write")
    assert error is not None
    return error


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (refusal(Policy(mode="readonly")), "ODOO_MCP_MODE"),
        (refusal(Policy(mode="restricted")), "ODOO_MCP_WRITE_ALLOWLIST"),
        (refusal(Policy(model_allowlist=["sale.order"])), "ODOO_MCP_MODEL_ALLOWLIST"),
        (
            raised(lambda: upload(Scripted(19, {}), "res.partner", 1, "a", "YWJj", max_bytes=1)),
            "ODOO_MCP_ATTACHMENT_MAX_MB",
        ),
        (
            raised(lambda: NewFile("/no/such/folder", "a.txt")),
            "ODOO_MCP_DOWNLOAD_DIR",
        ),
        (raised(lambda: check_syntax([["name", "==", 1]], 19)), "odoo_domain_help"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_server_names_its_setting_or_prompt(error: OdooError, hint: str) -> None:
    assert hint not in error.suggestion
    told = error_object(error)
    assert told["suggestion"].startswith(error.suggestion.partition("Policy(")[0])
    assert "Policy(" not in told["suggestion"]
    assert hint in told["suggestion"]
    assert told == {**error.to_dict(), "suggestion": told["suggestion"]}
    # A tool's error says which one was called, whatever functions the suggestion names.
    assert failure("x", error).structured_content == {**told, "tool": "x"}
    assert mcp_error("x", error).error.data == told


def test_a_script_is_told_the_rule_and_a_client_the_setting() -> None:
    error = refusal(Policy(model_blocklist=["res.partner"]))
    assert "Policy(model_blocklist=...)" in error.suggestion
    assert "ODOO_MCP_MODEL_BLOCKLIST" in error_object(error)["suggestion"]


def test_a_client_is_not_told_of_what_only_opens_to_scripts() -> None:
    error = Policy().model_problem("ir.config_parameter", "read")
    assert "Policy(protect=False)" in error.suggestion
    assert error_object(error)["suggestion"] == error.suggestion.replace(IN_A_SCRIPT, "")
    assert "Policy" not in error_object(error)["suggestion"]
