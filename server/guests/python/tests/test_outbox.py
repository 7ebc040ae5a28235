"""How the events of a run share messages."""

import asyncio
from typing import Any

import pytest

from agent_runtime_guest import messages
from agent_runtime_guest import outbox as outbox_module
from agent_runtime_guest.outbox import Outbox


async def test_what_comes_within_the_time_to_gather_travels_with_the_end_in_one_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # However slow the machine: the run ends within that time.
    monkeypatch.setattr(outbox_module, "_GATHER_SECONDS", 600)
    outbox = Outbox()
    reader = asyncio.create_task(_read(outbox))
    for n in range(5):
        outbox.chunk("custom", "", b'{"n":%d}' % n)
        await asyncio.sleep(0)
        assert not reader.done()
    outbox.end(messages.End(status="completed"))
    (batch,) = await reader
    assert [_text(event) for event in batch.events] == [
        *[f'{{"n":{n}}}' for n in range(5)],
        "completed",
    ]


async def _read(outbox: Outbox) -> list[Any]:
    return [batch async for batch in outbox.batches()]


def _text(event: Any) -> str:
    return event.end.status or event.chunk.json
