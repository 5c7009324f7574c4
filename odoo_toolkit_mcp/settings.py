"""What the server can be told by command line, environment and settings file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.configuration import boolean, choice, comma_list, integer, setting, text
from odoo_toolkit.policy import Policy, policy_problems

if TYPE_CHECKING:
    from odoo_toolkit.connection.call import Access
    from odoo_toolkit.values import ReadOptions

#: mode -> the kinds of tools that are registered in it. What ``execute`` may call in each mode is
#: up to the policy.
MODE_ACCESS: Mapping[str, frozenset[Access]] = {
    "readonly": frozenset({"read", "execute"}),
    "restricted": frozenset({"read", "execute", "create", "write"}),
    "full": frozenset({"read", "execute", "create", "write", "delete"}),
}

#: The settings that are the policy's.
_POLICY = (
    "mode",
    "model_allowlist",
    "model_blocklist",
    "write_allowlist",
    "field_blocklist",
    "method_blocklist",
)


def _folder(value: Any) -> str:
    path = Path(text(value)).expanduser()
    if not path.is_dir():
        raise ValueError(f"must be an existing folder; there is none at {str(path)!r}.")
    return str(path.absolute())


@attrs.frozen(kw_only=True)
class ServerSettings:
    """The settings of the MCP server; those of the connection are the library's.

    Attributes:
        mode: readonly reads; restricted also creates and writes, models of the write allowlist
            only; full does everything that Odoo lets the user do.
        model_allowlist: only these models, when not empty.
        model_blocklist: never these models.
        write_allowlist: the models that restricted mode may write.
        search_limit: records that a search returns when the caller does not say.
        search_max_limit: records that a search returns at most.
        deep_search_depth: the deepest level of a deep search in one model, unless the caller says.
        strip_html: HTML fields become plain text.
        normalize_m2o: many2one values become ``{id, name}``.
        enabled_toolsets: only these toolsets, when not empty.
        disabled_toolsets: never these toolsets.
        rate_limit_read_rpm: calls of reading tools per minute, besides the common rate.
        rate_limit_write_rpm: calls of all other tools per minute, besides the common rate.
        attachment_max_mb: size in MB (of 1024 * 1024 bytes) up to which the content of a file is
            passed on in an answer or taken for an upload.
        download_dir: an existing folder that larger files are written to; without it they are
            not fetched.
        audit_file: where audit lines go; without it, to the log on stderr.
    """

    transport: str = setting("ODOO_MCP_TRANSPORT", parse=choice("stdio"), default="stdio")
    log_level: str = setting(
        "ODOO_MCP_LOG_LEVEL", parse=choice("debug", "info", "warning", "error"), default="info"
    )
    mode: str = setting("ODOO_MCP_MODE", parse=choice(*MODE_ACCESS), default="readonly")
    model_allowlist: tuple[str, ...] = setting(
        "ODOO_MCP_MODEL_ALLOWLIST", parse=comma_list, default=()
    )
    model_blocklist: tuple[str, ...] = setting(
        "ODOO_MCP_MODEL_BLOCKLIST", parse=comma_list, default=()
    )
    write_allowlist: tuple[str, ...] = setting(
        "ODOO_MCP_WRITE_ALLOWLIST", parse=comma_list, default=()
    )
    field_blocklist: tuple[str, ...] = setting(
        "ODOO_MCP_FIELD_BLOCKLIST", parse=comma_list, default=()
    )
    method_blocklist: tuple[str, ...] = setting(
        "ODOO_MCP_METHOD_BLOCKLIST", parse=comma_list, default=()
    )
    search_limit: int = setting("ODOO_MCP_SEARCH_LIMIT", parse=integer(minimum=1), default=80)
    search_max_limit: int = setting(
        "ODOO_MCP_SEARCH_MAX_LIMIT", parse=integer(minimum=1), default=500
    )
    deep_search_depth: int = setting(
        "ODOO_MCP_DEEP_SEARCH_DEPTH", parse=integer(minimum=1, maximum=5), default=3
    )
    strip_html: bool = setting("ODOO_MCP_STRIP_HTML", parse=boolean, default=True)
    normalize_m2o: bool = setting("ODOO_MCP_NORMALIZE_M2O", parse=boolean, default=True)
    enabled_toolsets: tuple[str, ...] = setting(
        "ODOO_MCP_ENABLED_TOOLSETS", parse=comma_list, default=()
    )
    disabled_toolsets: tuple[str, ...] = setting(
        "ODOO_MCP_DISABLED_TOOLSETS", parse=comma_list, default=()
    )
    rate_limit: bool = setting("ODOO_MCP_RATE_LIMIT", parse=boolean, default=False)
    rate_limit_rpm: int = setting("ODOO_MCP_RATE_LIMIT_RPM", parse=integer(minimum=1), default=60)
    rate_limit_rph: int = setting("ODOO_MCP_RATE_LIMIT_RPH", parse=integer(minimum=1), default=1000)
    rate_limit_burst: int = setting(
        "ODOO_MCP_RATE_LIMIT_BURST", parse=integer(minimum=1), default=10
    )
    rate_limit_read_rpm: int | None = setting(
        "ODOO_MCP_RATE_LIMIT_READ_RPM", parse=integer(minimum=1)
    )
    rate_limit_write_rpm: int | None = setting(
        "ODOO_MCP_RATE_LIMIT_WRITE_RPM", parse=integer(minimum=1)
    )
    attachment_max_mb: int = setting(
        "ODOO_MCP_ATTACHMENT_MAX_MB", parse=integer(minimum=1, maximum=1024), default=12
    )
    download_dir: str | None = setting("ODOO_MCP_DOWNLOAD_DIR", parse=_folder)
    audit: bool = setting("ODOO_MCP_AUDIT", parse=boolean, default=False)
    audit_file: str | None = setting("ODOO_MCP_AUDIT_FILE", parse=text)
    audit_reads: bool = setting("ODOO_MCP_AUDIT_READS", parse=boolean, default=False)
    audit_writes: bool = setting("ODOO_MCP_AUDIT_WRITES", parse=boolean, default=True)
    audit_deletes: bool = setting("ODOO_MCP_AUDIT_DELETES", parse=boolean, default=True)

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> list[str]:
        """Return what is wrong between settings that are right one by one."""
        rules = {name: values[name] for name in _POLICY if name in values}
        problems = [_by_variable(problem) for problem in policy_problems(**rules)]
        if values.get("search_limit", 0) > values.get("search_max_limit", math.inf):
            problems.append(
                "ODOO_MCP_SEARCH_LIMIT is larger than ODOO_MCP_SEARCH_MAX_LIMIT; lower it."
            )
        return problems


def _by_variable(problem: str) -> str:
    """Name the lists by the variables that set them."""
    for name in _POLICY[1:]:
        problem = problem.replace(name.replace("_", " "), f"ODOO_MCP_{name.upper()}")
    return problem.replace("the ODOO_MCP", "ODOO_MCP").replace("The ODOO_MCP", "ODOO_MCP")


def policy_of(settings: ServerSettings) -> Policy:
    """Return the policy that the settings describe."""
    return Policy(**{name: getattr(settings, name) for name in _POLICY})


def read_options_of(settings: ServerSettings) -> ReadOptions:
    """Return how records are shown."""
    from odoo_toolkit.values import ReadOptions

    return ReadOptions(
        strip_html=settings.strip_html,
        normalize_many2one=settings.normalize_m2o,
        max_limit=settings.search_max_limit,
    )
