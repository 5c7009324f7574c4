"""The way in: database, protocol, credentials."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from odoo_toolkit.connection.database import listed_databases
from odoo_toolkit.connection.transport import open_transport
from odoo_toolkit.doctor.context import Found, LoggedIn, Login
from odoo_toolkit.doctor.diagnosis import Step, ok, problem, warning
from odoo_toolkit.errors import ConfigurationError, OdooError, is_refusal
from odoo_toolkit.records.system_info import UserInfo, current_user

_PROTOCOLS = {"json2": "JSON-2", "jsonrpc": "JSON-RPC", "xmlrpc": "XML-RPC"}

#: From this version on there is JSON-2, for API keys.
_JSON2_SINCE = 19

#: From this version on, a key is for RPC or for MCP.
_KEYS_FOR_MCP_SINCE = 20

#: What an error of the first call names -> what to do.
_ADVICE = {
    "lang": (
        "Set lang (ODOO_LANG) to the code of a language that is installed there, such as "
        "fr_FR. Default: en_US."
    ),
    "allowed_company_ids": (
        "Correct company_id (ODOO_COMPANY_ID) and company_ids (ODOO_COMPANY_IDS), or remove them."
    ),
}

NEW_KEY = (
    "Create a new key in Odoo as that user: the user menu at the top right, Preferences (or "
    "My Profile), Account Security, New API Key."
)


def look_at_database(found: Found) -> Step:
    """Find the database, and try each credential on it: a login names a wrong one."""
    names = listed_databases(found.http)
    listed = f" Its databases are {', '.join(names)}." if names else ""
    if not found.settings.database and names is not None and len(names) > 1:
        return problem(
            f"The server has several databases.{listed}", "Set database (ODOO_DB) to one of them."
        )
    if not found.settings.database and not names:
        return problem(
            "The server does not list its databases, and database (ODOO_DB) is not set.",
            "Set database (ODOO_DB). On odoo.com, it is the first part of the address: shop for "
            "https://shop.odoo.com.",
        )
    found.database = found.settings.database or (names or [""])[0]
    found.logins = list(_log_in(found))
    if any(_of_database(login.error) for login in found.logins):
        return problem(
            f"The server has no database named {found.database}.{listed}",
            "Correct database (ODOO_DB). Upper and lower case matter."
            + ("" if names else " Ask the administrator for the name."),
        )
    if not found.settings.database:
        return ok(f"The server has one database, {found.database}. The toolkit uses it.")
    if names is None or found.database not in names:
        return ok(
            f"The database is {found.database}. The server does not list it, which is not a "
            "problem."
        )
    return ok(f"The server has the database {found.database}.")


def look_at_protocol(found: Found) -> Step:
    """Say over which protocol the calls go, and whether it is the one to be expected."""
    login = next((login for login in found.logins if login.transport), found.logins[0])
    error, expected = login.error, login.expected
    if error is not None and _of_protocol(error):
        return problem(error.message, error.suggestion)
    used = login.transport.name if login.transport else expected
    if used != expected:
        return warning(
            f"{_PROTOCOLS[expected]} is not reachable at this address. The toolkit uses "
            f"{_PROTOCOLS[used]} instead.",
            "Ask the administrator of the server or its proxy to allow the path "
            f"/{'json/2' if expected == 'json2' else expected}.",
        )
    if used == "json2":
        return ok("The protocol is JSON-2, Odoo's API for keys.")
    told = f"The protocol is {_PROTOCOLS[used]}, which Odoo supports up to version 21."
    if found.major >= _JSON2_SINCE and not found.settings.api_key:
        told += " With an API key, the toolkit uses JSON-2, which has no such limit."
    return ok(told)


def look_at_credentials(found: Found) -> Step:
    """Say which credential Odoo accepts, and who that is."""
    accepted = next((login for login in found.logins if login.transport), None)
    refused = [login for login in found.logins if is_refusal(login.error)]
    doubts = [(_refusal(found, refused), _what_to_do(found, refused))] if refused else []
    doubts += [
        (login.error.message, login.error.suggestion)
        for login in found.logins
        if login.error and login not in refused
    ]
    if accepted is None or accepted.transport is None:
        return problem(*doubts[0])
    assert found.version is not None  # noqa: S101 - nobody logs in before it is known
    found.transport = LoggedIn(accepted.transport, accepted.uid, found.version)
    try:
        user = current_user(found.connection)
    except OdooError as error:
        advice = _ADVICE.get(str(error.details.get("field")), error.suggestion)
        return problem(
            f"The {accepted.credential} is accepted, but the first call failed: {error.message}",
            advice,
        )
    told = f"The {accepted.credential} is accepted: you are {_named(user)}."
    if foreign := _foreign_companies(found):
        return problem(
            f"{told} The settings contain the company with id {foreign}, which this user cannot "
            "use, so calls fail.",
            _ADVICE["allowed_company_ids"],
        )
    doubts += _doubts(found, user)
    if doubts:
        meanings, what_to_do = zip(*doubts, strict=True)
        return warning(" ".join([told, *meanings]), " ".join(what_to_do))
    return ok(told)


def _doubts(found: Found, user: UserInfo) -> Iterator[tuple[str, str]]:
    """Yield what may not be meant so, and what to do."""
    given = found.settings.username
    if found.settings.password and not given:
        yield (
            "The password is not used, because no user name is set.",
            "Set username (ODOO_USERNAME), or remove the password.",
        )
    if given and user.login and given.lower() != user.login.lower():
        yield (
            (
                f"That is not {given!r}, the user in the settings: an API key always belongs to "
                "the user who created it."
            ),
            "Use a key of the user in the settings, or correct username (ODOO_USERNAME).",
        )
    if found.of_user.get("share"):
        yield (
            "This is a portal or public user, who can see little besides their own documents.",
            "If you need more, use an internal user.",
        )


def _foreign_companies(found: Found) -> str:
    """Return the ids of companies that the settings name and the user does not work in."""
    own = found.of_user.get("company_ids")
    named = found.settings.base_context.get("allowed_company_ids", [])
    return ", ".join(str(one) for one in named if one not in own) if own else ""


def _log_in(found: Found) -> Iterator[Login]:
    """Try each credential alone: an API key first, as the toolkit does."""
    settings, version = found.settings, found.version
    assert version is not None  # noqa: S101 - the step before has found it
    alone = []
    if settings.api_key:
        alone.append(("API key", attrs.evolve(settings, password=None)))
    if settings.password and (not settings.api_key or _takes_password(found)):
        alone.append(("password", attrs.evolve(settings, api_key=None)))
    for credential, one in alone:
        expected: str = one.protocol
        if expected == "auto":
            by_key = one.api_key and version.major >= _JSON2_SINCE
            expected = "json2" if by_key else "jsonrpc"
        try:
            transport, uid = open_transport(one, found.http, version, found.database)
        except OdooError as error:
            yield Login(credential=credential, expected=expected, error=error)
        else:
            yield Login(credential=credential, expected=expected, transport=transport, uid=uid)


def _takes_password(found: Found) -> bool:
    """Whether the toolkit would use a password that is given beside an API key."""
    return bool(found.settings.username) and found.settings.protocol != "json2"


def _of_database(error: OdooError | None) -> bool:
    """Whether a login failed for want of the database, as each protocol tells it in its way."""
    return isinstance(error, ConfigurationError) and (
        "database" in error.details or error.details.get("http_status") == 404
    )


def _of_protocol(error: OdooError | None) -> bool:
    """Whether a login failed for how it was asked for, and not for who asked."""
    if error is None or is_refusal(error) or error.code == "RATE_LIMITED":
        return False
    return not (isinstance(error, ConfigurationError) and error.message.startswith("username"))


def _refusal(found: Found, refused: list[Login]) -> str:
    what = " nor the ".join(login.credential for login in refused)
    whose = f" of user {found.settings.username!r}" if found.settings.username else ""
    verb = "accepts neither the" if len(refused) > 1 else "does not accept the"
    return f"Odoo {verb} {what}{whose} (database {found.database})."


def _what_to_do(found: Found, refused: list[Login]) -> str:
    advice = []
    kinds = {login.credential for login in refused}
    if "API key" in kinds:
        # JSON-2 asks for no user name.
        if any(one.credential == "API key" and one.expected != "json2" for one in refused):
            advice.append(
                f"First check whether {found.settings.username!r} (ODOO_USERNAME) is the login of "
                "the user who created the key."
            )
        advice.append("The key may have expired, or been revoked, or be another user's or server's")
        advice[-1] += (
            (
                ", or it is a key for MCP: in Odoo 20 and later, a key is either for RPC, which "
                "the toolkit needs, or for MCP."
            )
            if found.major >= _KEYS_FOR_MCP_SINCE
            else "."
        )
        advice.append(NEW_KEY)
    if "password" in kinds:
        advice.append(
            "Check username (ODOO_USERNAME), which is the login in Odoo, and password "
            "(ODOO_PASSWORD). A user with two-factor authentication needs an API key "
            "(ODOO_API_KEY)."
        )
    return " ".join(advice)


def _named(user: UserInfo) -> str:
    name = f"{user.name} ({user.login})" if user.name else "the user"
    company = f", in the company {user.company['name']}" if user.company else ""
    return f"{name}, id {user.uid}{company}"
