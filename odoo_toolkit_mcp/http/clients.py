"""Who a request comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request


def client_of(request: Request | None) -> str | None:
    """Return the name under which a client's calls are counted and recorded.

    That is the subject or client id of its token, else its address; None without HTTP.
    """
    if request is None:
        return None
    # Imported here, because a server over stdio has no use for it and starts sooner without.
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

    from odoo_toolkit_mcp.http.session_owners import SessionOwner

    user = request.scope.get("user")
    if isinstance(user, SessionOwner):
        user = user.behind
    if isinstance(user, AuthenticatedUser):
        return user.access_token.subject or user.access_token.client_id
    return request.client.host if request.client else "unknown"
