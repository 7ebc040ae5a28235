"""What a run streams."""

from .guest_process import GuestProcess, request

ALL = ["values", "updates", "messages", "custom"]


def test_values_are_the_state_and_updates_the_deltas(guest: GuestProcess, thread_id: str) -> None:
    done = guest.invoke(request("counting", thread_id, input={"n": 1}, stream_modes=ALL))
    assert done.chunks == [
        ("values", "", {"n": 1, "log": []}),
        ("updates", "", {"one": {"n": 2, "log": ["one"]}}),
        ("values", "", {"n": 2, "log": ["one"]}),
        ("updates", "", {"two": {"n": 20, "log": ["two"]}}),
        ("values", "", {"n": 20, "log": ["one", "two"]}),
    ]


def test_only_what_was_asked_for_is_sent(guest: GuestProcess, thread_id: str) -> None:
    assert guest.invoke(request("counting", thread_id, input={"n": 1})).chunks == []
    custom = guest.invoke(request("custom", thread_id, input={"n": 1}, stream_modes=["custom"]))
    assert custom.chunks == [("custom", "", {"percent": 50}), ("custom", "", {"value": "nearly"})]


def test_messages_come_with_their_metadata(guest: GuestProcess, thread_id: str) -> None:
    given = {"messages": [{"role": "user", "content": "hi"}]}
    done = guest.invoke(
        request("chat", thread_id, input=given, stream_modes=["messages", "values"])
    )
    parts = done.of("messages")
    assert "".join(part["message"]["content"] for part in parts) == "hello to you"
    assert {part["metadata"]["langgraph_node"] for part in parts} == {"reply"}
    human, reply = done.output["messages"]
    assert (human["type"], human["content"], bool(human["id"])) == ("human", "hi", True)
    assert (reply["type"], reply["content"], reply["id"]) == ("ai", "hello to you", "a1")
    assert done.of("values")[-1] == done.output


def test_events_of_sub_graphs_carry_their_namespace(guest: GuestProcess, thread_id: str) -> None:
    wanted = request(
        "parent", thread_id, input={"n": 1}, stream_modes=["updates"], stream_subgraphs=True
    )
    inner, outer = guest.invoke(wanted).chunks
    assert inner[2] == {"inner_one": {"n": 101, "log": ["inner"]}}
    assert inner[1].startswith("child:")
    assert outer == ("updates", "", {"child": {"n": 101, "log": ["inner"]}})


def test_without_the_flag_sub_graphs_are_silent(guest: GuestProcess, thread_id: str) -> None:
    done = guest.invoke(request("parent", thread_id, input={"n": 1}, stream_modes=ALL))
    assert {ns for _, ns, _ in done.chunks} == {""}


def test_values_of_any_type_have_a_json_form(guest: GuestProcess, thread_id: str) -> None:
    done = guest.invoke(request("mixed", thread_id, input={}, stream_modes=["values"]))
    assert done.output == {
        "town": {"city": "Bern"},
        "raw": "YWJj",
        "seen": [1],
        "odd": [None, 2**63],
    }
