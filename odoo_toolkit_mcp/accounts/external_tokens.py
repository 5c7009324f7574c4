"""Tokens of an issuer: whom they stand for in Odoo, and with which key that person's calls go.

A token that is right in itself may still be of no use: nobody has given a key for its person yet.
Then the client is told so with each request, in words for that person. A new token would change
nothing, so that it is not asked for one.
"""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.types import INVALID_REQUEST
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from odoo_toolkit.display.visible_text import in_one_line
from odoo_toolkit.errors import AccessError
from odoo_toolkit_mcp.accounts.grants import Account, Grant
from odoo_toolkit_mcp.accounts.issuer import Issuer
from odoo_toolkit_mcp.accounts.provider import GrantedToken, Provider, subject_of
from odoo_toolkit_mcp.accounts.store import aside
from odoo_toolkit_mcp.accounts.team import Address, Instance
from odoo_toolkit_mcp.http.authentication import IssuedTokens, SigningKeys

logger = logging.getLogger(__name__)


class UnusableToken(AccessToken):
    """A token that is right, and of no use here."""

    why: str


class TokensOfIssuer(TokenVerifier):
    """Verifies the tokens of an issuer that come to one address of the endpoint.

    Args:
        provider: keeps the keys of people.
        issuer: whose tokens they are.
        keys: of the issuer.
        address: that the tokens must be for; it is one instance's.
    """

    def __init__(
        self, provider: Provider, issuer: Issuer, keys: SigningKeys, address: Address
    ) -> None:
        self._provider = provider
        self._issuer = issuer
        self._address = address
        self._instance: Instance = provider.team.instances[address.instance or ""]
        self._tokens = IssuedTokens(issuer.url, address.audience, keys)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token grants here and now, or why nothing; None for a wrong one."""
        known = await self._tokens.verify_token(token)
        if known is None:
            return None
        try:
            return await self._granted(known)
        except AccessError as error:
            why = f"{error.message} {error.suggestion or ''}".strip()
            logger.info("The server rejected a token of the identity provider: %s", why)
            return UnusableToken(**known.model_dump(), why=why)

    async def _granted(self, known: AccessToken) -> GrantedToken:
        """Return what a verified token grants.

        Raises:
            AccessError: nothing; in words for the person.
        """
        claims = known.claims or {}
        account = await self._account(self._issuer.login_in(claims))
        rule = self._instance.rule_for(account.login, account.groups, claims)
        if rule is None:
            raise AccessError(
                f"The rules of this server do not allow {account.login} to use"
                f" {self._instance.title}. Ask its administrator."
            )
        grant = await self._grant(account, known)
        await self._provider.note_use(grant)
        return GrantedToken(
            token=known.token,
            client_id=known.client_id,
            scopes=known.scopes,
            expires_at=known.expires_at,
            resource=self._address.url,
            subject=subject_of(grant),
            claims={"iss": self._issuer.url},
            grant=grant,
            rule=rule,
            verifier=self,
        )

    async def _account(self, login: str) -> Account:
        """Return the account of the one user with a login, with a key that holds.

        Raises:
            AccessError: there is none, or there are two.
        """
        found = await aside(self._provider.grants.accounts_with, self._instance.name, login)
        usable = [account for account in found if account.holds]
        if len(usable) > 1:
            raise AccessError(
                f"Several users of {self._instance.title} have the login {login}, in different"
                " upper and lower case.",
                suggestion="Ask the administrator of Odoo to change one of the logins.",
            )
        for account in usable:
            now = await self._provider.rechecked(account)
            self._provider.rechecks.check_known(now)
            if now.holds:
                return now
        raise AccessError(
            f"This server has no API key of {login} for {self._instance.title}.",
            suggestion=f"Open {self._provider.team.public_url}/me in a browser, sign in there with"
            " your Odoo user, and try again.",
        )

    async def _grant(self, account: Account, known: AccessToken) -> Grant:
        """Return the connection of a client, which begins with its first request.

        Raises:
            AccessError: it was ended.
        """
        name = in_one_line(known.client_id).strip()[:100] or "A program without a name"
        grant, new = await aside(
            self._provider.grants.connection,
            account,
            known.client_id,
            client_name=name,
            scopes=known.scopes,
            resource=self._address.url,
        )
        if grant.ended:
            raise AccessError(
                f"The connection of this app ({name}) with Odoo has ended: {grant.why}.",
                suggestion=f"{account.login} can allow it again at"
                f" {self._provider.team.public_url}/me.",
            )
        if new:
            issuer = urlsplit(self._issuer.url).netloc
            await self._provider.note("connected", account, client=name, issuer=issuer)
        return grant


class TellUnusable:
    """Answers requests whose token is of no use; the others go on.

    Args:
        app: answers those.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whose token has been verified."""
        token = scope["user"].access_token
        if not isinstance(token, UnusableToken):
            await self._app(scope, receive, send)
            return
        # As an answer of JSON-RPC: clients show its words.
        body = {
            "jsonrpc": "2.0",
            "id": None,
            "error": {"code": INVALID_REQUEST, "message": token.why},
        }
        answer = JSONResponse(body, 403, headers={"Cache-Control": "no-store"})
        await answer(scope, receive, send)
