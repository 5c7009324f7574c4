"""The server: its address, its TLS, its version."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from odoo_toolkit.compat import NEWEST, OLDEST
from odoo_toolkit.connection.version import detect_version
from odoo_toolkit.doctor.context import Found
from odoo_toolkit.doctor.diagnosis import Step, ok, problem, warning
from odoo_toolkit.errors import OdooError

#: Endings of the addresses that people see in their browser, and that are not Odoo's own.
_PAGES = ("/web", "/odoo", "/web/login", "/jsonrpc", "/xmlrpc", "/xmlrpc/2", "/json/2", "/json")

#: What OpenSSL finds wrong with a certificate, by its number -> what it means, what to do.
_OWN_AUTHORITY = (
    "If this is your own server, set ca_cert (ODOO_CA_CERT) to the PEM file of its "
    "certificate authority. Otherwise an attacker may intercept the connection: ask the "
    "administrator."
)
_OTHER_NAME = (
    "The certificate of {host} is for another host name.",
    "Set url (ODOO_URL) to the host name in the certificate.",
)
_CERTIFICATES = {
    9: (
        "The certificate of {host} is not valid yet.",
        "Check the clock of this machine. If it is correct, ask the administrator of the server.",
    ),
    10: (
        "The certificate of {host} has expired.",
        (
            "Check the clock of this machine. If it is correct, ask the administrator of the "
            "server to renew the certificate."
        ),
    ),
    18: (
        "The certificate of {host} is self-signed, so this machine does not trust it.",
        _OWN_AUTHORITY,
    ),
    62: _OTHER_NAME,
    64: _OTHER_NAME,
}
_UNKNOWN_AUTHORITY = (
    "The certificate of {host} is signed by an authority that this machine does not trust.",
    _OWN_AUTHORITY,
)


def look_at_address(found: Found) -> Step:
    """Find out whether Odoo answers: name, port, proxy, redirect; asks it for its version."""
    host, port = _host_and_port(found)
    try:
        found.version = detect_version(found.http)
    except OdooError as error:
        causes = list(_causes(error))
        if any(isinstance(cause, ssl.SSLError) for cause in causes):
            found.tls_failure = error
        else:
            return _unreachable(found, error, causes)
    if found.settings.proxy:
        return ok(f"The toolkit reaches {host} through the proxy {found.settings.proxy}.")
    where = ", ".join(_addresses(host, port))
    named = host if where in ("", host) else f"{host} ({where})"
    return ok(f"Port {port} of {named} responds.")


def look_at_tls(found: Found) -> Step:
    """Say whether what travels is encrypted, and for whom."""
    settings = found.settings
    host, port = _host_and_port(found)
    if urlsplit(settings.url).scheme == "http":
        if _is_this_machine(host):
            return ok(
                "The address begins with http, so nothing is encrypted. That is fine within this "
                "machine."
            )
        return warning(
            "The address begins with http, so the password or key and all data are sent "
            "unencrypted.",
            "If the server supports https, change url (ODOO_URL) to https.",
        )
    if found.tls_failure is not None:
        return _tls_problem(found.tls_failure, host, port)
    if not settings.verify_ssl:
        return warning(
            "The connection is encrypted, but the toolkit does not check the certificate of the "
            "server. An attacker in between could read and change everything.",
            "Remove verify_ssl (ODOO_VERIFY_SSL). If your own authority signed the certificate, "
            "set ca_cert (ODOO_CA_CERT) to its PEM file.",
        )
    by = f"the authorities in {settings.ca_cert}" if settings.ca_cert else "a known authority"
    return ok(f"The connection is encrypted, and {by} signed the certificate of {host}.")


def look_at_version(found: Found) -> Step:
    """Say whether the toolkit is made for this version of Odoo."""
    assert found.version is not None  # noqa: S101 - the step before has found it
    version = f"{found.version.full} ({found.version.edition})"
    if found.major > NEWEST:
        return warning(
            f"Odoo {version} is newer than the versions tested ({OLDEST} to {NEWEST}).",
            "Look for a newer odoo-toolkit-mcp. Until then, first try your work on a copy of the "
            "database.",
        )
    if found.major < OLDEST:
        return warning(
            f"Odoo {version} is older than the toolkit supports ({OLDEST} to {NEWEST}).",
            "Upgrade Odoo. With this version, expect errors.",
        )
    return ok(f"Odoo {version}. The toolkit is tested with Odoo {OLDEST} to {NEWEST}.")


def _unreachable(found: Found, error: OdooError, causes: list[BaseException]) -> Step:
    host, port = _host_and_port(found)
    kinds = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
    if "ProxyError" in kinds:
        return problem(
            f"The proxy {found.settings.proxy} does not respond, or does not connect to {host}.",
            "Check proxy (ODOO_PROXY). If you need no proxy, remove it.",
        )
    if found.settings.proxy is None:
        if "gaierror" in kinds:
            return problem(
                f"There is no host named {host}, or this machine cannot look up the name (DNS).",
                "Check url (ODOO_URL) for a typing mistake. If the name exists only inside a "
                "company, you may need its VPN.",
            )
        if "ConnectionRefusedError" in kinds:
            return problem(
                f"{host} rejects connections to port {port}: no server is running there.",
                "Check that Odoo is running, and check the port in url (ODOO_URL). Odoo's "
                "default is 8069.",
            )
        if "ConnectTimeout" in kinds:
            return problem(
                f"{host} does not respond on port {port}.",
                "Check host and port in url (ODOO_URL). A firewall may block the connection, or "
                "you may need a VPN.",
            )
        if "NewConnectionError" in kinds:
            return problem(
                f"{host} cannot be reached from this machine.",
                "Check this machine's network, and the host in url (ODOO_URL).",
            )
    return problem(error.message, _shorter_address(found) or error.suggestion)


def _shorter_address(found: Found) -> str:
    """Return what to do where the address is one of a page or an API, not Odoo's own."""
    url = found.settings.url
    ending = max((page for page in _PAGES if url.endswith(page)), key=len, default="")
    return f"Remove {ending}: set url (ODOO_URL) to {url[: -len(ending)]}." if ending else ""


def _tls_problem(error: OdooError, host: str, port: int) -> Step:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            meaning, advice = _CERTIFICATES.get(cause.verify_code, _UNKNOWN_AUTHORITY)
            return problem(f"{meaning.format(host=host)} ({cause.verify_message})", advice)
    if error.outcome == "not_sent":
        return problem(
            f"Port {port} of {host} does not support TLS (https), or not correctly: "
            f"{error.message.rpartition('failed: ')[2]}.",
            f"If it is the port of Odoo itself, set url (ODOO_URL) to http://{host}:{port}. "
            "Otherwise ask the administrator for the https port.",
        )
    return problem(error.message, error.suggestion)


def _host_and_port(found: Found) -> tuple[str, int]:
    parts = urlsplit(found.settings.url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return list(dict.fromkeys(str(address[4][0]) for address in found))


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and all that it came of: requests and urllib3 wrap one in another."""
    seen: list[BaseException] = []
    waiting: list[BaseException] = [error]
    while waiting:
        cause = waiting.pop(0)
        if any(cause is other for other in seen):
            continue
        seen.append(cause)
        yield cause
        inner = (cause.__cause__, cause.__context__, getattr(cause, "reason", None), *cause.args)
        waiting += [one for one in inner if isinstance(one, BaseException)]
