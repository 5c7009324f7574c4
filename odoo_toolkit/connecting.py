"""The function ``connect``, which opens a connection to Odoo."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import attrs

from odoo_toolkit.change_history import History
from odoo_toolkit.change_history.places import history_of_settings
from odoo_toolkit.client import CallEvent
from odoo_toolkit.configuration import configuration_error, read_file, unknown_names
from odoo_toolkit.connection import variables
from odoo_toolkit.connection.pool import Pool
from odoo_toolkit.connection.settings import ConnectionSettings, Protocol, connection_settings
from odoo_toolkit.errors import ConfigurationError, shorten_uncaught
from odoo_toolkit.policy import Policy
from odoo_toolkit.values import ReadOptions

if TYPE_CHECKING:
    from odoo_toolkit.notebook.models import Connection

_SETTINGS = frozenset(field.name for field in attrs.fields(ConnectionSettings))

#: What sets a list must not seem to apply.
_UNREAD_POLICY = (
    "connect() does not read {}: only the MCP server does. This connection has the mode full and no"
    " lists. To restrict it, pass policy=Policy(...)."
)

P = ParamSpec("P")
R = TypeVar("R")


def _naming_what_was_meant(function: Callable[P, R]) -> Callable[P, R]:
    """Have a function that takes settings say what an unknown keyword may have been meant for."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        if problems := unknown_names(kwargs, known):
            raise configuration_error(problems)
        return function(*args, **kwargs)

    return checked


@_naming_what_was_meant
def connect(
    settings: ConnectionSettings | None = None,
    *,
    url: str | None = None,
    database: str | None = None,
    username: str | None = None,
    password: str | None = None,
    api_key: str | None = None,
    protocol: Protocol | None = None,
    timeout: float | None = None,
    total_timeout: float | None = None,
    verify_ssl: bool | None = None,
    ca_cert: str | None = None,
    proxy: str | None = None,
    lang: str | None = None,
    tz: str | None = None,
    company_id: int | None = None,
    company_ids: Sequence[int] | None = None,
    calls_per_second: float | None = None,
    max_concurrent_calls: int | None = None,
    health_interval: float | None = None,
    reconnect_attempts: int | None = None,
    reconnect_backoff: float | None = None,
    history_days: int | None = None,
    history_megabytes: int | None = None,
    config: str | Path | None = None,
    policy: Policy | None = None,
    options: ReadOptions | None = None,
    on_call: Callable[[CallEvent], None] | None = None,
    pool: Pool | None = None,
    history: History | str | Path | None = None,
) -> Connection:
    """Connect to Odoo and log in.

    >>> odoo = connect(url="https://example.odoo.com", username="ann", password="...")

    Settings that you do not pass come from the environment (``ODOO_URL``, ``ODOO_DB``,
    ``ODOO_USERNAME``, ``ODOO_PASSWORD``, ``ODOO_API_KEY``, ...), and then from the JSON file
    ``config``.

    Args:
        settings: Complete settings, to pass instead of the keywords from ``url`` to ``config``.
        url: Address of Odoo, such as ``https://example.odoo.com``.
        database: Name of the database. You can omit it if the server has only one.
        username: Login of the user. JSON-2 with an API key does not need it.
        password: Password of the user.
        api_key: API key of the user, which takes precedence over the password.
        protocol: ``json2``, ``jsonrpc``, ``xmlrpc`` or ``auto`` for the best of them.
        timeout: Seconds to wait for one response. Default: 30.
        total_timeout: Seconds to connect, with all attempts. Default: twice the ``timeout``.
        verify_ssl: Whether to check the server's certificate. Default: True.
        ca_cert: Path of a PEM file with your own certificate authority.
        proxy: Address of the proxy. Proxies in the environment are ignored.
        lang: Language in the context of every call. Default: ``en_US``.
        tz: Time zone in the context. Default: ``UTC``.
        company_id: Current company. Default: the user's company.
        company_ids: Companies whose records you see.
        calls_per_second: Maximum number of calls per second. 0 for no limit.
        max_concurrent_calls: Maximum number of calls in parallel. 0 for no limit.
        health_interval: Idle seconds after which the toolkit checks Odoo before a call. Default:
            300.
        reconnect_attempts: Number of attempts. Default: 3.
        reconnect_backoff: Seconds before the second attempt, doubled before each further attempt.
            Default: 1.
        history_days: Days after which entries of the change history are removed. Default: 400.
        history_megabytes: Size at which its oldest entries are removed. Default: 500.
        config: Path of a JSON file with settings.
        policy: Policy that restricts calls. Default: everything is allowed.
        options: How values are returned.
        on_call: Function that is called with a :class:`CallEvent` for every call.
        pool: HTTP connections to share with other connections.
        history: Change history, to undo operations. Pass a :class:`History`, the path of its file,
            ``auto`` for a file in your home folder, or ``off``.

    Raises:
        ConfigurationError: Settings are wrong, missing or unknown. The error lists all of them.
        OdooConnectionError: Odoo can't be reached.
        AccessError: Odoo rejects the credentials.
    """
    keywords = {name: value for name, value in locals().items() if name in _SETTINGS}
    # It can stand beside ready-made settings.
    del keywords["history"]
    shorten_uncaught()
    if policy is None and (unread := variables.unread_policy(variables.POLICY_SETTINGS)):
        variables.warn_once([_UNREAD_POLICY.format(unread)])
    if settings is None:
        file = read_file(config) if config else None
        variables.warn_once(variables.unread_variables({**keywords, "history": history}, file))
        named = history if isinstance(history, (str, Path)) else None
        settings = connection_settings(config, history=named, **keywords)
    elif given := [
        name for name, value in (*keywords.items(), ("config", config)) if value is not None
    ]:
        raise ConfigurationError(
            f"Pass either settings or {', '.join(given)}.",
            suggestion="To change settings, use attrs.evolve(settings, ...).",
        )
    elif isinstance(history, (str, Path)):
        settings = attrs.evolve(settings, history=str(Path(history)))
    # With it come all functions for records: not before there is a connection to use them with.
    from odoo_toolkit.notebook.models import Connection

    return Connection(
        settings,
        policy=policy,
        options=options,
        on_call=on_call,
        pool=pool,
        history=history if isinstance(history, History) else history_of_settings(settings),
    ).connect()
