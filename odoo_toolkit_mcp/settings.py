"""What the server can be told by command line, environment and settings file."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attrs

from odoo_toolkit.configuration import (
    Secret,
    boolean,
    choice,
    comma_list,
    integer,
    secret,
    setting,
    text,
)
from odoo_toolkit.connection.variables import POLICY_LISTS, POLICY_SETTINGS
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.policy import policy_problems
from odoo_toolkit_mcp.list_choice import FORMS

if TYPE_CHECKING:
    from odoo_toolkit.call import Access
    from odoo_toolkit.values import ReadOptions

#: mode -> the kinds of tools that are registered in it. What ``execute`` may call in each mode is
#: up to the policy.
MODE_ACCESS: Mapping[str, frozenset[Access]] = {
    "readonly": frozenset({"read", "execute"}),
    "restricted": frozenset({"read", "execute", "create", "write"}),
    "full": frozenset({"read", "execute", "create", "write", "delete"}),
}


#: Where the HTTP server gives a sign of life, and where its metrics are.
HEALTH_PATH = "/healthz"
METRICS_PATH = "/metrics"

#: In which each HTTP request names the Odoo user that it acts for.
USERNAME_HEADER = "X-Odoo-Username"
API_KEY_HEADER = "X-Odoo-Api-Key"

#: Characters of the shortest bearer token that is taken for one that nobody guesses.
SHORTEST_TOKEN = 16


def _folder(value: Any) -> str:
    path = Path(text(value)).expanduser()
    if not path.is_dir():
        raise ValueError(f"must be an existing folder, and {str(path)!r} does not exist.")
    return str(path.absolute())


def _path(value: Any) -> str:
    path = text(value).rstrip("/")
    taken = (HEALTH_PATH, METRICS_PATH)
    if not path.startswith("/") or set(path) & set("?#{}") or path in taken:
        raise ValueError(f"must be a path such as /mcp, but not {' or '.join(taken)}.")
    return path


def _hosts(value: Any) -> tuple[str, ...]:
    hosts = tuple(host.lower() for host in comma_list(value))
    for host in hosts:
        if set(host) & set("/*@?# "):
            raise ValueError(f"must list host names such as mcp.example.com, not {host!r}.")
    return hosts


def _origins(value: Any) -> tuple[str, ...]:
    origins = tuple(origin.lower().rstrip("/") for origin in comma_list(value))
    for origin in origins:
        scheme, _, host = origin.partition("://")
        if not scheme or not host or set(host) & set("/*@?# "):
            raise ValueError(f"must list origins such as https://example.com, not {origin!r}.")
    return origins


def _token(value: Any) -> Secret:
    token = secret(value)
    if len(token) < SHORTEST_TOKEN or not token.isascii() or any(map(str.isspace, token)):
        raise ValueError(
            f"must have at least {SHORTEST_TOKEN} ASCII characters and no spaces. Generate a random"
            " token."
        )
    return token


def web_address(value: Any) -> str:
    """An https address; http is for this machine only."""
    address = text(value)
    parts = urlsplit(address)
    secure = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))
    if not secure or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"must be an https address such as https://example.com, got {address!r}.")
    return address


def is_loopback(host: str | None) -> bool:
    """Return whether only this machine reaches a host name or IP address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


@attrs.frozen(kw_only=True)
class ServerSettings:
    """The settings of the MCP server, besides those of the connection.

    Attributes:
        transport: stdio or http.
        log_level: lowest level of messages to log on standard error.
        log_format: text, or json for one object per line.
        mode: readonly reads. restricted also creates and writes records of the models in the write
            allowlist. full does everything that the Odoo user can do.
        model_allowlist: models that can be used. Default: all.
        model_blocklist: models that can't be used.
        write_allowlist: models that restricted mode can write.
        field_blocklist: fields that can't be read, searched, sorted by or written.
        method_blocklist: methods that can't be called.
        search_limit: default number of records that a search returns.
        search_max_limit: maximum number of records that a search returns. A larger limit is
            lowered, with a warning.
        deep_search_depth: default maximum level of a deep search in one model.
        answer_kb: size in kB (1,000 bytes) above which a result is shortened by whole records.
        strip_html: convert HTML fields to plain text.
        normalize_m2o: return many2one values as ``{id, name}``.
        mark_data: mark text from Odoo as data for the model, and remove hidden characters.
        enabled_toolsets: toolsets to offer. Default: all.
        disabled_toolsets: toolsets to hide.
        plugins: names of installed plugins to use.
        plugin_files: paths of TOML plugins to use.
        tools: flat lists each tool. areas lists core tools, and two tools per area for the others.
            short lists everyday tools besides, as long as the list is within 40 tools and 24 kB.
            auto is flat for clients that search tools, and for lists within these limits,
            otherwise short.
        confirm: ask for confirmation before something is deleted or cancelled: if the client can
            ask (auto), always (otherwise the call fails), or never.
        confirm_tools: further tools that ask for confirmation.
        approval: calls that a second person must approve, such as ``account.move.action_post`` or
            ``sale.order.action_confirm>5000``.
        approvers: logins of the Odoo users who can approve them.
        rate_limit: limit the calls of each client.
        rate_limit_rpm: calls per minute.
        rate_limit_rph: calls per hour.
        rate_limit_burst: calls in quick succession.
        rate_limit_read_rpm: separate limit for reading tools, in calls per minute.
        rate_limit_write_rpm: separate limit for all other tools, in calls per minute.
        attachment_max_mb: maximum size in MB (1,048,576 bytes) of a file in a result or an upload.
            Larger files are described only.
        subscription_interval: seconds between two checks of subscribed resources.
        download_dir: existing folder for reports, larger files and files that you ask for. Over
            stdio only.
        audit: record calls to Odoo as lines of JSON.
        audit_reads: record calls that read.
        audit_writes: record calls that create, change or run something.
        audit_deletes: record calls that delete.
        audit_file: file for the audit log. Default: the log on standard error.
        host: address to listen on.
        port: port to listen on.
        path: path of the endpoint.
        allowed_hosts: further host names at which clients reach the server.
        allowed_origins: origins of web pages that can send requests.
        auth_token: bearer token that all clients share.
        auth_issuer: authorization server that issues the bearer tokens (JWT).
        auth_audience: audience of the tokens, the address at which clients reach the server.
        auth_jwks_url: address of the authorization server's public keys.
        auth_scopes: scopes that a token must have.
        allow_unauthenticated: listen on other addresses than this machine's without authentication.
        metrics_token: bearer token for the metrics only. Default: the endpoint's authentication, or
            clients on this machine if it has none.
        credential_headers: require that each HTTP request names its Odoo user.
        stateless: keep no sessions, so that any worker can answer any request. Without sessions,
            clients of the 2025-11-25 protocol can't show questions or subscribe.
        max_body_mb: maximum size of a request body in MB. Default: enough for an upload.
    """

    transport: str = setting("ODOO_MCP_TRANSPORT", parse=choice("stdio", "http"), default="stdio")
    log_level: str = setting(
        "ODOO_MCP_LOG_LEVEL", parse=choice("debug", "info", "warning", "error"), default="info"
    )
    log_format: str = setting("ODOO_MCP_LOG_FORMAT", parse=choice("text", "json"), default="text")
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
    answer_kb: int = setting("ODOO_MCP_ANSWER_KB", parse=integer(minimum=4), default=24)
    strip_html: bool = setting("ODOO_MCP_STRIP_HTML", parse=boolean, default=True)
    normalize_m2o: bool = setting("ODOO_MCP_NORMALIZE_M2O", parse=boolean, default=True)
    mark_data: bool = setting("ODOO_MCP_MARK_DATA", parse=boolean, default=True)
    enabled_toolsets: tuple[str, ...] = setting(
        "ODOO_MCP_ENABLED_TOOLSETS", parse=comma_list, default=()
    )
    disabled_toolsets: tuple[str, ...] = setting(
        "ODOO_MCP_DISABLED_TOOLSETS", parse=comma_list, default=()
    )
    plugins: tuple[str, ...] = setting("ODOO_MCP_PLUGINS", parse=comma_list, default=())
    plugin_files: tuple[str, ...] = setting("ODOO_MCP_PLUGIN_FILES", parse=comma_list, default=())
    tools: str = setting("ODOO_MCP_TOOLS", parse=choice(*FORMS), default="auto")
    confirm: str = setting(
        "ODOO_MCP_CONFIRM", parse=choice("auto", "always", "never"), default="auto"
    )
    confirm_tools: tuple[str, ...] = setting("ODOO_MCP_CONFIRM_TOOLS", parse=comma_list, default=())
    approval: tuple[str, ...] = setting("ODOO_MCP_APPROVAL", parse=comma_list, default=())
    approvers: tuple[str, ...] = setting("ODOO_MCP_APPROVERS", parse=comma_list, default=())
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
    subscription_interval: int = setting(
        "ODOO_MCP_SUBSCRIPTION_INTERVAL", parse=integer(minimum=1, maximum=86_400), default=60
    )
    download_dir: str | None = setting("ODOO_MCP_DOWNLOAD_DIR", parse=_folder)
    audit: bool = setting("ODOO_MCP_AUDIT", parse=boolean, default=False)
    audit_file: str | None = setting("ODOO_MCP_AUDIT_FILE", parse=text)
    audit_reads: bool = setting("ODOO_MCP_AUDIT_READS", parse=boolean, default=False)
    audit_writes: bool = setting("ODOO_MCP_AUDIT_WRITES", parse=boolean, default=True)
    audit_deletes: bool = setting("ODOO_MCP_AUDIT_DELETES", parse=boolean, default=True)

    host: str = setting("ODOO_MCP_HOST", default="127.0.0.1")
    port: int = setting("ODOO_MCP_PORT", parse=integer(minimum=1, maximum=65535), default=8080)
    path: str = setting("ODOO_MCP_PATH", parse=_path, default="/mcp")
    allowed_hosts: tuple[str, ...] = setting("ODOO_MCP_ALLOWED_HOSTS", parse=_hosts, default=())
    allowed_origins: tuple[str, ...] = setting(
        "ODOO_MCP_ALLOWED_ORIGINS", parse=_origins, default=()
    )
    auth_token: Secret | None = setting("ODOO_MCP_AUTH_TOKEN", parse=_token, secret=True)
    auth_issuer: str | None = setting("ODOO_MCP_AUTH_ISSUER", parse=web_address)
    auth_audience: str | None = setting("ODOO_MCP_AUTH_AUDIENCE", parse=web_address)
    auth_jwks_url: str | None = setting("ODOO_MCP_AUTH_JWKS_URL", parse=web_address)
    auth_scopes: tuple[str, ...] = setting("ODOO_MCP_AUTH_SCOPES", parse=comma_list, default=())
    metrics_token: Secret | None = setting("ODOO_MCP_METRICS_TOKEN", parse=_token, secret=True)
    allow_unauthenticated: bool = setting(
        "ODOO_MCP_ALLOW_UNAUTHENTICATED", parse=boolean, default=False
    )
    credential_headers: bool = setting("ODOO_MCP_CREDENTIAL_HEADERS", parse=boolean, default=False)
    stateless: bool = setting("ODOO_MCP_STATELESS", parse=boolean, default=True)
    max_body_mb: int | None = setting(
        "ODOO_MCP_MAX_BODY_MB", parse=integer(minimum=1, maximum=2048)
    )

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> list[str]:
        """Return what is wrong between settings that are right one by one."""
        rules = {name: values[name] for name in POLICY_SETTINGS if name in values}
        problems = [by_variable(problem) for problem in policy_problems(**rules)]
        if values.get("search_limit", 0) > values.get("search_max_limit", math.inf):
            problems.append(
                "ODOO_MCP_SEARCH_LIMIT is larger than ODOO_MCP_SEARCH_MAX_LIMIT. Lower it."
            )
        if values.get("transport") == "http":
            problems += _http_problems(values)
        return problems

    @property
    def attachment_max_bytes(self) -> int:
        """The size of the largest file that is passed on in an answer or taken for an upload."""
        return self.attachment_max_mb * 1024 * 1024

    @property
    def max_body_bytes(self) -> int:
        """The size of the largest request body."""
        # Base64 is a third larger than the file, and something is around it.
        megabytes = self.max_body_mb or self.attachment_max_mb * 4 / 3 + 1
        return int(megabytes * 1024 * 1024)


def _http_problems(values: Mapping[str, Any]) -> list[str]:
    """Return what keeps a server from being reached by the right clients only."""
    problems = []
    if values.get("download_dir"):
        problems.append(
            "ODOO_MCP_DOWNLOAD_DIR works only over stdio, because HTTP clients cannot see the"
            " folders of this machine. Remove it. HTTP clients get files with resources/read."
        )
    oauth = {name: values.get(name) for name in ("auth_issuer", "auth_audience", "auth_jwks_url")}
    missing = [f"ODOO_MCP_{name.upper()}" for name, value in oauth.items() if not value]
    authenticated = values.get("auth_token") or any(oauth.values())
    if any(oauth.values()) and missing:
        problems.append(f"Also set {' and '.join(missing)}, to check tokens.")
    if any(oauth.values()) and values.get("auth_token"):
        problems.append("You can set only one of ODOO_MCP_AUTH_TOKEN and ODOO_MCP_AUTH_ISSUER.")
    host = values.get("host") or ""
    if not is_loopback(host) and not authenticated and not values.get("allow_unauthenticated"):
        problems.append(
            f"Other machines can reach ODOO_MCP_HOST {host}. Set ODOO_MCP_AUTH_TOKEN or"
            " ODOO_MCP_AUTH_ISSUER. If a proxy authenticates the clients, set"
            " ODOO_MCP_ALLOW_UNAUTHENTICATED."
        )
    if host in {"0.0.0.0", "::", ""} and not values.get("allowed_hosts"):  # noqa: S104
        problems.append(
            f"ODOO_MCP_ALLOWED_HOSTS is missing. The server listens on all addresses ({host}), so"
            " set the host names that clients use."
        )
    return problems


def by_variable(problem: str) -> str:
    """Return a sentence that names the lists by the variables that set them."""
    for name in POLICY_LISTS:
        problem = problem.replace(name.replace("_", " "), f"ODOO_MCP_{name.upper()}")
    return problem.replace("the ODOO_MCP", "ODOO_MCP").replace("The ODOO_MCP", "ODOO_MCP")


def policy_of(settings: ServerSettings) -> Policy:
    """Return the policy that the settings describe."""
    return Policy(**{name: getattr(settings, name) for name in POLICY_SETTINGS})


def read_options_of(settings: ServerSettings) -> ReadOptions:
    """Return how records are shown."""
    from odoo_toolkit.values import ReadOptions

    return ReadOptions(
        strip_html=settings.strip_html,
        normalize_many2one=settings.normalize_m2o,
        max_limit=settings.search_max_limit,
    )
