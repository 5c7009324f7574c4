"""Progress goes to whoever listens, and to nobody else."""

import contextvars
import threading
from typing import Any

import pytest

from odoo_toolkit import progress
from odoo_toolkit.apps import sales
from odoo_toolkit.call import Call
from tests.unit.fake_shop import shop, written


class Listener:
    def __init__(self, *, cancelled: bool = False) -> None:
        self.heard: list[tuple[float, float | None, str | None]] = []
        self.cancelled = cancelled

    def report(self, done: float, total: float | None, message: str | None) -> None:
        self.heard.append((done, total, message))

    def checkpoint(self) -> None:
        if self.cancelled:
            raise progress.OperationCancelled


def test_nobody_listens() -> None:
    """A script that does not care needs no listener."""
    progress.report(1, 2)
    progress.checkpoint()


def test_listener_hears_until_the_block_ends() -> None:
    listener = Listener()
    with progress.listening(listener):
        progress.report(1, 2, "half")
    progress.report(2, 2)

    assert listener.heard == [(1, 2, "half")]


def test_listener_can_stop_the_work() -> None:
    with progress.listening(Listener(cancelled=True)), pytest.raises(progress.OperationCancelled):
        progress.checkpoint()


def test_thread_in_a_copy_of_the_context_is_heard() -> None:
    listener = Listener()
    with progress.listening(listener):
        thread = threading.Thread(target=contextvars.copy_context().run, args=(progress.report, 1))
    thread.start()
    thread.join()

    assert listener.heard == [(1, None, None)]


def test_steps_of_several_threads_add_up() -> None:
    """Each thread counts its own; the listener hears of all of them, the last one included."""
    listener = Listener()
    steps = progress.Steps(40)
    with progress.listening(listener):
        context = contextvars.copy_context
        threads = [
            threading.Thread(target=context().run, args=(steps.finish, 4, f"part {number}"))
            for number in range(10)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert sorted(done for done, _, _ in listener.heard) == list(range(4, 41, 4))
    assert {total for _, total, _ in listener.heard} == {40}


def test_nothing_finished_is_not_reported() -> None:
    listener = Listener()
    with progress.listening(listener):
        progress.Steps(3).finish(0, "nothing")

    assert listener.heard == []


def test_making_an_order_reports_its_steps() -> None:
    listener = Listener()
    with progress.listening(listener):
        sales.create_order(shop(), lines=[{"product_id": 3}], partner_id=7, confirm=True)

    assert listener.heard == [
        (1, 3, "Checked"),
        (2, 3, "Quotation created (id 12)"),
        (3, 3, "Order confirmed"),
    ]


def test_an_order_is_not_confirmed_when_the_work_was_cancelled_meanwhile() -> None:
    """What has been made stays; nothing more is written."""
    listener, odoo = Listener(), shop()
    made = odoo.answers["sale.order", "create"]

    def create(call: Call) -> Any:
        listener.cancelled = True
        return made(call) if callable(made) else made

    odoo.answers["sale.order", "create"] = create
    with progress.listening(listener), pytest.raises(progress.OperationCancelled):
        sales.create_order(odoo, lines=[{"product_id": 3}], partner_id=7, confirm=True)

    assert written(odoo) == ["create"]
