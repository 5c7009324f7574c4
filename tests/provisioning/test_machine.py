"""What provisioning finds out about the machine: Debian's mirror, and Pythons that work."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.provisioning.cache import ProvisioningError
from tests.provisioning.debian import DEFAULT_KEYRING, find_mirror
from tests.provisioning.pythons import find_python

PARAGRAPHS = """\
Types: deb
URIs: https://packages.example/
Suites: nodistro
Components: main

# Debian itself
Types: deb deb-src
# a snapshot
URIs: https://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/own.gpg

Types: deb
URIs: https://mirror.example/other
Suites: bookworm
Components: main
Enabled: no
"""

LINES = """\
# deb https://old.example/debian bookworm main
deb-src https://source.example/debian bookworm main
deb https://mirror.example/debian-security bookworm-security main
deb [arch=amd64 signed-by=/usr/share/keyrings/line.gpg] https://line.example/debian sid main # own
"""


@pytest.fixture
def apt_folder(tmp_path: Path) -> Path:
    """An empty folder of apt's configuration."""
    (tmp_path / "sources.list.d").mkdir()
    return tmp_path


def test_the_mirror_is_read_from_paragraphs(apt_folder: Path) -> None:
    """Third parties' sources and disabled ones are passed over; comments don't end a paragraph."""
    (apt_folder / "sources.list.d" / "debian.sources").write_text(PARAGRAPHS)
    assert find_mirror(apt_folder) == (
        "https://mirror.example/debian",
        "/usr/share/keyrings/own.gpg",
    )


def test_the_mirror_is_read_from_lines(apt_folder: Path) -> None:
    """Comments, sources of source code and the security archive are passed over."""
    (apt_folder / "sources.list").write_text(LINES)
    assert find_mirror(apt_folder) == (
        "https://line.example/debian",
        "/usr/share/keyrings/line.gpg",
    )


def test_debians_own_keyring_is_the_default(apt_folder: Path) -> None:
    """Sources that name no keyring are signed by Debian's."""
    (apt_folder / "sources.list").write_text("deb https://line.example/debian trixie main\n")
    assert find_mirror(apt_folder) == ("https://line.example/debian", DEFAULT_KEYRING)


def test_without_a_mirror_the_error_says_where_one_is_looked_for(apt_folder: Path) -> None:
    """The person learns which files to look at."""
    with pytest.raises(ProvisioningError, match=r"sources\.list"):
        find_mirror(apt_folder)


def test_an_interpreter_that_fails_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pyenv shim of a version that is not active is there, and is no Python."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    shim = tmp_path / f"python{version}"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = find_python((version,))
    assert found is not None
    assert found != shim


def test_an_unknown_version_is_not_found() -> None:
    """There is no interpreter to return."""
    assert find_python(("3.99",)) is None
