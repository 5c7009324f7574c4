"""The file of a team's server: where it is reached, its Odoo databases, and who may do what there.

```toml
public_url = "https://mcp.example.com"

[instances.production]
title = "Production"
url = "https://odoo.example.com"
database = "production"
username = "mcp-server"          # a user with few rights: which apps are installed
api_key = "..."
mode = "readonly"

[[instances.production.rules]]   # the first that fits counts; whom none fits, is not admitted
groups = ["sales_team.group_sale_manager"]
mode = "restricted"
write_allowlist = ["crm.lead"]

[[instances.production.rules]]
logins = ["*@example.com"]

[lists.warehouse]                # the address /mcp/warehouse lists only these tools
tools = ["odoo_inventory_get_stock", "odoo_inventory_validate_picking"]
```
"""

from __future__ import annotations

import difflib
import fnmatch
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs
import tomlkit
from tomlkit.exceptions import ParseError

from odoo_toolkit.change_history.places import AUTO, OFF
from odoo_toolkit.configuration import Secret, configuration_error, load, unknown_names
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit_mcp.accounts.issuer import Issuer, issuer_of
from odoo_toolkit_mcp.accounts.passwords import is_hash
from odoo_toolkit_mcp.accounts.vault import SHORTEST_KEY
from odoo_toolkit_mcp.accounts.wording import setting_names
from odoo_toolkit_mcp.settings import ServerSettings, is_loopback

#: Settings of the whole server, which an instance does not have.
_OF_SERVER = (
    "host",
    "port",
    "path",
    "log_level",
    "log_format",
    "allowed_origins",
    "metrics_token",
    "max_body_mb",
)

_SIGNED_IN = "people sign in here; tokens of another issuer are for [issuer]"
_ACTIVITY = "the activity, which /admin shows, takes the place of the audit, and has every change"

#: Settings that make no sense, or no difference, behind a sign-in -> why a team has none of them.
_NOT_HERE: Mapping[str, str] = {
    "transport": "a team is served over HTTP",
    "allowed_hosts": "the host is that of public_url",
    "auth_token": _SIGNED_IN,
    "auth_issuer": _SIGNED_IN,
    "auth_audience": _SIGNED_IN,
    "auth_jwks_url": _SIGNED_IN,
    "auth_scopes": _SIGNED_IN,
    "allow_unauthenticated": "nobody gets in without signing in",
    "credential_headers": "each person's own key is used, which is kept here",
    "stateless": "any process answers any request",
    "download_dir": "clients over HTTP do not see the folders of this machine",
    "audit": _ACTIVITY,
    "audit_file": _ACTIVITY,
    "audit_writes": _ACTIVITY,
    "audit_deletes": _ACTIVITY,
    "rate_limit_burst": "the server counts calls by the minute, over all workers. Set"
    " rate_limit_rpm",
}

#: What a rule may say otherwise than its instance.
_OF_RULE = (
    "mode",
    "model_allowlist",
    "model_blocklist",
    "write_allowlist",
    "field_blocklist",
    "method_blocklist",
    "enabled_toolsets",
    "disabled_toolsets",
    "confirm",
    "confirm_tools",
    "approval",
)

#: What a rule closes, it closes besides what its instance closes.
_ADDED = ("model_blocklist", "field_blocklist", "method_blocklist", "disabled_toolsets")

#: Words in place of a place that are taken for a mistake: those which may mean that there is none.
_NO_PLACE = (OFF, AUTO, "on", "no", "none", "false", "true", "disabled")

#: What makes no difference where somebody else signs people in.
_NOT_WITH_ISSUER = ("access_hours", "refresh_days", "client_documents")

#: Path of the page for confirmations and approvals.
APPROVALS = "/me/approvals"

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_DAY = 86_400.0


@attrs.frozen(kw_only=True)
class Rule:
    """Whom a policy is for.

    Attributes:
        logins: patterns of logins, such as ``*@example.com``; empty for any.
        groups: external ids of groups, one of which the user must be in; empty for any.
        claims: by their names the values of which the token must have one; empty for any token.
        allow: whether such people may sign in at all.
        settings: the policy, as settings of a server.
    """

    logins: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    claims: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    allow: bool = True
    settings: ServerSettings

    def fits(self, login: str, groups: Sequence[str]) -> bool:
        """Whether it is for a user, whatever the token says."""
        known = not self.logins or any(
            fnmatch.fnmatchcase(login.lower(), pattern.lower()) for pattern in self.logins
        )
        return known and (not self.groups or not set(self.groups).isdisjoint(groups))

    def fits_token(self, claims: Mapping[str, Any]) -> bool:
        """Whether it is for whom a token describes so: each claim is a text or a list of them."""
        for name, wanted in self.claims.items():
            value = claims.get(name)
            told = value if isinstance(value, list) else [value]
            if not any(isinstance(one, str) and one in wanted for one in told):
                return False
        return True


@attrs.frozen(kw_only=True)
class Instance:
    """An Odoo database that people can sign in to.

    Attributes:
        name: by which the store knows it; it never changes.
        title: as people are shown it.
        connection: where it is, with the server's own user there.
        rules: who may do what; the first that fits counts.
    """

    name: str
    title: str
    connection: ConnectionSettings
    rules: tuple[Rule, ...]

    @property
    def odoo(self) -> str:
        """Which Odoo it is: the same for two instances of one database."""
        return f"{self.connection.url} {self.connection.database}"

    @property
    def by_token(self) -> bool:
        """Whether it takes a token to know which rule holds for somebody."""
        return any(rule.claims for rule in self.rules)

    def rule_for(
        self, login: str, groups: Sequence[str], claims: Mapping[str, Any] | None = None
    ) -> int | None:
        """Return the place of the rule that holds for a user; None where nobody admits the user.

        Args:
            login, groups: of the user.
            claims: of the token; None where there is none: then nobody knows whether a rule by
                claims fits, and neither it nor one after it is taken to hold.
        """
        for place, rule in enumerate(self.rules):
            if rule.fits(login, groups):
                if rule.claims and claims is None:
                    return None
                if rule.fits_token(claims or {}):
                    return place if rule.allow else None
        return None

    def may_admit(self, login: str, groups: Sequence[str]) -> bool:
        """Whether there is a token with which a user is admitted."""
        for rule in self.rules:
            if rule.fits(login, groups) and (rule.allow or not rule.claims):
                return rule.allow
        return False


@attrs.frozen(kw_only=True)
class Address:
    """An address of the endpoint. A token is for one of them, and of no use at the others.

    Attributes:
        path: of it.
        url: of it, as clients name it.
        instance: that it is for; None where the person chooses.
        audience: that tokens of an issuer must be for.
        list: name of the list that is shown there; empty for the usual one.
        tools: of that list.
    """

    path: str
    url: str
    instance: str | None
    audience: str
    list: str = ""
    tools: frozenset[str] = frozenset()


@attrs.frozen(kw_only=True)
class ShortList:
    """The tools that an address lists. It allows nothing that the rules don't.

    Attributes:
        tools: their names.
        instance: for which the address is. Default: the user chooses the database.
    """

    tools: frozenset[str]
    instance: str | None = None


@attrs.frozen(kw_only=True)
class Team:
    """The settings of a team server, as ``team.toml`` contains them.

    Attributes:
        public_url: https address of the server, without a path. http for this machine only.
        instances: the databases, by name.
        server: host, port, log and other settings of the whole server.
        store: the server's database, a SQLite file or a ``postgresql://`` address. Default:
            ``accounts.sqlite``.
        secret_keys: encryption keys. The first one encrypts, all of them decrypt. Default: those
            of ``secret_key_file``.
        secret_key_file: file with the encryption keys, one per line. Default: next to the SQLite
            file, created at the first start. With PostgreSQL, set this or ``secret_keys``.
        operator_password: hash of the password for ``/admin``. Default: no such page.
        access_hours: lifetime of a client's access token in hours. Default: 24.
        refresh_days: lifetime of an unused refresh token in days. Default: 90.
        activity_days: days to keep the audit log. Default: 400.
        with_password: whether users can sign in with their password. Default: true.
        with_key: whether users can paste an API key. Default: true.
        client_documents: whether a client's ID can be the address of its metadata document.
            Default: true.
        lists: shorter tool lists by name. Each has its own address.
        issuer: identity provider whose tokens the endpoint accepts. Default: users sign in here.
    """

    public_url: str
    instances: Mapping[str, Instance]
    server: ServerSettings
    store: str
    secret_keys: tuple[Secret, ...] = ()
    secret_key_file: Path | None = None
    operator_password: str | None = None
    access_hours: float = 24.0
    refresh_days: float = 90.0
    activity_days: int = 400
    with_password: bool = True
    with_key: bool = True
    client_documents: bool = True
    lists: Mapping[str, ShortList] = attrs.field(factory=dict)
    issuer: Issuer | None = None

    @property
    def resource(self) -> str:
        """The address of the endpoint that is not for one of several instances."""
        return self.public_url + self.server.path

    @property
    def approvals_page(self) -> str:
        """The address at which people confirm what they asked for, and approvers decide."""
        return f"{self.public_url}{APPROVALS}"

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses of the endpoint: the common one, and one for each instance and list.

        An issuer does not ask which database is meant: there the common one is for the only one.
        """
        only = next(iter(self.instances)) if len(self.instances) == 1 else None
        usual = ShortList(tools=frozenset())
        places = [("", only, usual), *((name, name, usual) for name in self.instances)]
        if self.issuer and only is None:
            del places[0]
        places += [(name, found.instance or only, found) for name, found in self.lists.items()]
        audiences = self.issuer.audience if self.issuer else {}
        return tuple(
            Address(
                path=self.server.path + (end := f"/{place}" if place else ""),
                url=self.resource + end,
                instance=name,
                audience=audiences.get(name or "", audiences.get("", self.resource + end)),
                list=place if found.tools else "",
                tools=found.tools,
            )
            for place, name, found in places
        )

    def address_of(self, resource: str | None) -> Address | None:
        """Return the address that a client names, as people type it; None where it is none.

        Args:
            resource: that the client names; None, or the server without a path, is the common one.
        """
        named = self.resource if resource is None else resource.rstrip("/")
        url = self.resource if named == self.public_url else named
        return next((address for address in self.addresses if address.url == url), None)

    def instances_at(self, resource: str | None) -> Mapping[str, Instance]:
        """Return the instances, by name, that a person can choose for an address."""
        address = self.address_of(resource)
        if address is None:
            return {}
        if address.instance is None:
            return self.instances
        return {address.instance: self.instances[address.instance]}

    @property
    def refresh_seconds(self) -> float:
        """How long a refresh token holds, if it is not used."""
        return self.refresh_days * _DAY


def read_team(path: str | Path) -> Team:
    """Return what a file says.

    Raises:
        ConfigurationError: something in it is wrong; all of that is told together.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        content = tomlkit.parse(text).unwrap()
    except FileNotFoundError:
        raise configuration_error(
            [f"{path} does not exist. Create it with: odoo-toolkit-mcp serve --init {path}"]
        ) from None
    except (OSError, UnicodeError, ParseError) as error:
        raise configuration_error(
            [f"The server cannot read the settings file {path}: {error}."]
        ) from None
    return team_of(content, Path(path).absolute().parent)


def name_problem(name: str, table: str = "instances") -> str | None:
    """Return why no instance, or list, can have a name; None for one that it can have."""
    if _NAME.fullmatch(name):
        return None
    return f"{table}.{name}: a name can have up to 40 lower-case letters, digits, - and _."


def team_of(content: Mapping[str, Any], folder: Path) -> Team:
    """Return what the content of a file says.

    Args:
        content: of the file.
        folder: from which relative paths start.

    Raises:
        ConfigurationError: something in it is wrong.
    """
    problems: list[str] = []
    content = _from_environment(content, "", problems)
    if problems:
        # Whatever else would be told might only follow from it.
        raise configuration_error(problems)
    reader = _Reader(content)
    known = [field.name for field in attrs.fields(Team) if field.name != "server"]
    reader.problems += _unknown(content, [*known, *_OF_SERVER])
    public = reader.public_url()
    server = _server(reader, public)
    store = reader.text("store") or "accounts.sqlite"
    if not store.startswith(("postgresql://", "postgres://")):
        store = str(folder / Path(store).expanduser())
    keys = reader.secrets("secret_keys")
    key_file = reader.text("secret_key_file")
    if not keys and not key_file:
        if "://" in store:
            reader.problems.append(
                "secret_keys is missing. With PostgreSQL, all workers need the same encryption"
                " keys."
            )
        key_file = f"{store}.key"
    password = reader.text("operator_password")
    if password and not is_hash(password):
        reader.problems.append(
            "operator_password is not a hash. Create one with odoo-toolkit-mcp serve"
            " --hash-password."
        )
    values: dict[str, Any] = {}
    for name, kind, least in (
        ("access_hours", (int, float), 0.1),
        ("refresh_days", (int, float), 0.1),
        ("activity_days", int, 1),
        ("with_password", bool, False),
        ("with_key", bool, False),
        ("client_documents", bool, False),
    ):
        if name in content:
            values[name] = reader.value(name, kind, least)
    if values.get("with_password") is False and values.get("with_key") is False:
        reader.problems.append(
            "with_password or with_key must be true. Otherwise no one can sign in."
        )
    instances = _instances(reader, server, partial(_history, folder=folder, store=store))
    values["lists"] = _lists(reader, instances)
    if "issuer" in content:
        values["issuer"], problems = issuer_of(content["issuer"], instances, public + server.path)
        reader.problems += problems
        reader.problems += [
            f"{name} has no effect with an identity provider, which issues the tokens itself."
            " Remove it."
            for name in _NOT_WITH_ISSUER
            if name in content
        ]
    elif any(rule.claims for instance in instances.values() for rule in instance.rules):
        reader.problems.append("claims in a rule need an identity provider. Add [issuer].")
    if reader.problems:
        raise configuration_error(reader.problems)
    return Team(
        public_url=public,
        instances=instances,
        server=server,
        store=store,
        secret_keys=keys,
        secret_key_file=folder / Path(key_file).expanduser() if key_file else None,
        operator_password=password,
        **values,
    )


def _server(reader: _Reader, public: str) -> ServerSettings:
    given = {name: reader.content[name] for name in _OF_SERVER if name in reader.content}
    host = urlsplit(public).hostname or ""
    fixed = {
        "transport": "http",
        "allowed_hosts": (host,),
        "allowed_origins": tuple(given.pop("allowed_origins", ())),
        # The tokens are the team's own: nobody gets in without one.
        "allow_unauthenticated": True,
    }
    settings, problems = load(ServerSettings, {**given, **fixed}, environ={})
    reader.problems += map(setting_names, problems)
    return settings or ServerSettings()


def _unknown(given: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """Return a sentence for each name that a part of the file does not have."""
    problems = []
    for name in given:
        if name in known:
            continue
        if why := _NOT_HERE.get(name):
            problems.append(f"{name} is not a setting of a team server: {why}. Remove it.")
        elif name in _OF_SERVER:
            problems.append(
                f"{name} applies to the whole server. Write it at the top of the file, before the"
                " first [instances...]."
            )
        else:
            problems += unknown_names([name], known)
    return problems


def _no_place(history: Any) -> str | None:
    """Return what is wrong with a word that would make a file of its name."""
    word = history.lower() if isinstance(history, str) else AUTO
    if word in (AUTO, OFF) or set(word) & set("./\\"):
        return None
    if not difflib.get_close_matches(word, _NO_PLACE, n=1):
        return None
    return (
        f"history is {history!r}, which looks like {AUTO} or {OFF}. Write one of these, or a file"
        " name with its extension, such as history.sqlite."
    )


def _history(given: Any, *, folder: Path, store: str) -> Any:
    """Return where the change history of an instance is: by default where the store is.

    Args:
        given: what the file says of it; None for nothing.
        folder: from which relative paths start.
        store: its place.
    """
    if given is None:
        return store if "://" in store else str(Path(store).with_name("history.sqlite"))
    if not isinstance(given, str) or given.lower() in (AUTO, OFF) or "://" in given:
        return given
    return str(folder / Path(given).expanduser())


def _instances(
    reader: _Reader, server: ServerSettings, history: Callable[[Any], Any]
) -> dict[str, Instance]:
    tables = reader.content.get("instances")
    if not isinstance(tables, Mapping) or not tables:
        reader.problems.append("instances is missing. Add at least one, such as [instances.main].")
        return {}
    found = {}
    for name, table in tables.items():
        if problem := name_problem(name):
            reader.problems.append(problem)
        elif not isinstance(table, Mapping):
            reader.problems.append(f"instances.{name} must be a table.")
        else:
            if problem := _no_place(table.get("history")):
                reader.problems.append(f"instances.{name}: {problem}")
            placed = {**table, "history": history(table.get("history"))}
            if instance := _instance(reader, name, placed, server):
                found[name] = instance
    return found


def _lists(reader: _Reader, instances: Mapping[str, Instance]) -> dict[str, ShortList]:
    tables = reader.content.get("lists", {})
    if not isinstance(tables, Mapping):
        reader.problems.append("lists must be tables, each under [lists.NAME].")
        return {}
    found = {}
    for name, table in tables.items():
        problems = _list_problems(name, table, instances, reader.content)
        reader.problems += problems
        if not problems:
            found[name] = ShortList(tools=frozenset(table["tools"]), instance=table.get("instance"))
    return found


def _list_problems(
    name: str, table: Any, instances: Mapping[str, Instance], content: Mapping[str, Any]
) -> list[str]:
    """Return what is wrong with the list of an address."""
    place = f"lists.{name}"
    if problem := name_problem(name, "lists"):
        return [problem]
    if not isinstance(table, Mapping):
        return [f"{place} must be a table."]
    problems = _unknown(table, ["tools", "instance"])
    tools, instance = table.get("tools"), table.get("instance")
    if not isinstance(tools, list) or not _are_texts(tools):
        problems.append('tools must be a list of names, such as ["odoo_inventory_get_stock"].')
    elif blank := [tool for tool in tools if tool != "".join(tool.split()) or not tool]:
        problems.append(f"tools: {blank[0][:100]!r} contains spaces. Write only the tool's name.")
    named = content["instances"] if isinstance(content.get("instances"), Mapping) else {}
    if name in named:
        problems.append("an instance already has that name and address. Rename the list.")
    if instance is not None and instance not in [*named]:
        problems.append(f"instance is {instance!r}, but there are {', '.join(named)}.")
    if instance is None and "issuer" in content and len(named) > 1:
        problems.append(
            "instance is missing. With an identity provider, users cannot choose the database, so"
            " set instance."
        )
    return [f"{place}: {problem}" for problem in problems]


def _instance(
    reader: _Reader, name: str, table: Mapping[str, Any], server: ServerSettings
) -> Instance | None:
    place = f"instances.{name}"
    of_connection = [field.name for field in attrs.fields(ConnectionSettings)]
    of_server = [
        field.name
        for field in attrs.fields(ServerSettings)
        if field.name not in (*_NOT_HERE, *_OF_SERVER)
    ]
    problems = _unknown(table, ["title", "rules", *of_connection, *of_server])
    title = table.get("title", name)
    if not isinstance(title, str) or not title.strip():
        problems.append("title must be a string.")
    connection, found = load(
        ConnectionSettings, {key: table[key] for key in of_connection if key in table}, environ={}
    )
    problems += found
    if connection and not connection.database:
        problems.append("database is missing.")
    if connection and not (connection.username and (connection.api_key or connection.password)):
        problems.append(
            "username and api_key are missing. Set them to a user with few permissions. The server"
            " uses it to find out which apps are installed."
        )
    base = {key: table[key] for key in of_server if key in table}
    own = _with_server(base, server)
    settings, found = load(ServerSettings, own, environ={})
    problems += found
    rules = table.get("rules", [{}])
    made: list[Rule] = []
    if not isinstance(rules, list):
        problems.append("rules must be tables, each under [[instances.NAME.rules]].")
        rules = []
    for number, rule in enumerate(rules, 1):
        told, wrong = _rule(rule, base, server)
        # What is wrong with the instance is wrong with each of its rules.
        problems += [f"rule {number}: {problem}" for problem in wrong if problem not in found]
        if told:
            made.append(told)
    reader.problems += [f"{place}: {setting_names(problem)}" for problem in problems]
    if problems or connection is None or settings is None:
        return None
    return Instance(name=name, title=title, connection=connection, rules=tuple(made))


def _rule(
    rule: Any, base: Mapping[str, Any], server: ServerSettings
) -> tuple[Rule | None, list[str]]:
    """Return a rule, or what is wrong with it."""
    if not isinstance(rule, Mapping):
        return None, ["must be a table."]
    problems = _unknown(rule, ["logins", "groups", "claims", "allow", *_OF_RULE])
    values = dict(base)
    for name in _OF_RULE:
        if name in rule:
            added = name in _ADDED and isinstance(rule[name], list)
            values[name] = [*base.get(name, []), *rule[name]] if added else rule[name]
    settings, found = load(ServerSettings, _with_server(values, server), environ={})
    problems += found
    for name in ("logins", "groups"):
        listed = rule.get(name, [])
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            problems.append(f"{name} must be a list of strings.")
        elif name in rule and not listed:
            problems.append(f"{name} is empty. To match every user, remove it.")
    if any("." not in str(group) for group in rule.get("groups", ())):
        problems.append("groups must be external ids, such as base.group_user.")
    claims = rule.get("claims", {})
    if not isinstance(claims, Mapping) or not all(map(_are_texts, claims.values())):
        problems.append(
            'claims must be a table with lists of strings, such as {groups = ["sales"]}.'
        )
    elif "claims" in rule and not claims:
        problems.append("claims is empty. To match every user, remove it.")
    if not isinstance(rule.get("allow", True), bool):
        problems.append("allow must be true or false.")
    if problems or settings is None:
        return None, problems
    return (
        Rule(
            logins=tuple(rule.get("logins", ())),
            groups=tuple(rule.get("groups", ())),
            claims={name: tuple(values) for name, values in claims.items()},
            allow=rule.get("allow", True),
            settings=settings,
        ),
        [],
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _with_server(values: Mapping[str, Any], server: ServerSettings) -> dict[str, Any]:
    """Return the settings of an instance with what all servers of the process have in common."""
    common = {name: getattr(server, name) for name in _OF_SERVER}
    fixed = {"transport": "http", "allow_unauthenticated": True, "stateless": True}
    return {**values, **common, **fixed, "allowed_hosts": server.allowed_hosts}


def _from_environment(value: Any, place: str, problems: list[str]) -> Any:
    """Return a value with each text ``env:NAME`` replaced, as the file may be read by others."""
    if isinstance(value, Mapping):
        return {
            key: _from_environment(item, f"{place}.{key}" if place else key, problems)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_from_environment(item, place, problems) for item in value]
    if not isinstance(value, str) or not value.startswith("env:"):
        return value
    name = value.removeprefix("env:")
    if not (found := os.environ.get(name)):
        problems.append(f"{place} reads the environment variable {name}, which is not set.")
    return found


class _Reader:
    """Reads values of a file, and collects what is wrong with them."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        self.problems: list[str] = []

    def text(self, name: str) -> str | None:
        """A text."""
        value = self.content.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            self.problems.append(f"{name} must be a string.")
            return None
        return value.strip()

    def secrets(self, name: str) -> tuple[Secret, ...]:
        """A list of secret keys."""
        value = self.content.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.problems.append(f"{name} must be a list of strings.")
            return ()
        keys = [key for item in value for key in item.split(",")]
        if any(len(key) < SHORTEST_KEY for key in keys):
            self.problems.append(
                f"{name}: each key needs at least {SHORTEST_KEY} random characters. Create one with"
                " openssl rand -hex 32."
            )
        return tuple(map(Secret, keys))

    def value(self, name: str, kind: Any, least: float) -> Any:
        """A number or yes or no."""
        value = self.content[name]
        fits = isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
        if not fits or not least <= value < float("inf"):
            wanted = "true or false" if kind is bool else f"a number of at least {least:g}"
            self.problems.append(f"{name} must be {wanted}.")
        return value

    def public_url(self) -> str:
        """The address at which everybody reaches the server."""
        value = (self.text("public_url") or "").rstrip("/")
        parts = urlsplit(value)
        safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))
        if not safe or not parts.hostname or parts.path or parts.query or parts.fragment:
            self.problems.append(
                "public_url must be the https address of this server, such as"
                " https://mcp.example.com, without a path."
            )
        return value
