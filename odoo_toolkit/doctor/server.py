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
    "If it is your own server, name the PEM file of its certificate authority in ca_cert"
    " (ODOO_CA_CERT); otherwise somebody may be in between: ask the administrator."
)
_OTHER_NAME = (
    "The certificate of {host} is for another host name.",
    "Use the name in url (ODOO_URL) that the certificate is made out to.",
)
_CERTIFICATES = {
    9: (
        "The certificate of {host} is not valid yet.",
        "Check the clock of this machine. If it is right, ask the administrator of the server.",
    ),
    10: (
        "The certificate of {host} has expired.",
        "Ask the administrator of the server to renew it; check the clock of this machine, too.",
    ),
    18: (
        "The certificate of {host} is self-signed: no authority that this machine trusts has"
        " signed it.",
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
        return ok(f"{host} is reached through the proxy {found.settings.proxy}.")
    where = ", ".join(_addresses(host, port))
    named = host if where in ("", host) else f"{host} ({where})"
    return ok(f"Port {port} of {named} answers.")


def look_at_tls(found: Found) -> Step:
    """Say whether what travels is encrypted, and for whom."""
    settings = found.settings
    host, port = _host_and_port(found)
    if urlsplit(settings.url).scheme == "http":
        if _is_this_machine(host):
            return ok(
                "The address begins with http: nothing is encrypted, which is fine within this"
                " machine."
            )
        return warning(
            "The address begins with http: the password or key, and all data, travel unencrypted.",
            "If the server has https, begin url (ODOO_URL) with it.",
        )
    if found.tls_failure is not None:
        return _tls_problem(found.tls_failure, host, port)
    if not settings.verify_ssl:
        return warning(
            "The connection is encrypted, but the server's certificate is not "
            "checked. An attacker in between could read and change everything.",
            "Remove verify_ssl (ODOO_VERIFY_SSL) and, if the certificate is of your own authority,"
            " name its PEM file in ca_cert (ODOO_CA_CERT).",
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
            "Look for a newer odoo-toolkit-mcp; until then try what you need on a copy first.",
        )
    if found.major < OLDEST:
        return warning(
            f"Odoo {version} is older than the toolkit supports ({OLDEST} to {NEWEST}).",
            "Expect errors: it takes an upgrade of Odoo.",
        )
    return ok(f"Odoo {version}; the toolkit is tested with {OLDEST} to {NEWEST}.")


def _unreachable(found: Found, error: OdooError, causes: list[BaseException]) -> Step:
    host, port = _host_and_port(found)
    kinds = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
    if "ProxyError" in kinds:
        return problem(
            f"The proxy {found.settings.proxy} does not answer, or lets nothing through to {host}.",
            "Check proxy (ODOO_PROXY); leave it out where none is needed.",
        )
    if found.settings.proxy is None:
        if "gaierror" in kinds:
            return problem(
                f"There is no host named {host}, or the name cannot be looked up (DNS) from here.",
                "Look for a typing mistake in url (ODOO_URL); a name that exists within a company"
                " only may need its VPN.",
            )
        if "ConnectionRefusedError" in kinds:
            return problem(
                f"{host} refuses connections at port {port}: nothing runs there.",
                "Check that Odoo is started, and the port in url (ODOO_URL): Odoo's own is 8069.",
            )
        if "ConnectTimeout" in kinds:
            return problem(
                f"{host} does not react at port {port}.",
                "Check host and port in url (ODOO_URL); a firewall may be in between, or a VPN may"
                " be needed.",
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
    return f"Leave {ending} out: set url (ODOO_URL) to {url[: -len(ending)]}." if ending else ""


def _tls_problem(error: OdooError, host: str, port: int) -> Step:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            meaning, advice = _CERTIFICATES.get(cause.verify_code, _UNKNOWN_AUTHORITY)
            return problem(f"{meaning.format(host=host)} ({cause.verify_message})", advice)
    if error.outcome == "not_sent":
        return problem(
            f"Port {port} of {host} does not speak TLS (https) as it should, perhaps none at all:"
            f" {error.message.rpartition('failed: ')[2]}.",
            f"If it is Odoo's own port, begin url (ODOO_URL) with http://{host}:{port}; otherwise"
            " ask the administrator which port is for https.",
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
