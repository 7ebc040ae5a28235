"""How runs start and end."""

import uuid

import pytest

from agent_runtime_guest import messages

from .guest_process import GuestProcess, request
from .host import MemoryHost


@pytest.mark.parametrize("agent", ["counting", "own_saver", "by_module"])
def test_a_graph_in_any_form_runs_to_its_output(
    guest: GuestProcess, host: MemoryHost, thread_id: str, agent: str
) -> None:
    done = guest.invoke(request(agent, thread_id, input={"n": 1}))
    assert (done.end.status, done.output) == ("completed", {"n": 20, "log": ["one", "two"]})
    # A graph that was compiled with its own saver is kept by the host too.
    assert host.head(thread_id).channel_versions


def test_state_continues_from_run_to_run(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    again = guest.invoke(request("counting", thread_id, input={"n": 3}))
    assert again.output == {"n": 40, "log": ["one", "two", "one", "two"]}


@pytest.mark.parametrize(
    ("agent", "log"),
    [("make_graph", ["one"]), ("make_with_config", ["blue"]), ("make_managed", ["open"])],
)
def test_a_factory_makes_the_graph_of_each_run(
    guest: GuestProcess, thread_id: str, agent: str, log: list[str]
) -> None:
    done = guest.invoke(request(agent, thread_id, input={"n": 0}, configurable={"word": "blue"}))
    assert done.output["log"][:1] == log


def test_what_a_factory_opened_is_closed_after_the_run(guest: GuestProcess, thread_id: str) -> None:
    first = guest.invoke(request("make_managed", thread_id, input={"n": 0})).output["n"]
    second = guest.invoke(request("make_managed", str(uuid.uuid4()), input={"n": 0})).output
    assert second["n"] == first + 2
    assert second["log"][-2:] == ["closed", "open"]


def test_a_factory_that_fails_is_the_runs_error(guest: GuestProcess, thread_id: str) -> None:
    end = guest.invoke(request("broken_factory", thread_id, input={})).end
    assert (end.status, end.error.type, end.error.message) == (
        "error",
        "LookupError",
        "no graph today",
    )


def test_the_output_respects_the_output_schema(guest: GuestProcess, thread_id: str) -> None:
    done = guest.invoke(
        request("narrow_output", thread_id, input={"n": 1}, stream_modes=["values"])
    )
    assert done.output == {"n": 5}
    assert done.of("values")[-1] == {"n": 5}


def test_a_functional_entrypoint_gives_its_return_value(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    done = guest.invoke(request("functional", thread_id, input=4))
    assert (done.end.status, done.output) == ("completed", 9)
    json = {blob.channel: blob.json for blob in host.head(thread_id).blobs if blob.HasField("json")}
    assert json == {"__end__": "9"}


def test_an_exception_ends_the_run_with_its_node_and_traceback(
    guest: GuestProcess, thread_id: str
) -> None:
    end = guest.invoke(request("failing", thread_id, input={"n": 1})).end
    assert (end.status, end.error.code, end.error.type, end.error.node) == (
        "error",
        "agent_error",
        "KeyError",
        "fail",
    )
    assert end.error.message == "'missing thing'"
    assert 'raise KeyError("missing thing")' in end.error.traceback
    assert "langgraph/pregel" not in end.error.traceback


def test_a_failed_run_continues_from_where_it_failed(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    guest.invoke(request("failing", thread_id, input={"n": 1}))
    retried = guest.invoke(request("failing", thread_id, stream_modes=["updates"]))
    assert (retried.end.error.type, retried.of("updates")) == ("KeyError", [])
    (error,) = [w for w in host.head(thread_id).writes if w.channel == "__error__"]
    assert error.json == "\"KeyError('missing thing')\""


@pytest.mark.parametrize(
    ("agent", "kind"),
    [
        ("exiting", "SystemExit"),
        ("exiting_async", "SystemExit"),
        ("failing_unusually", "Unusual"),
    ],
)
def test_what_is_no_exception_in_a_node_is_an_error_of_that_run_only(
    guest: GuestProcess, thread_id: str, agent: str, kind: str
) -> None:
    end = guest.invoke(request(agent, thread_id, input={"n": 1})).end
    assert (end.status, end.error.type) == ("error", kind)
    after = guest.invoke(request("counting", str(uuid.uuid4()), input={"n": 1}))
    assert after.end.status == "completed"


def test_nothing_to_continue_from_is_an_error(guest: GuestProcess, thread_id: str) -> None:
    end = guest.invoke(request("counting", thread_id)).end
    assert (end.status, end.error.type) == ("error", "EmptyInputError")


@pytest.mark.parametrize(
    ("fields", "code", "word"),
    [
        ({"durability": "eventually"}, "invalid_request", "durability"),
        ({"agent_id": "nobody"}, "agent_not_found", "nobody"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    guest: GuestProcess, thread_id: str, fields: dict[str, str], code: str, word: str
) -> None:
    wanted = request("counting", thread_id, input={"n": 1})
    wanted.MergeFrom(messages.InvokeRequest(**fields))
    end = guest.invoke(wanted).end
    assert (end.status, end.error.code) == ("error", code)
    assert word in end.error.message


def test_the_same_token_runs_once_at_a_time(guest: GuestProcess, thread_id: str) -> None:
    wanted = request("waiting", thread_id, input={"n": 1})
    stream = guest.events(wanted)
    guest.line(run_id=wanted.run_id, text="waiting")
    assert guest.invoke(wanted, until_saved=False).end.error.code == "run_active"
    stream.cancel()


def test_the_end_names_the_last_write(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("counting", thread_id, input={"n": 1})
    end = guest.invoke(wanted).end
    assert len(host.writes[wanted.token]) == end.last_seq


def test_only_new_channel_versions_are_sent(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("widen_once", thread_id, input={"n": 1, "log": ["kept"]})
    guest.invoke(wanted)
    saves = [w.save for w in host.writes[wanted.token] if w.WhichOneof("op") == "save"]
    sent = [(blob.channel, blob.version) for save in saves for blob in save.blobs]
    assert len(sent) == len(set(sent))
    assert [[b.channel for b in save.blobs if b.channel == "log"] for save in saves] == [
        [],
        ["log"],
        [],
    ]
    assert "log" in [v.channel for v in saves[-1].channel_versions]


def test_user_state_has_json_beside_it_and_langgraphs_own_channels_have_not(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("counting", thread_id, input={"n": 1})
    guest.invoke(wanted)
    blobs = [b for w in host.writes[wanted.token] for b in w.save.blobs]
    assert {b.channel for b in blobs if b.HasField("json")} == {"n", "log"}
    assert "branch:to:one" in {b.channel for b in blobs if not b.HasField("json")}


def test_a_known_head_needs_no_load(guest: GuestProcess, host: MemoryHost, thread_id: str) -> None:
    first = request("counting", thread_id, input={"n": 1}, head_known=True)
    guest.invoke(first)
    second = request(
        "counting", thread_id, input={"n": 2}, head_known=True, head=host.head(thread_id)
    )
    assert guest.invoke(second).output["log"] == ["one", "two", "one", "two"]
    assert host.loads[first.token] == host.loads[second.token] == []


def test_an_unknown_head_is_loaded(guest: GuestProcess, host: MemoryHost, thread_id: str) -> None:
    wanted = request("counting", thread_id, input={"n": 1})
    guest.invoke(wanted)
    assert [load.checkpoint_ns for load in host.loads[wanted.token]] == [""]


def test_goto_and_update_of_a_command(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    command = {"update": {"n": 7}, "goto": "two"}
    assert guest.invoke(request("counting", thread_id, command=command)).output["n"] == 70


def test_a_checkpoint_in_the_config_is_travelled_to(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("counting", thread_id, input={"n": 1})
    guest.invoke(wanted)
    before_two = host.checkpoints(thread_id)[-2].checkpoint_id
    again = guest.invoke(
        request(
            "counting",
            thread_id,
            configurable={"checkpoint_id": before_two},
            stream_modes=["updates"],
        )
    )
    assert [list(update) for update in again.of("updates")] == [["two"]]
    assert again.output == {"n": 20, "log": ["one", "two"]}


def test_many_runs_at_once_keep_apart(guest: GuestProcess) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def run(n: int) -> int:
        return guest.invoke(request("counting", str(uuid.uuid4()), input={"n": n})).output["n"]

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(run, range(48))) == [(n + 1) * 10 for n in range(48)]
