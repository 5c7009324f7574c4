"""The settings of a connection: the address of Odoo and the credentials."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import attrs

from odoo_toolkit.configuration import (
    Given,
    Secret,
    boolean,
    choice,
    configuration_error,
    id_list,
    integer,
    load,
    number,
    read_file,
    secret,
    setting,
    text,
    unknown_names,
)

CREDENTIALS = frozenset({"password", "api_key"})

Protocol = Literal["auto", "json2", "jsonrpc", "xmlrpc"]


def _url(value: Any) -> str:
    address = text(value).rstrip("/")
    try:
        parts = urlsplit(address)
        port_is_valid = parts.port != 0
    except ValueError:
        port_is_valid = False
    if not port_is_valid or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(
            f"must be an http or https address such as https://example.com, not {address!r}."
        )
    if parts.username or parts.password:
        raise ValueError("must not contain a user or password: set them in their own settings.")
    if parts.query or parts.fragment:
        raise ValueError("must end with the host, or with the path of Odoo on it.")
    return address


def _pem_file(value: Any) -> str:
    path = text(value)
    if not Path(path).is_file():
        raise ValueError(f"must be the path of a PEM file, but there is no file {path!r}.")
    return path


def _time_zone(value: Any) -> str:
    name = text(value)
    if name != "UTC":
        # Imported here: few settings have one.
        from zoneinfo import ZoneInfo, available_timezones

        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            if available_timezones():  # not every machine knows time zones
                raise ValueError(
                    f"must be a time zone such as Europe/Brussels, not {name!r}."
                ) from None
    return name


def _history(value: Any) -> str:
    place = text(str(value) if isinstance(value, Path) else value)
    word = place.lower()
    if "://" in place:
        return place
    return word if word in ("auto", "off") else str(Path(place).expanduser().absolute())


@attrs.frozen(kw_only=True)
class ConnectionSettings:
    """The settings of one connection. Each can come from its ``ODOO_*`` environment variable.

    Attributes:
        url: Address of Odoo.
        database: Name of the database. By default the toolkit asks the server, if it has only one.
        username: Login of the Odoo user. JSON-2 does not need it.
        password: Password of the user.
        api_key: API key, which takes precedence over the password. If Odoo rejects the key, the
            toolkit tries the password, with a warning.
        protocol: ``auto`` is JSON-2 on Odoo 19 with an API key, otherwise JSON-RPC or XML-RPC.
        timeout: Seconds to wait for one response.
        total_timeout: Seconds to connect, with all attempts. Default: twice the timeout. No call is
            tried again after them.
        verify_ssl: Whether to check the server's certificate. False gives one warning.
        ca_cert: PEM file with your own certificate authority.
        proxy: Address of the proxy. Proxies in the environment are ignored.
        lang: Language in the context of every call.
        tz: Time zone in the context of every call.
        company_id: Current company.
        company_ids: All companies whose records you see.
        calls_per_second: Maximum number of calls per second, by all connections of the process. 0
            means no limit. Default: 1 for ``*.odoo.com``, otherwise no limit.
        max_concurrent_calls: Maximum number of calls in parallel, with the same defaults.
        health_interval: Idle seconds after which the toolkit checks Odoo before a call.
        reconnect_attempts: How often the toolkit repeats a call that is safe to repeat.
        reconnect_backoff: Seconds before the first new attempt, doubled each time.
        history: File of the change history. ``auto`` is a file in the user's folder, ``off`` is
            none.
        history_days: Days after which its entries are removed.
        history_megabytes: Size at which its oldest entries are removed.
    """

    url: str = setting("ODOO_URL", parse=_url)
    database: str | None = setting("ODOO_DB")
    username: str | None = setting("ODOO_USERNAME")
    password: Secret | None = setting("ODOO_PASSWORD", parse=secret, secret=True)
    api_key: Secret | None = setting("ODOO_API_KEY", parse=secret, secret=True)
    protocol: Protocol = setting(
        "ODOO_PROTOCOL", parse=choice("auto", "json2", "jsonrpc", "xmlrpc"), default="auto"
    )
    timeout: float = setting("ODOO_TIMEOUT", parse=number(minimum=0.1, maximum=3600), default=30.0)
    total_timeout: float | None = setting(
        "ODOO_TOTAL_TIMEOUT", parse=number(minimum=0.1, maximum=36_000)
    )
    verify_ssl: bool = setting("ODOO_VERIFY_SSL", parse=boolean, default=True)
    ca_cert: str | None = setting("ODOO_CA_CERT", parse=_pem_file)
    proxy: str | None = setting("ODOO_PROXY", parse=_url)
    lang: str = setting("ODOO_LANG", default="en_US")
    tz: str = setting("ODOO_TZ", parse=_time_zone, default="UTC")
    company_id: int | None = setting("ODOO_COMPANY_ID", parse=integer(minimum=1))
    company_ids: tuple[int, ...] = setting("ODOO_COMPANY_IDS", parse=id_list, default=())
    calls_per_second: float | None = setting(
        "ODOO_CALLS_PER_SECOND", parse=number(minimum=0, maximum=1000)
    )
    max_concurrent_calls: int | None = setting(
        "ODOO_MAX_CONCURRENT_CALLS", parse=integer(minimum=0, maximum=1000)
    )
    health_interval: float = setting(
        "ODOO_MCP_HEALTH_INTERVAL", parse=number(minimum=0), default=300.0
    )
    reconnect_attempts: int = setting(
        "ODOO_MCP_RECONNECT_ATTEMPTS", parse=integer(minimum=0, maximum=10), default=3
    )
    reconnect_backoff: float = setting(
        "ODOO_MCP_RECONNECT_BACKOFF", parse=number(minimum=0, maximum=60), default=1.0
    )
    history: str | None = setting("ODOO_HISTORY", parse=_history)
    history_days: int = setting("ODOO_HISTORY_DAYS", parse=integer(minimum=1), default=400)
    history_megabytes: int = setting(
        "ODOO_HISTORY_MEGABYTES", parse=integer(minimum=1), default=500
    )

    @classmethod
    def adding(cls, given: Given, found: Given) -> Given:
        """Return what a source adds: no credential that is another address's or another user's.

        A key in the environment is not sent to an address that a keyword names in place of
        ``ODOO_URL``, and does not go before a password that stands beside it in the code.
        """
        others = any(
            str(given[name][2]).rstrip("/") != str(found[name][2]).rstrip("/")
            for name in ("url", "database", "username")
            if name in given and name in found
        )
        if not others and not CREDENTIALS & given.keys():
            return found
        return {name: value for name, value in found.items() if name not in CREDENTIALS}

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> list[str]:
        """Return the problems that lie between the settings."""
        problems = []
        if "url" in values and not values["url"]:
            problems.append("url (ODOO_URL) is missing. Set it to the address of your Odoo.")
        password, api_key = values.get("password"), values.get("api_key")
        protocol, username = values.get("protocol"), values.get("username")
        if not password and not api_key:
            problems.append(
                "There are no credentials. Set api_key (ODOO_API_KEY), or username and password "
                "(ODOO_USERNAME, ODOO_PASSWORD). The toolkit ignores credentials that are set "
                "for another address, database or user."
            )
        elif password and not api_key and not username:
            problems.append("username (ODOO_USERNAME) is missing. A password needs it.")
        if protocol == "json2" and not api_key:
            problems.append("protocol json2 needs an api_key (ODOO_API_KEY).")
        if protocol in {"jsonrpc", "xmlrpc"} and api_key and not username and not password:
            problems.append(
                f"username (ODOO_USERNAME) is missing. {protocol} needs it in addition to the API "
                "key."
            )
        company_id, company_ids = values.get("company_id"), values.get("company_ids")
        if company_id and company_ids and company_id not in company_ids:
            problems.append("company_id must be one of company_ids.")
        return problems

    @property
    def patience(self) -> float:
        """Seconds for connecting with all attempts, and until a call is not begun anew."""
        return self.total_timeout or 2 * self.timeout

    @cached_property
    def base_context(self) -> Mapping[str, Any]:
        """The context that every call begins with."""
        context: dict[str, Any] = {"lang": self.lang, "tz": self.tz}
        companies = [self.company_id] if self.company_id else []
        companies += [company for company in self.company_ids if company != self.company_id]
        if companies:
            # Odoo takes the first one for the current company.
            context["allowed_company_ids"] = companies
        return context


def connection_settings(config: str | Path | None = None, **keywords: Any) -> ConnectionSettings:
    """Read the connection's settings.

    Args:
        config: path of a JSON file with the environment variables' names in lower case.
        keywords: fields of :class:`ConnectionSettings`; they win over the environment, which wins
            over the file. A password or key is not taken from where another address, database or
            user stands beside it, or where a source before has one.

    Raises:
        ConfigurationError: one or more settings are wrong or missing; it lists all of them.
    """
    problems = unknown_names(keywords, [field.name for field in attrs.fields(ConnectionSettings)])
    file = read_file(config) if config else None
    settings, more = load(ConnectionSettings, keywords, file=file)
    if settings is None or problems:
        raise configuration_error(problems + more)
    return settings
