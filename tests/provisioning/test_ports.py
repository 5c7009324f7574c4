"""Ports: nobody is given one that another has, whether that listens on it already or not."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.provisioning import ports

ROOT = Path(__file__).parents[2]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """Two ports that only this test knows of."""
    found = [ports.reserve() for _ in range(2)]
    # from now on locks are looked for in another folder, where these two are free
    monkeypatch.setattr(ports, "LOCKS", tmp_path)
    yield found[0].number, found[1].number
    for one in found:
        one.release()


def test_a_reserved_port_is_passed_over_until_it_is_released(two: tuple[int, int]) -> None:
    """Though nothing listens on it yet."""
    with ports.reserved(two) as first:
        assert first.number == two[0]
        assert ports.reserve(two).number == two[1]
    assert ports.reserve(two).number == two[0]


def test_a_port_is_free_again_when_its_owner_is_gone(two: tuple[int, int]) -> None:
    """Servers of tests are many: each keeps its port as long as the object is there."""
    owner = ports.reserve(two)
    del owner
    gc.collect()
    assert ports.reserve(two).number == two[0]


def test_a_port_on_which_somebody_listens_is_passed_over(two: tuple[int, int]) -> None:
    """Other programs reserve nothing."""
    with socket.create_server(("127.0.0.1", two[0])):
        assert ports.reserve(two).number == two[1]


def test_no_port_is_left(two: tuple[int, int]) -> None:
    """The error says so, and no port is given twice."""
    with ports.reserved(two), ports.reserved(two), pytest.raises(OSError, match="are taken"):
        ports.reserve(two)


def test_a_process_that_inherits_the_lock_keeps_the_port(two: tuple[int, int]) -> None:
    """As a server does that outlives the command that started it."""
    with ports.reserved(two) as port:
        child = subprocess.Popen(
            ["cat"], stdin=subprocess.PIPE, pass_fds=[port.lock.fileno()], cwd=ROOT
        )
    assert ports.reserve(two).number == two[1]
    child.communicate()
    assert ports.reserve(two).number == two[0]


def test_processes_that_ask_at_the_same_time_get_different_ports() -> None:
    """Each listens only after all have asked, which is when two of the same would fail."""
    code = (
        "import socket, sys; from tests.provisioning.ports import free_port\n"
        "given = [free_port() for _ in range(20)]; print(*given, flush=True); sys.stdin.read()\n"
        "for port in given: socket.create_server(('127.0.0.1', port))"
    )
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, text=True, cwd=ROOT)
        for _ in range(4)
    ]
    given = [port for one in processes if one.stdout for port in one.stdout.readline().split()]
    assert len(given) == len({*given}) == 80
    for process in processes:
        process.communicate()
        assert process.returncode == 0
