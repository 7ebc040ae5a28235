"""The store, while the host has one."""

from .guest_process import GuestProcess, request
from .host import MemoryHost


def test_nodes_reach_the_hosts_store(guest: GuestProcess, host: MemoryHost, thread_id: str) -> None:
    done = guest.invoke(request("remembering", thread_id, input={"n": 1}, store_enabled=True))
    assert done.output["log"] == ["blue", "colour", "facts/sky"]
    facts = {key: item for key, item in host.items.items() if key[0][0] == "facts"}
    assert facts == {(("facts", "sky"), "colour"): '{"is":"blue"}'}


def test_without_one_nothing_is_injected(guest: GuestProcess, thread_id: str) -> None:
    end = guest.invoke(request("remembering", thread_id, input={"n": 1})).end
    assert (end.status, end.error.node) == ("error", "remember")
