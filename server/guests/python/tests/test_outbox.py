"""How the events of a run share messages."""

from typing import Any

from agent_runtime_guest import messages
from agent_runtime_guest.outbox import Outbox


async def test_what_comes_together_travels_with_the_end_in_one_message() -> None:
    outbox = Outbox()
    for n in range(5):
        outbox.chunk("custom", "", b'{"n":%d}' % n)
    outbox.end(messages.End(status="completed"))
    (batch,) = [batch async for batch in outbox.batches()]
    assert [_said(event) for event in batch.events] == [
        *[f'{{"n":{n}}}' for n in range(5)],
        "completed",
    ]


def _said(event: Any) -> str:
    return event.end.status or event.chunk.json
