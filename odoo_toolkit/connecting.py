"""``connect``: a connection to Odoo in one call."""

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
from odoo_toolkit.configuration import configuration_error, unknown_names
from odoo_toolkit.connection.pool import Pool
from odoo_toolkit.connection.settings import ConnectionSettings, Protocol, connection_settings
from odoo_toolkit.errors import ConfigurationError, shorten_uncaught
from odoo_toolkit.policy import Policy
from odoo_toolkit.values import ReadOptions

if TYPE_CHECKING:
    from odoo_toolkit.notebook import Connection

_SETTINGS = frozenset(field.name for field in attrs.fields(ConnectionSettings))

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

    What is not given comes from the environment (``ODOO_URL``, ``ODOO_DB``, ``ODOO_USERNAME``,
    ``ODOO_PASSWORD``, ``ODOO_API_KEY``, ...), then from the JSON file ``config``.

    >>> odoo = connect(url="https://example.odoo.com", username="ann", password="...")

    Args:
        settings: ready-made settings, in place of the keywords to ``config``.
        url: the address of Odoo, such as ``https://example.odoo.com``.
        database: its name; not needed where the server has one only.
        username: the login; an API key needs none for JSON-2.
        password: of the user; or
        api_key: a key of the user, which goes before the password.
        protocol: ``json2``, ``jsonrpc`` or ``xmlrpc``; ``auto`` takes the best that there is.
        timeout: seconds for one answer; 30.
        total_timeout: seconds for connecting with all attempts; twice the ``timeout``.
        verify_ssl: whether the server's certificate is checked; True.
        ca_cert: path of a PEM file, of an authority of your own.
        proxy: its address; those of the environment are not used.
        lang: language of the context of every call; ``en_US``.
        tz: time zone of the context; ``UTC``.
        company_id: the current company; the user's own by default.
        company_ids: the companies whose records are seen.
        calls_per_second: calls that may begin in a second; 0 for any number.
        max_concurrent_calls: calls that may be under way at a time; 0 for any number.
        health_interval: idle seconds after which Odoo is checked before a call; 300.
        reconnect_attempts: how often is tried again; 3.
        reconnect_backoff: seconds before the second attempt, twice as many before each further;
            1.
        history_days: after which entries of the change history are removed; 400.
        history_megabytes: at which its oldest entries are removed; 500.
        config: path of a JSON file with settings.
        policy: what may be called; everything by default.
        options: how values are shown.
        on_call: hears of every call.
        pool: HTTP connections that are shared with others.
        history: keeps what is written, so that it can be taken back. The path of its file will do,
            or ``auto`` for one in your own folder; ``off`` keeps nothing.

    Raises:
        ConfigurationError: settings are wrong, missing or unknown; all of them are listed.
        OdooConnectionError: Odoo cannot be reached.
        AccessError: the credentials are refused.
    """
    keywords = {name: value for name, value in locals().items() if name in _SETTINGS}
    # It can stand beside ready-made settings.
    del keywords["history"]
    shorten_uncaught()
    if settings is None:
        named = history if isinstance(history, (str, Path)) else None
        settings = connection_settings(config, history=named, **keywords)
    elif given := [
        name for name, value in (*keywords.items(), ("config", config)) if value is not None
    ]:
        raise ConfigurationError(
            f"There are settings, and {', '.join(given)} beside them.",
            suggestion="Give either; attrs.evolve(settings, ...) changes settings.",
        )
    elif isinstance(history, (str, Path)):
        settings = attrs.evolve(settings, history=str(Path(history)))
    # With it come all functions for records: not before there is a connection to use them with.
    from odoo_toolkit.notebook import Connection

    return Connection(
        settings,
        policy=policy,
        options=options,
        on_call=on_call,
        pool=pool,
        history=history if isinstance(history, History) else history_of_settings(settings),
    ).connect()
