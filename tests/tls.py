"""Servers that speak TLS, with certificates of all sorts."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def write_certificate(
    path: Path,
    *,
    address: str = "127.0.0.1",
    host: str = "odoo.test",
    ends_in_days: int = 1,
) -> Path:
    """Write a PEM file with a key and the self-signed certificate for it.

    Args:
        path: of the file.
        address: the IP address that it is made out to.
        host: the name that it is made out to, too.
        ends_in_days: when it expires; negative for one that has expired.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=30))
        .not_valid_after(now + datetime.timedelta(days=ends_in_days))
        .add_extension(
            x509.SubjectAlternativeName(
                [x509.IPAddress(ipaddress.ip_address(address)), x509.DNSName(host)]
            ),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(pem))
    return path


def write_chain(folder: Path, host: str, ends_in_days: int = 60) -> dict[str, Path]:
    """Write a certificate that an authority has signed by another one.

    Args:
        folder: for the files.
        host: the name that it is made out to.
        ends_in_days: when it expires; it is valid since 30 days.

    Returns:
        PEM files: ``root``, the authority; and with the key ``chain``, what a server should send;
        ``alone``, the certificate without the one between; ``whole``, with the authority as well.
    """
    now = datetime.datetime.now(datetime.UTC)
    pem = serialization.Encoding.PEM
    signer: tuple[x509.Name, ec.EllipticCurvePrivateKey] | None = None
    made: list[bytes] = []
    for subject in ("root", "between", host):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, subject)])
        issuer, signing = signer or (name, key)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=30))
            .not_valid_after(now + datetime.timedelta(days=ends_in_days))
            .add_extension(x509.BasicConstraints(ca=subject != host, path_length=None), True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), False
            )
        )
        if subject == host:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False
            )
        made.append(builder.sign(signing, hashes.SHA256()).public_bytes(pem))
        signer = (name, key)
    root, between, leaf = made
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain = private + leaf + between
    contents = {"root": root, "chain": chain, "alone": private + leaf, "whole": chain + root}
    files = {kind: folder / f"{kind}.pem" for kind in contents}
    for kind, content in contents.items():
        files[kind].write_bytes(content)
    return files


@contextmanager
def https_server(certificate: Path, answer: bytes = b"{}") -> Iterator[str]:
    """Run a server on this machine that answers every POST alike, and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *arguments: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda request, client_address: None  # type: ignore[method-assign]
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
