"""The authorization server, as the SDK's routes ask for it: clients, codes, tokens.

Who is asked, and what is answered on our pages, is in :mod:`odoo_toolkit_mcp.accounts.sign_in`.
"""

from __future__ import annotations

import logging
import re
import time
from typing import Any

import anyio
import anyio.to_thread
import attrs
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    TokenVerifier,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import Field

from odoo_toolkit.databases import Database
from odoo_toolkit.display.visible_text import in_one_line
from odoo_toolkit.errors import make_error
from odoo_toolkit_mcp.accounts.activity import Activity, Kind
from odoo_toolkit_mcp.accounts.beside import beside
from odoo_toolkit_mcp.accounts.client_documents import (
    ClientDocuments,
    DocumentError,
    is_document_address,
)
from odoo_toolkit_mcp.accounts.clients import SCOPES, Client, Clients, client_of_document
from odoo_toolkit_mcp.accounts.grants import Account, Grant, Grants, KnownToken, Why
from odoo_toolkit_mcp.accounts.odoo_users import Rechecks
from odoo_toolkit_mcp.accounts.requests import AuthorizationRequest, AuthorizationRequests
from odoo_toolkit_mcp.accounts.store import aside, now
from odoo_toolkit_mcp.accounts.team import Address, Team
from odoo_toolkit_mcp.accounts.vault import Vault

logger = logging.getLogger(__name__)

#: Seconds between two notes that a client is still there.
_NOTED = 60.0

#: Documents of clients that are fetched at once, and people who wait for a place.
_FETCHING, _WAITING = 16, 16

#: What a challenge of PKCE by S256 looks like.
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


class GrantedCode(AuthorizationCode):
    """A code, and what was granted with it."""

    grant: Any = Field(exclude=True, repr=False)


class GrantedRefreshToken(RefreshToken):
    """A refresh token, and what it is for."""

    grant: Any = Field(exclude=True, repr=False)


class GrantedToken(AccessToken):
    """An access token, what it is for, and which rule of the team's file holds for it."""

    grant: Any = Field(exclude=True, repr=False)
    rule: int = 0
    #: Knows whether it still holds.
    verifier: Any = Field(default=None, exclude=True, repr=False)


class Provider(OAuthAuthorizationServerProvider[GrantedCode, GrantedRefreshToken, GrantedToken]):
    """Answers the SDK's routes, and knows what tokens are for.

    Args:
        team: what the server is told.
        store: where everything is kept.
        vault: seals what is kept.
        documents: fetches the descriptions of clients.
    """

    def __init__(
        self,
        team: Team,
        store: Database,
        vault: Vault,
        documents: ClientDocuments | None = None,
    ) -> None:
        self.team = team
        self.vault = vault
        self.grants = Grants(store, vault)
        self.clients = Clients(store, vault)
        self.requests = AuthorizationRequests(store, vault)
        self.activity = Activity(store)
        self.rechecks = Rechecks(team, self.grants)
        self._documents = documents or ClientDocuments()
        self._noted: dict[int, float] = {}
        self._fetching: anyio.CapacityLimiter | None = None

    def rotate_keys(self) -> int:
        """Seal all secrets with the first key of the ring; return how many there are."""
        return self.grants.rotate_keys() + self.clients.rotate_keys()

    def check_keys(self) -> None:
        """See that the ring opens what the store holds.

        Raises:
            ConfigurationError: a key that has sealed something is missing.
        """
        self.grants.accounts()
        self.clients.check()

    # Clients.

    async def get_client(self, client_id: str) -> Client | None:
        """Return a client; None where there is none.

        Raises:
            RateLimitError: it has a document, and too many of these are fetched now.
        """
        if not self.team.client_documents or not is_document_address(client_id):
            return await aside(self.clients.find, client_id)
        # Apart, so that slow servers of documents never hold up the store or the pages.
        self._fetching = self._fetching or anyio.CapacityLimiter(_FETCHING)
        if self._fetching.statistics().tasks_waiting >= _WAITING:
            raise make_error(
                "RATE_LIMITED",
                "The server is fetching too many client documents now. Try again later.",
            )
        return await anyio.to_thread.run_sync(self._described, client_id, limiter=self._fetching)

    def _described(self, client_id: str) -> Client | None:
        try:
            return client_of_document(client_id, self._documents.get(client_id), SCOPES)
        except (DocumentError, ValueError) as error:
            logger.info("The server cannot use the client %.200r: %s", client_id, error)
            return None

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Keep a new client.

        Raises:
            RegistrationError: it names addresses to which no browser is sent.
        """
        await aside(self.clients.keep, client_info)

    # A person is asked.

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """Return the address of the page on which the person is asked.

        Raises:
            AuthorizeError: the client asks for what this server does not have.
        """
        address = self.team.address_of(params.resource or None)
        if address is None:
            raise AuthorizeError(
                "invalid_target",
                f"The resource must be the address of this server, {self.team.resource}.",
            )
        if not _CHALLENGE.fullmatch(params.code_challenge):
            raise AuthorizeError("invalid_request", "code_challenge must use the method S256.")
        if len(params.state or "") > 2000:
            raise AuthorizeError("invalid_request", "state is too long.")
        token = await aside(
            self.requests.begin,
            AuthorizationRequest(
                client=client.client_id,
                client_name=in_one_line(client.client_name or "").strip()[:100]
                or "A program without a name",
                redirect_uri=str(params.redirect_uri),
                explicit=params.redirect_uri_provided_explicitly,
                state=params.state,
                scopes=list(params.scopes or SCOPES),
                code_challenge=params.code_challenge,
                resource=address.url,
            ),
        )
        return f"{self.team.public_url}/sign-in?request={token}"

    # Codes.

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> GrantedCode | None:
        """Return a code, used or not; None where there is none, or what it granted has ended."""
        known = await aside(self.grants.find_code, authorization_code)
        if known is None or known.grant.ended or known.grant.client != client.client_id:
            return None
        return GrantedCode(
            code=authorization_code,
            scopes=list(known.scopes),
            expires_at=known.ends,
            client_id=known.grant.client,
            code_challenge=known.body["code_challenge"],
            redirect_uri=known.body["redirect_uri"],
            redirect_uri_provided_explicitly=known.body["explicit"],
            resource=known.grant.resource,
            subject=subject_of(known.grant),
            grant=known.grant,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: GrantedCode
    ) -> OAuthToken:
        """Return the first tokens of a grant.

        Raises:
            TokenError: the code was used before: what was granted with it has ended.
        """
        if not await aside(self.grants.use_code, authorization_code.code):
            await self._note_end(authorization_code.grant, "a code was used twice")
            raise TokenError("invalid_grant", "This code has already been used.")
        return await self._tokens(authorization_code.grant, authorization_code.scopes)

    # Refresh tokens.

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> GrantedRefreshToken | None:
        """Return a refresh token, used or not; None where there is none, or its grant has ended."""
        known = await aside(self.grants.find_token, refresh_token, "refresh")
        if known is None or known.grant.ended or known.grant.client != client.client_id:
            return None
        return GrantedRefreshToken(
            token=refresh_token,
            client_id=known.grant.client,
            scopes=list(known.scopes),
            expires_at=int(known.ends),
            resource=known.grant.resource,
            subject=subject_of(known.grant),
            grant=known.grant,
        )

    async def exchange_refresh_token(
        self,
        client: OAuthClientInformationFull,
        refresh_token: GrantedRefreshToken,
        scopes: list[str],
    ) -> OAuthToken:
        """Return new tokens in place of the earlier ones.

        Raises:
            TokenError: the refresh token was used before: somebody else has it, so that what was
                granted has ended; or the policy does not admit the user any more.
        """
        grant: Grant = refresh_token.grant
        if self._rule(grant) is None:
            await self.end(grant, "the policy no longer admits this user")
            raise TokenError("invalid_grant", "The rules of this server no longer allow this user.")
        if not await aside(self.grants.use_refresh_token, refresh_token.token):
            await self._note_end(grant, "a refresh token was used twice")
            raise TokenError("invalid_grant", "This refresh token has already been used.")
        return await self._tokens(grant, scopes)

    async def _tokens(self, grant: Grant, scopes: list[str]) -> OAuthToken:
        lasts = self.team.access_hours * 3600
        access, refresh = await aside(
            self.grants.new_tokens, grant, scopes, lasts, self.team.refresh_seconds
        )
        return OAuthToken(
            access_token=access,
            token_type="Bearer",  # noqa: S106
            expires_in=int(lasts),
            scope=" ".join(scopes),
            refresh_token=refresh,
        )

    # Access tokens.

    async def load_access_token(self, token: str) -> GrantedToken | None:
        """Return what a token grants here and now; None for one that is of no use."""
        known = await aside(self.grants.find_token, token, "access")
        if known is None or known.used or known.ends <= now() or known.grant.ended:
            return None
        admitted = await self._admitted(known)
        if admitted is None:
            return None
        grant, rule = admitted
        await self.note_use(grant)
        return GrantedToken(
            token=token,
            client_id=grant.client,
            scopes=list(known.scopes),
            expires_at=int(known.ends),
            resource=grant.resource,
            subject=subject_of(grant),
            claims={"iss": self.team.public_url},
            grant=grant,
            rule=rule,
        )

    async def account_now(self, account_id: int | None) -> Account | None:
        """Return the account of an id as it is now.

        None where no instance has it any more, or its key has just come to be of no use.
        """
        account = await aside(self.grants.account, account_id) if account_id else None
        if account is None or account.instance not in self.team.instances:
            return None
        found = await self.rechecked(account)
        return None if account.key and not found.key else found

    async def rechecked(self, account: Account) -> Account:
        """Return an account as it is now, after asking Odoo if that is due."""
        instance = self.team.instances.get(account.instance)
        if instance is None or not self.rechecks.is_due(account):
            return account
        await beside("look", instance.odoo, self.rechecks, account)
        return await aside(self.grants.account, account.id) or account

    async def _admitted(self, known: KnownToken) -> tuple[Grant, int] | None:
        """Return the grant as it is now, and the rule that holds; None where it is of no use.

        Raises:
            OdooConnectionError: whether the key holds is not known now.
        """
        account = await self.rechecked(known.grant.account)
        self.rechecks.check_known(account)
        grant = attrs.evolve(known.grant, account=account)
        if account.key is None:
            return None
        if not account.holds:
            await self.end(grant, "Odoo refuses the key")
            return None
        rule = self._rule(grant)
        if rule is None:
            await self.end(grant, "the policy no longer admits this user")
            return None
        return grant, rule

    def _rule(self, grant: Grant) -> int | None:
        account = grant.account
        instance = self.team.instances.get(account.instance)
        return instance.rule_for(account.login, account.groups) if instance else None

    async def end(self, grant: Grant, why: Why) -> None:
        """End a grant and note it, unless it has ended before."""
        if await aside(self.grants.end, grant.id, why):
            await self._note_end(grant, why)

    async def _note_end(self, grant: Grant, why: Why) -> None:
        logger.warning("The connection %d of %s has ended: %s.", grant.id, grant.account.login, why)
        await self.note(
            "disconnected", grant.account, client=grant.client_name, why=why, connection=grant.id
        )

    async def note(
        self,
        kind: Kind,
        account: Account | None = None,
        *,
        instance: str = "",
        client: str = "",
        **body: Any,
    ) -> None:
        """Note an event; one about an account has its instance and login."""
        if account:
            instance, body = account.instance, {"login": account.login, **body}
        number = account.id if account else None
        await aside(
            self.activity.note, kind, instance=instance, account=number, client=client, body=body
        )

    async def note_use(self, grant: Grant) -> None:
        """Note that a client is there, unless that was just noted."""
        moment = time.monotonic()
        if moment - self._noted.get(grant.id, float("-inf")) < _NOTED:
            return
        self._noted[grant.id] = moment
        await aside(self.grants.note_use, grant.id)

    # Revocation.

    async def revoke_token(self, token: GrantedToken | GrantedRefreshToken) -> None:
        """End what a token was granted for, and all tokens with it."""
        await self.end(token.grant, "revoked by the client")


class TokensFor(TokenVerifier):
    """Verifies the tokens that come to one address of the endpoint.

    Args:
        provider: knows them.
        address: that they must be for.
    """

    def __init__(self, provider: Provider, address: Address) -> None:
        self._provider = provider
        self._address = address

    async def verify_token(self, token: str) -> GrantedToken | None:
        """Return what a token grants here and now; None for one that is of no use."""
        granted = await self._provider.load_access_token(token)
        if granted is None or self._provider.team.address_of(granted.resource) != self._address:
            return None
        granted.verifier = self
        return granted


def subject_of(grant: Grant) -> str:
    """Return the name of a person for sessions, limits and the audit; unique for the server."""
    return f"{grant.account.instance}:{grant.account.uid}"
