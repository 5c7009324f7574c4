"""Bearer tokens: one that all clients share, or those of an OAuth 2.1 authorization server."""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
from mcp.server.auth.provider import AccessToken, TokenVerifier

from odoo_toolkit.configuration import Secret
from odoo_toolkit.errors import OdooConnectionError, OdooError
from odoo_toolkit_mcp.settings import ServerSettings, web_address

if TYPE_CHECKING:
    from jwt import PyJWK

logger = logging.getLogger(__name__)

#: Signatures that a public key checks; a shared secret or no signature at all is not among them.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")

#: What the header of an access token says that it is (RFC 9068); many say no more than JWT.
_ACCESS_TOKENS = ("jwt", "at+jwt")

#: Claims of tokens that are for something else: bound to a key, about who signed in, of events.
_OTHER_CLAIMS = ("cnf", "at_hash", "c_hash", "s_hash", "events")

#: Claims by which Keycloak and Cognito say what a token is -> what an access token is there.
_KINDS = {"typ": "bearer", "token_use": "access"}

#: Bits of the shortest RSA key that counts.
_SHORTEST_RSA = 2048

#: Seconds after which the issuer's keys are fetched again: it may have withdrawn one.
KEYS_LIFETIME = 600.0

#: Seconds between two fetches, however many tokens name keys that nobody knows.
KEYS_INTERVAL = 30.0

#: Seconds that the issuer may take to answer.
KEYS_TIMEOUT = 5.0

#: Seconds by which the issuer's clock may be ahead.
LEEWAY = 10.0


def token_verifier(settings: ServerSettings) -> TokenVerifier | None:
    """Return what checks bearer tokens; None where the settings ask for none."""
    if settings.auth_token:
        return SharedToken(settings.auth_token, settings.auth_scopes)
    if settings.auth_issuer and settings.auth_audience and settings.auth_jwks_url:
        keys = SigningKeys(settings.auth_jwks_url)
        return IssuedTokens(settings.auth_issuer, settings.auth_audience, keys)
    return None


class SharedToken(TokenVerifier):
    """Knows one token.

    Args:
        token: the token.
        scopes: what it grants.
    """

    def __init__(self, token: Secret, scopes: tuple[str, ...] = ()) -> None:
        self._digest = _digest(token.reveal())
        self._scopes = list(scopes)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token grants, None for any other token."""
        # Digests take the same time to compare wherever they differ.
        if not hmac.compare_digest(_digest(token), self._digest):
            return None
        name = f"token-{self._digest.hex()[:8]}"
        return AccessToken(token=token, client_id=name, scopes=self._scopes)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class IssuedTokens(TokenVerifier):
    """Checks the tokens (JWT) of an issuer as an OAuth 2.1 resource server has to.

    Args:
        issuer: must have issued the token.
        audience: the token must be meant for it: the address of this server.
        keys: of the issuer.
    """

    def __init__(self, issuer: str, audience: str, keys: SigningKeys) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = keys

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token grants, None if it is not valid here and now."""
        import jwt

        try:
            header = jwt.get_unverified_header(token)
            key = await self._keys.get(header.get("kid"))
            if key is None:
                raise jwt.InvalidKeyError("the issuer has no such key")
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                issuer=self._issuer,
                audience=[self._audience, self._audience.rstrip("/"), self._audience + "/"],
                leeway=LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
            if told := _other_token(header, claims):
                raise jwt.InvalidTokenError(told)
        except jwt.PyJWTError as error:
            logger.info("The server rejected a bearer token: %s", error)
            return None
        subject = _text(claims.get("sub"))
        client = _text(claims.get("client_id")) or _text(claims.get("azp")) or subject
        return AccessToken(
            token=token,
            client_id=client or "unknown",
            subject=subject,
            scopes=_scopes(claims),
            expires_at=int(claims["exp"]),
            resource=self._audience,
            claims=claims,
        )


def _other_token(header: Mapping[str, Any], claims: Mapping[str, Any]) -> str | None:
    """Return what a token says it is, if that is no access token for whoever bears it."""
    kind = str(header.get("typ") or "JWT").lower().removeprefix("application/")
    if kind not in _ACCESS_TOKENS:
        return f"it is of the type {kind!r:.40}"
    told = {name: str(claims[name]).lower() for name in _KINDS if name in claims}
    for name, said in told.items():
        if said != _KINDS[name]:
            return f"its claim {name} is {said!r:.40}"
    # An id token has it, and need not have anything else that tells it apart.
    of_id = () if told or kind == "at+jwt" else ("nonce",)
    names = (*_OTHER_CLAIMS, *of_id)
    return next((f"it has the claim {name}" for name in names if name in claims), None)


def _text(claim: Any) -> str | None:
    return claim if isinstance(claim, str) and claim else None


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """Return the scopes: ``scope`` of RFC 9068, or ``scp``, a list at some issuers."""
    scopes = claims.get("scope", claims.get("scp", ""))
    words = scopes if isinstance(scopes, list) else str(scopes).split()
    return [str(word) for word in words]


class SigningKeys:
    """The public keys of an issuer, by their ids; fetched when they are needed.

    Args:
        url: of the JSON Web Key Set; None where the issuer's own metadata tell it.
        clock: seconds that only grow.
        issuer: whose metadata these are.
    """

    def __init__(
        self,
        url: str | None,
        clock: Callable[[], float] = time.monotonic,
        issuer: str | None = None,
    ) -> None:
        self._url = url
        self._issuer = issuer
        self._clock = clock
        self._keys: dict[str | None, PyJWK] = {}
        self._fetched = float("-inf")
        self._fetching = anyio.Lock()

    async def get(self, key_id: str | None) -> PyJWK | None:
        """Return a key, None if the issuer has no such key or cannot be asked.

        Args:
            key_id: as in the token's header; without it, the key of an issuer that has only one.
        """
        if self._must_fetch(key_id):
            async with self._fetching:
                if self._must_fetch(key_id):
                    await anyio.to_thread.run_sync(self._fetch)
                    self._fetched = self._clock()
        return self._find(key_id)

    def _must_fetch(self, key_id: str | None) -> bool:
        age = self._clock() - self._fetched
        return age > KEYS_LIFETIME or (self._find(key_id) is None and age > KEYS_INTERVAL)

    def _find(self, key_id: str | None) -> PyJWK | None:
        if key_id is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(key_id)

    def _fetch(self) -> None:
        """Replace the keys; keep the old ones when the issuer does not answer."""
        try:
            self._keys = self.read()
        except OdooError as error:
            logger.error("%s", error.message)

    def read(self) -> dict[str | None, PyJWK]:
        """Return the keys that the issuer has now, by their ids.

        Raises:
            OdooConnectionError: it does not tell them.
        """
        import jwt
        import requests

        try:
            url = self._url or key_set_of(self._issuer or "")
            told = [one for one in _document(url)["keys"] if _may_verify(one)]
            keys = jwt.PyJWKSet(told).keys
        except (
            requests.RequestException,
            jwt.PyJWTError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
        ) as error:
            where = self._url or self._issuer
            raise OdooConnectionError(
                f"The server cannot read the identity provider's keys from {where}: {error}"
            ) from error
        return {key.key_id: key for key in keys if _is_for_signatures(key)}


def _may_verify(described: Mapping[str, Any]) -> bool:
    operations = described.get("key_ops")
    return operations is None or "verify" in operations


def _is_for_signatures(key: PyJWK) -> bool:
    """Whether a key checks signatures, and is long enough."""
    long_enough = key.key_type != "RSA" or key.key.key_size >= _SHORTEST_RSA
    return key.public_key_use in (None, "sig") and long_enough


def key_set_of(issuer: str) -> str:
    """Return where the public keys of an issuer are, as its metadata say.

    Args:
        issuer: its address. Its metadata are where OpenID Connect has them, or RFC 8414.

    Raises:
        ValueError: it has none that are its own.
        requests.RequestException: it does not answer.
    """
    import requests

    parts = urlsplit(issuer)
    path = parts.path.rstrip("/")
    host = f"{parts.scheme}://{parts.netloc}"
    addresses = (
        f"{host}{path}/.well-known/openid-configuration",
        f"{host}/.well-known/oauth-authorization-server{path}",
    )
    problem: Exception = ValueError("it has no metadata")
    for address in addresses:
        try:
            metadata = _document(address)
            if not isinstance(metadata, dict) or metadata.get("issuer") != issuer:
                raise ValueError(f"the metadata at {address} are not those of this issuer")
            return web_address(metadata.get("jwks_uri"))
        except (requests.RequestException, ValueError) as error:
            problem = error
    raise problem


def _document(url: str) -> Any:
    import requests

    answer = requests.get(url, timeout=KEYS_TIMEOUT, allow_redirects=False)
    answer.raise_for_status()
    return answer.json()
