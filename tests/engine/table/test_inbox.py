"""One inbox: first come, first served, one tick at most."""

import asyncio
from collections.abc import Callable

import pytest

from engine.table.commands import SitOut
from engine.table.errors import TableClosed, TablePaused
from engine.table.inbox import Asked, Inbox
from tests.engine.table.desk import ANN
from tests.fakes import settle


def asked(name: str = "a") -> Asked:
    return Asked(SitOut(player=ANN, command_id=name), asyncio.get_running_loop().create_future())


async def test_commands_and_the_tick_come_out_in_the_order_in_which_they_came() -> None:
    inbox = Inbox()
    first, last = asked("first"), asked("last")
    inbox.put(first)
    inbox.tick()
    inbox.tick()
    inbox.put(last)
    assert (len(inbox), inbox.tick_waits, inbox.is_empty) == (2, True, False)
    assert [inbox.take(), inbox.take(), inbox.take()] == [first, None, last]
    assert (len(inbox), inbox.tick_waits, inbox.is_empty) == (0, False, True)
    inbox.tick()
    assert inbox.take() is None


async def test_whoever_waits_for_it_is_woken_by_whatever_comes() -> None:
    ways: list[Callable[[Inbox], None]] = [lambda inbox: inbox.put(asked()), Inbox.tick, Inbox.wake_up]
    for come in ways:
        inbox = Inbox()
        inbox.wake_up()
        waiting = asyncio.create_task(inbox.wait())
        await settle()
        assert not waiting.done()
        come(inbox)
        inbox.wake_up()
        await asyncio.wait_for(waiting, 5)


async def test_what_is_sent_back_is_answered_each_by_an_error_of_its_own() -> None:
    inbox = Inbox()
    waiting = [asked(name) for name in "abc"]
    for one in waiting:
        inbox.put(one)
    inbox.tick()
    inbox.send_back(TablePaused(reason="storage_failed"))
    assert inbox.is_empty
    assert not inbox.tick_waits
    errors = [one.future.exception() for one in waiting]
    assert {type(error) for error in errors} == {TablePaused}
    assert len({id(error) for error in errors}) == 3


async def test_who_has_lost_interest_is_left_alone() -> None:
    answers: list[Callable[[Asked], None]] = [lambda one: one.succeed(7), lambda one: one.fail(TableClosed())]
    for answer in answers:
        one = asked()
        one.future.cancel()
        answer(one)
        assert one.future.cancelled()
        other = asked()
        other.succeed(3)
        answer(other)
        assert await other.future == 3


async def test_an_error_that_nobody_looks_at_is_no_noise() -> None:
    one = asked()
    one.fail(TableClosed())
    with pytest.raises(TableClosed):
        await one.future
