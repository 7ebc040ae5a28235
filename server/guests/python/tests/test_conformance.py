"""LangGraph's public conformance suite for savers.

Against the host of these tests, or against a real one: `AGENT_RUNTIME_HOST_SOCKET` names its socket
and `AGENT_RUNTIME_TOKEN` a token that may use any thread and list over threads.
"""

import os
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate

from agent_runtime_guest.config import GuestConfig
from agent_runtime_guest.host_channel import HostChannel
from agent_runtime_guest.saver import HostSaver
from agent_runtime_guest.session import RunSession

from .host import MemoryHost

_BASE = {"put", "put_writes", "get_tuple", "list", "delete_thread"}


@pytest.fixture
def session(folder: Path) -> Iterator[RunSession]:
    socket = os.environ.get("AGENT_RUNTIME_HOST_SOCKET")
    memory = None
    if socket is None:
        socket = str(folder / f"c-{uuid.uuid4().hex[:6]}.sock")
        memory = MemoryHost(socket)
    token = os.environ.get("AGENT_RUNTIME_TOKEN", "conformance")
    config = GuestConfig(source_dir="", host_socket=socket, guest_socket="")
    run = RunSession(HostChannel(config), token)
    yield run
    run.close()
    run.channel.close()
    if memory is not None:
        memory.close()


async def test_saver_passes_the_public_suite(session: RunSession) -> None:
    # One session for all: the numbers of a token's writes must not begin again.
    @checkpointer_test(name="HostSaver")
    async def savers() -> AsyncIterator[HostSaver]:
        yield HostSaver(session)

    report = await validate(savers)
    failures = {name: r.failures for name, r in report.results.items() if r.failures}
    assert failures == {}
    assert {name for name, r in report.results.items() if r.passed} == _BASE
