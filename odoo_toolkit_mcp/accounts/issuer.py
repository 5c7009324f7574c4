"""An authorization server of somebody else's, whose tokens a team's endpoint takes.

```toml
[issuer]
url = "https://login.example.com"
scopes = ["odoo"]
claim = "email"        # which is, or names, the login in Odoo
```
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

import attrs

from odoo_toolkit.configuration import comma_list, load, setting, text, unknown_names
from odoo_toolkit.errors import AccessError
from odoo_toolkit_mcp.settings import web_address

#: The claim that counts only where the issuer says that it has verified it, and how it says so.
_EMAIL, _VERIFIED = "email", "email_verified"

#: Characters of the longest login that is looked for.
_LONGEST = 200

#: The case of these letters makes no difference. Of others it does: lower case of the Kelvin sign
#: is a k, and a login that only looks like another's must not be taken for it.
_CASES = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def _audience(value: Any) -> dict[str, str]:
    """One audience, or one for each instance by its name."""
    named = value if isinstance(value, Mapping) else {"": value}
    if not all(isinstance(one, str) and one.strip() for one in named.values()):
        raise ValueError("must be a string, or a table with a string for each instance.")
    return {name: one.strip() for name, one in named.items()}


@attrs.frozen(kw_only=True)
class Issuer:
    """Who issues the tokens, and what in them names an Odoo user.

    Attributes:
        url: as the issuer names itself in its tokens.
        audience: whom tokens must be for, by the name of the instance; ``""`` stands for the only
            instance. Without one it is the address at which clients reach the endpoint.
        jwks_url: of its public keys; without it, as its own metadata say.
        scopes: what a token must grant.
        claim: that is the login of the user in Odoo.
    """

    url: str = setting("url", parse=web_address)
    audience: Mapping[str, str] = setting("audience", parse=_audience, default={})
    jwks_url: str | None = setting("jwks_url", parse=web_address)
    scopes: tuple[str, ...] = setting("scopes", parse=comma_list, default=())
    claim: str = setting("claim", parse=text, default=_EMAIL)

    def login_in(self, claims: Mapping[str, Any]) -> str:
        """Return the login that a token names, whose signature and the like have been checked.

        Raises:
            AccessError: it names none, or not for certain.
        """
        login = claims.get(self.claim)
        if not isinstance(login, str) or not login.isprintable() or not login.strip():
            raise AccessError(
                f"Your token does not contain your Odoo login. It needs the claim {self.claim!r}, a"
                " string.",
                suggestion=f"The administrator of {self.url} can add it to access tokens.",
            )
        if self.claim == _EMAIL and claims.get(_VERIFIED) is not True:
            raise AccessError(
                f"The token of {self.url} does not state that your e-mail address is verified.",
                suggestion=f"The token also needs {_VERIFIED!r}: true with {_EMAIL!r}. Or the"
                " administrator of this server can set another claim.",
            )
        if len(login) > _LONGEST:
            raise AccessError(
                f"The claim {self.claim!r} of your token is longer than a login can be."
            )
        return login


def folded(login: str) -> str:
    """Return a login without the case of its letters from A to Z."""
    return login.translate(_CASES)


def issuer_of(table: Any, instances: Mapping[str, Any], resource: str) -> tuple[Any, list[str]]:
    """Return the issuer of a team's file, None where it is wrong, and what is wrong.

    Args:
        table: of the file.
        instances: those of the file, by name.
        resource: the address that the addresses of the instances begin with.
    """
    if not isinstance(table, Mapping):
        return None, ["issuer must be a table: [issuer]."]
    problems = unknown_names(table, [field.name for field in attrs.fields(Issuer)])
    issuer, found = load(Issuer, table, environ={})
    problems += found
    if not table.get("url"):
        problems.append("url is missing. Set it to the issuer's name in its tokens (iss).")
    if issuer:
        problems += _audience_problems(issuer, instances, resource)
    return (None if problems else issuer), [f"issuer: {problem}" for problem in problems]


def _audience_problems(issuer: Issuer, instances: Mapping[str, Any], resource: str) -> list[str]:
    """Return what would let a token for one instance be used at another."""
    given = dict(issuer.audience)
    if "" in given and len(instances) == 1:
        given = {next(iter(instances)): given[""]}
    if "" in given:
        return [
            "one audience cannot distinguish the instances. Remove it, so that each instance uses"
            " its address, or set a table with one audience for each instance."
        ]
    problems = [
        f"audience.{name}: no instance has the name {name}."
        for name in given
        if name not in instances
    ]
    told = [given.get(name, f"{resource}/{name}").rstrip("/") for name in instances]
    if len(set(told)) < len(told):
        problems.append("audience must be different for each instance.")
    return problems
