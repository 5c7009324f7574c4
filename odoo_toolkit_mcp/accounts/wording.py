"""What a policy allows and what went wrong, in words for whoever reads it."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

import attrs

from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.errors import ConfigurationError, OdooConnectionError, OdooError
from odoo_toolkit_mcp.settings import ServerSettings

logger = logging.getLogger(__name__)

#: The variables of the environment by which the toolkit names its settings -> names in the file.
_NAMES = {
    field.metadata["env"]: field.name
    for cls in (ConnectionSettings, ServerSettings)
    for field in attrs.fields(cls)
}

#: Such a variable; and what stands behind the setting's own name, in brackets.
_VARIABLE = re.compile(r"ODOO_[A-Z_]*[A-Z]")
_BEHIND = re.compile(r"(?P<name>\w+)? \((?P<variables>ODOO_[A-Z_]+(?:, ODOO_[A-Z_]+)*)\)")

#: How the toolkit tells programmers which policy it takes.
_CODE = re.compile(r":? ?Policy\([^)]*\)")

#: Names told of a list; of the others it is told how many.
_TOLD = 12


def setting_names(told: str) -> str:
    """Return a message with the settings named as they are in the team's file.

    Args:
        told: the message, as the toolkit has it for those who set variables of the environment.
    """

    def behind(found: re.Match[str]) -> str:
        names = [_NAMES.get(one, one) for one in found["variables"].split(", ")]
        kept = found["name"] or ""
        # "username and password (ODOO_USERNAME, ODOO_PASSWORD)" says it twice, too.
        return kept if kept in names else f"{kept} ({', '.join(names)})"

    return _VARIABLE.sub(lambda found: _NAMES.get(found[0], found[0]), _BEHIND.sub(behind, told))


def in_the_file(error: OdooError) -> str:
    """Return what is wrong, and what to do, with the settings named as they are in the file."""
    return setting_names(f"{error.message} {error.suggestion or ''}".strip())


def for_people(error: OdooError) -> str:
    """Return what somebody who signs in is told of an error: nothing of how this is set up.

    What is kept back is in the log.

    Args:
        error: that Odoo or the toolkit has raised.
    """
    away = isinstance(error, OdooConnectionError) and error.code != "SESSION_EXPIRED"
    if away or (isinstance(error, ConfigurationError) and "reason" not in error.details):
        logger.warning("%s %s", error.message, error.suggestion or "")
    if away and error.outcome == "maybe_applied":
        return "Odoo has not answered. The change may have been applied: check it in Odoo first."
    if away:
        return "Odoo cannot be reached now. Try again in a few minutes."
    if isinstance(error, ConfigurationError) and "reason" not in error.details:
        return "This cannot be done now. Ask this server's administrator to check its log."
    return without_code(f"{error.message} {error.suggestion or ''}".strip())


def without_code(told: str) -> str:
    """Return a message without the Python code that programmers would write."""
    return _CODE.sub("", told)


def policy_in_words(settings: ServerSettings, *, to_operator: bool = False) -> list[str]:
    """Return sentences that say what a client can do.

    Args:
        settings: the policy, as settings of a server.
        to_operator: whether they are for the administrator, and not for the user.
    """
    you, your = ("this user", "this user's") if to_operator else ("you", "your")
    reads = f"It can read what {you} can read in Odoo"
    if settings.model_allowlist:
        reads += f", but only these models: {_named(settings.model_allowlist)}"
    sentences = [f"{reads}."]
    if settings.mode == "readonly":
        sentences.append("It cannot create, change or delete anything.")
    elif settings.mode == "restricted":
        models = _named(settings.write_allowlist) if settings.write_allowlist else "no model"
        sentences.append(f"It can create and change records of: {models}. It cannot delete any.")
    else:
        sentences.append(
            f"It can do in {your} name everything that {you} can do in Odoo: create, change and"
            " delete records, confirm orders, post invoices, send e-mails."
        )
    if settings.mode != "readonly" and settings.confirm != "never":
        sentences.append(f"It asks {you} to confirm before it deletes, cancels or e-mails.")
    if settings.approval:
        sentences.append(
            f"Another user must approve these calls first: {_named(settings.approval)}."
        )
    closed = [*settings.model_blocklist, *settings.field_blocklist]
    if closed:
        sentences.append(f"It never sees: {_named(closed)}.")
    sentences.append("It never sees or changes passwords, keys, access rights or server settings.")
    return sentences


def _named(names: Sequence[str]) -> str:
    told = ", ".join(names[:_TOLD])
    return f"{told} and {len(names) - _TOLD} more" if len(names) > _TOLD else told
