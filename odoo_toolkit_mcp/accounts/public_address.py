"""What the servers of a hosted assistant, such as claude.ai or ChatGPT, meet at a public address.

They look the name up in public DNS, connect to port 443, check the certificate against the public
authorities, follow no redirect, and read the metadata before anybody signs in. The same is done
here, without a token, so that nothing is made or changed.
"""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

import attrs
import requests
from cryptography import x509
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.util import connection

from odoo_toolkit.display.visible_text import in_one_line
from odoo_toolkit_mcp.accounts.client_documents import IP, addresses_of, is_public
from odoo_toolkit_mcp.accounts.oauth import RESOURCE, SERVER, resource_documents, server_metadata
from odoo_toolkit_mcp.accounts.team import Team

Level = Literal["fine", "warning", "problem"]

#: Seconds for each step, and days before its end by which a certificate should have been renewed.
_TIMEOUT, _RENEWED = 10.0, 14.0

#: Requests named in a line; of the others it is told how many.
_NAMED = 4

#: The port that hosted assistants connect to.
_PORT = 443

#: Who asks, as a firewall sees it.
_AGENT = "odoo-toolkit-mcp serve --check"

#: What the standard library says of an address that is not public -> what that means.
_KINDS = {
    "is_loopback": "this machine only",
    "is_link_local": "a link-local address",
    "is_private": "a private network",
}

#: Codes of OpenSSL -> what is wrong with a certificate, and what to do. {issuer}, {names} and
#: {host} are of the certificate and the address.
_UNTRUSTED = {
    9: ("is not valid yet.", "Check the clocks of both machines."),
    10: ("has expired.", "Renew it, and check that it is renewed automatically."),
    18: ("is self-signed.", "Get one from a public authority; Caddy and certbot do."),
    19: (
        "comes from {issuer}, which is not a public authority.",
        "Get one from a public authority.",
    ),
    20: (
        "lacks the intermediate certificates from {issuer} to a public authority.",
        "Let the proxy send the full chain (fullchain.pem, not cert.pem). If {issuer} is your own"
        " authority, get a certificate from a public one.",
    ),
    62: ("is for {names}.", "Get one for {host}."),
}

#: How an unexpected status begins -> what to do. The first that fits counts.
_CURES = {
    "3": "A client that follows the redirect loses the body or the token. Let the proxy forward"
    " requests instead, and correct public_url if the server has another name.",
    "404": "Let the proxy forward this path, as in the files of docs/operating.",
    "405": "Let the proxy forward this method.",
    "421": "Let the proxy forward the Host header unchanged.",
    "4": "A firewall, a login page or a bot check in front of the server rejects it. Add an"
    " exception for this host there.",
    "5": "Start the server, and check that the proxy forwards requests to"
    " http://{server.host}:{server.port}.",
    "": "Another server seems to respond there. Check public_url and the proxy.",
}


@attrs.frozen
class Finding:
    """What was seen.

    Attributes:
        level: a problem is one for every client, a warning for hosted assistants only.
        text: what was seen and what to do, in a line.
    """

    level: Level
    text: str


@attrs.frozen
class Network:
    """What the world says.

    Attributes:
        addresses: looks the addresses of a host and port up.
        trust: PEM file of the public authorities.
    """

    addresses: Callable[[str, int], list[IP]] = addresses_of
    trust: str = DEFAULT_CA_BUNDLE_PATH


@attrs.frozen
class _Request:
    """A request that any client makes, or could.

    Attributes:
        method, url: of it.
        statuses: of which its answer must have one.
        document: what the JSON of the answer must contain.
        header: what its header WWW-Authenticate must contain.
        optional: whether another answer is only worth a warning.
    """

    method: str
    url: str
    statuses: tuple[int, ...]
    document: Mapping[str, Any] = attrs.field(factory=dict)
    header: str = ""
    optional: bool = False


def public_findings(team: Team, network: Network | None = None) -> Iterator[Finding]:
    """Yield what a hosted assistant would meet at the address of a team's server.

    Args:
        team: the settings.
        network: what to ask; by default the real one.
    """
    network = network or Network()
    parts = urlsplit(team.public_url)
    host, port = parts.hostname or "", parts.port or _PORT
    if parts.scheme != "https":
        yield Finding(
            "fine",
            f"{team.public_url} works only on this machine. claude.ai and ChatGPT need an https"
            " address.",
        )
        return
    if port != _PORT:
        yield Finding(
            "warning",
            f"{team.public_url} has the port {port}, but hosted assistants such as claude.ai may"
            f" connect only to {_PORT}. Let the proxy listen on {_PORT}, and remove the port from"
            " public_url.",
        )
    found = [*_name(host, port, network)]
    if all(one.level != "problem" for one in found):
        found += _certificate(host, port, network)
    if all(one.level != "problem" for one in found):
        with requests.Session() as session:
            # Neither a proxy nor the authorities that this machine alone has.
            session.trust_env, session.verify = False, network.trust
            found += [*_answers(team, session), *_unencrypted(host, session)]
    yield from found
    if port == _PORT and all(one.level == "fine" for one in found):
        yield Finding(
            "fine",
            f"{team.public_url} responds as claude.ai and ChatGPT require. This machine cannot see"
            " whether a firewall blocks them.",
        )


def _name(host: str, port: int, network: Network) -> Iterator[Finding]:
    try:
        found = network.addresses(host, port)
    except (OSError, UnicodeError):
        yield Finding(
            "problem",
            f"{host} has no address in DNS. Create an A record with the public address of the"
            " proxy.",
        )
        return
    for address in found:
        kinds = [kind for sign, kind in _KINDS.items() if getattr(address, sign)]
        kind = (*kinds, "not a public address")[0]
        if not is_public(address):
            yield Finding(
                "warning",
                f"{host} has the address {address} here, {kind}. claude.ai and ChatGPT do not"
                " connect to such an address. Set its A record to the public address of the proxy."
                " If only your network resolves it this way, check from another network.",
            )
    if not any(address.version == 4 for address in found):
        yield Finding(
            "warning",
            f"{host} has only the address {found[0]}, and claude.ai connects over IPv4. Add an A"
            " record.",
        )


def _certificate(host: str, port: int, network: Network) -> Iterator[Finding]:
    anything = ssl.create_default_context()
    anything.check_hostname, anything.verify_mode = False, ssl.CERT_NONE
    try:
        certificate = _handshake(host, port, anything)
        _handshake(host, port, ssl.create_default_context(cafile=network.trust))
    except ssl.SSLCertVerificationError as error:
        yield Finding("problem", _untrusted(host, certificate, error))
        return
    except ssl.SSLError as error:
        yield Finding(
            "problem",
            f"{host} does not use TLS on port {port} ({error.reason}). Turn on TLS in the proxy.",
        )
        return
    except OSError as error:
        yield Finding(
            "problem",
            f"No server responds at {host}, port {port} ({error.strerror or error}). Start the"
            " proxy, and open the port.",
        )
        return
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    left = ends - datetime.datetime.now(datetime.UTC)
    # Some are valid for six days only.
    late = min(datetime.timedelta(days=_RENEWED), (ends - begins) / 5)
    told = f"The certificate of {host} is valid for {left.days} more days, until {ends:%Y-%m-%d}."
    if left < late:
        yield Finding("warning", f"{told} Check that it is renewed automatically.")
    else:
        yield Finding("fine", told)


def _handshake(host: str, port: int, context: ssl.SSLContext) -> x509.Certificate:
    """Return the certificate of a server."""
    with (
        connection.create_connection((host, port), _TIMEOUT) as line,
        context.wrap_socket(line, server_hostname=host) as tls,
    ):
        return x509.load_der_x509_certificate(tls.getpeercert(binary_form=True) or b"")


def _untrusted(
    host: str, certificate: x509.Certificate, error: ssl.SSLCertVerificationError
) -> str:
    names = [
        str(name.value)
        for extension in certificate.extensions
        if isinstance(extension.value, x509.SubjectAlternativeName)
        for name in extension.value
    ]
    refused = f"is refused: {error.verify_message}."
    seen, cure = _UNTRUSTED.get(error.verify_code, (refused, "Get another one."))
    told = f"The certificate of {host} {seen} {cure}"
    issuer = certificate.issuer.rfc4514_string()
    return told.format(issuer=issuer, names=", ".join(names) or "no host", host=host)


def _requests(team: Team) -> Iterator[_Request]:
    for address in team.addresses:
        where_to = f'resource_metadata="{team.public_url}{RESOURCE}{address.path}"'
        yield _Request("POST", address.url, (401,), header=where_to)
        yield _Request("GET", address.url, (401, 405))
        yield _Request("HEAD", address.url, (401, 405))
        yield _Request("POST", f"{address.url}/", (401,), optional=True)
    for path, document in resource_documents(team).items():
        wanted = {name: document[name] for name in ("resource", "authorization_servers")}
        yield _Request("GET", team.public_url + RESOURCE + path, (200,), document=wanted)
    if team.issuer:
        return
    metadata = server_metadata(team)
    wanted = {name: value for name, value in metadata.items() if team.public_url in str(value)}
    yield _Request("GET", team.public_url + SERVER, (200,), document=wanted)
    for method, name in (("GET", "authorization"), ("POST", "token"), ("POST", "registration")):
        # Without what they need they refuse, and make nothing.
        yield _Request(method, metadata[f"{name}_endpoint"], (400, 401))


def _answers(team: Team, session: requests.Session) -> Iterator[Finding]:
    """Yield what is wrong with the answers, those alike in one line."""
    wrong: dict[tuple[str, str], list[_Request]] = {}
    for request in _requests(team):
        if problem := _wrong(session, request, team):
            wrong.setdefault(problem, []).append(request)
    for (seen, cure), asked in wrong.items():
        more = f" and {len(asked) - _NAMED} more" if len(asked) > _NAMED else ""
        named = ", ".join(f"{one.method} {urlsplit(one.url).path}" for one in asked[:_NAMED])
        yield Finding(
            "warning" if all(one.optional for one in asked) else "problem",
            f"{team.public_url}, {named}{more}: {in_one_line(seen)}. {cure}",
        )


def _wrong(session: requests.Session, asked: _Request, team: Team) -> tuple[str, str] | None:
    """Return what is wrong with an answer, and what to do."""
    try:
        answer = session.request(
            asked.method,
            asked.url,
            json={} if asked.method == "POST" else None,
            headers={"Accept": "application/json, text/event-stream", "User-Agent": _AGENT},
            allow_redirects=False,
            timeout=_TIMEOUT,
        )
    except requests.RequestException as error:
        return f"no answer ({type(error).__name__})", "Check the log of the proxy."
    if answer.status_code not in asked.statuses:
        seen = f"the answer has status {answer.status_code}"
        if answer.is_redirect:
            seen += f" and leads to {answer.headers['Location']}"
        cures = (cure for sign, cure in _CURES.items() if str(answer.status_code).startswith(sign))
        return seen, next(cures).format(server=team.server)
    told = answer.headers.get("WWW-Authenticate")
    if asked.header not in (told or ""):
        return (
            f"the header WWW-Authenticate is {told or 'missing'}, without {asked.header}",
            "Let the proxy forward this header. If the settings file has changed, restart the"
            " server.",
        )
    return _unlike(answer, asked.document) if asked.document else None


def _unlike(answer: requests.Response, wanted: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return how a document differs from that which this server would give out."""
    try:
        document = dict(answer.json())
    except (ValueError, TypeError):
        return "the answer is not a JSON object", _CURES[""]
    for name, value in wanted.items():
        if document.get(name) != value:
            return (
                f"{name} is {document.get(name)!r}, not {value!r}",
                "Restart the server if its settings file has changed. Otherwise, check to which"
                " server the proxy forwards this path.",
            )
    return None


def _unencrypted(host: str, session: requests.Session) -> Iterator[Finding]:
    """Yield a warning if the server answers without TLS as well."""
    url = f"http://{host}/"
    try:
        answer = session.get(url, allow_redirects=False, timeout=_TIMEOUT / 2)
    except requests.RequestException:
        return
    if answer.ok and not answer.headers.get("Location", "").startswith("https://"):
        yield Finding(
            "warning",
            f"{url} answers with status {answer.status_code} and without TLS. Let the proxy"
            " redirect port 80 to https, or close the port.",
        )
