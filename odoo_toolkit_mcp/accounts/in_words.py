"""What a policy allows, in words for the person who is asked."""

from __future__ import annotations

from collections.abc import Sequence

from odoo_toolkit_mcp.settings import ServerSettings

#: Names told of a list; of the others it is told how many.
_TOLD = 12


def policy_in_words(settings: ServerSettings) -> list[str]:
    """Return sentences that say what a client can do.

    Args:
        settings: the policy, as settings of a server.
    """
    reads = "It can read what you can read in Odoo"
    if settings.model_allowlist:
        reads += f", of these models only: {_named(settings.model_allowlist)}"
    sentences = [f"{reads}."]
    if settings.mode == "readonly":
        sentences.append("It cannot create, change or delete anything.")
    elif settings.mode == "restricted":
        models = _named(settings.write_allowlist) if settings.write_allowlist else "no model"
        sentences.append(f"It can create and change records of: {models}. It cannot delete any.")
    else:
        sentences.append(
            "It can do in your name what you can do in Odoo: create, change and delete records,"
            " confirm orders, post invoices, send e-mails."
        )
    if settings.mode != "readonly" and settings.confirm != "never":
        when = "" if settings.confirm == "always" else ", if your program can ask"
        sentences.append(f"You are asked before it deletes, cancels or e-mails{when}.")
    if settings.approval:
        sentences.append(
            f"Another person must allow these calls first: {_named(settings.approval)}."
        )
    closed = [*settings.model_blocklist, *settings.field_blocklist]
    if closed:
        sentences.append(f"It never sees: {_named(closed)}.")
    sentences.append("It never sees or changes passwords, keys, access rights or server settings.")
    return sentences


def _named(names: Sequence[str]) -> str:
    told = ", ".join(names[:_TOLD])
    return f"{told} and {len(names) - _TOLD} more" if len(names) > _TOLD else told
