"""An authorization server of somebody else's, for the tests of those who take its tokens."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

#: Whom its tokens are for, unless they say otherwise.
AUDIENCE = "https://mcp.example.com/mcp"


class Issuer:
    """An authorization server: an address with keys and metadata, and tokens signed with them."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.keys = [self.public(self.key, "one")]
        self.fetches = 0
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                metadata = issuer.metadata.get(self.path)
                if metadata is None and self.path.startswith("/.well-known/"):
                    self.send_error(404)
                    return
                issuer.fetches += metadata is None
                body = json.dumps(metadata or {"keys": issuer.keys}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.metadata: dict[str, Any] = {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/jwks",
            }
        }
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()

    @staticmethod
    def public(key: rsa.RSAPrivateKey, key_id: str) -> dict[str, Any]:
        public = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
        return {**public, "kid": key_id, "alg": "RS256", "use": "sig"}

    def token(
        self,
        kid: str | None = "one",
        key: Any = None,
        alg: str = "RS256",
        typ: str = "JWT",
        also: Mapping[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """Return a token that is right but for the claims given; None leaves one out.

        Args:
            kid, key, alg, typ: of its header and signature.
            also: claims with the names of these.
            claims: others.
        """
        content = {
            "iss": self.url,
            "aud": AUDIENCE,
            "exp": int(time.time()) + 60,
            "sub": "ann",
            "scope": "odoo other",
            **claims,
            **(also or {}),
        }
        content = {name: value for name, value in content.items() if value is not None}
        headers = {"typ": typ, **({"kid": kid} if kid else {})}
        # As bytes: what no claim should be, too.
        body = json.dumps(content).encode()
        return jwt.api_jws.encode(body, key or self.key, algorithm=alg, headers=headers)

    def settings(self) -> dict[str, Any]:
        return {
            "transport": "http",
            "auth_issuer": self.url,
            "auth_audience": AUDIENCE,
            "auth_jwks_url": f"{self.url}/jwks",
            "auth_scopes": "odoo",
        }

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
