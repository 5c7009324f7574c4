"""Whose session it is, where each request names its Odoo user.

The SDK gives a session to the bearer token that began it, and to nobody else. Here the Odoo user
belongs to that, too: who knows the id of a session must not hear what is sent to its owner.
"""

from __future__ import annotations

import hashlib
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken, principal_components
from starlette.datastructures import Headers
from starlette.types import Scope

from odoo_toolkit_mcp.settings import API_KEY_HEADER, USERNAME_HEADER


class SessionOwner(AuthenticatedUser):
    """Stands for the credentials of a request, and the bearer token that it may have.

    Args:
        behind: the user of the bearer token, if any.
        headers: of the request.
    """

    def __init__(self, behind: Any, headers: Headers) -> None:
        self.behind = behind
        client = principal_components(behind.access_token) if _has_token(behind) else None
        named = [headers.get(USERNAME_HEADER, ""), headers.get(API_KEY_HEADER, "")]
        told = repr((client, named)).encode()
        scopes = behind.access_token.scopes if _has_token(behind) else []
        digest = hashlib.sha256(told).hexdigest()
        super().__init__(AccessToken(token="", client_id=digest, scopes=scopes))


def _has_token(user: Any) -> bool:
    return isinstance(user, AuthenticatedUser)


def with_owner(scope: Scope) -> Scope:
    """Return the scope of a request with the owner of its session as its user."""
    return {**scope, "user": SessionOwner(scope.get("user"), Headers(scope=scope))}
