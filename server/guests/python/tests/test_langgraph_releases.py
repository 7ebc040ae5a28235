"""The same agents under the oldest, the middle and the newest release of each line of LangGraph.

The newest release of all is the one of the development environment, which every other test uses.
Each makes an environment (half a minute without caches) and starts a guest in it.
"""

import json
from pathlib import Path
from typing import Any

import ormsgpack
import pytest

from .agent_environment import INSTALL_SECONDS, agent_python, guest_libraries
from .guest_process import GuestProcess, read_request, request, update_request
from .host import MemoryHost
from .test_revived_types import attacks, forge
from .trace_cases import AGENTS as TRACED
from .trace_cases import CASES, check_case

_SHAPES = "counting asking asking_twice asking_parent chat custom failing functional remembering"
_AGENTS = {name: f"./shapes.py:{name}" for name in _SHAPES.split()}
_AGENTS |= {f"edit_{name}": f"./editing.py:{name}" for name in ("asking", "nested", "parallel")}
_AGENTS |= {"calling": "./calling.py:graph", "typed": "./typed.py:graph"} | TRACED
_TYPES = ["<Colour.RED", "Point(", "Plan(", "Pair(", "hidden_class.<locals>.Hidden(", "UUID("]
_TYPES += ["Decimal(", "{1", "datetime.datetime(", "Moment(", "SecretStr(", "deque(", "Send("]
_TYPES += ["HumanMessage(", "Document("]
# With what was current then, and with each major release of protobuf that is served.
_RELEASE = [
    (
        "langgraph==0.5.0",
        "langgraph-checkpoint==2.1.0",
        "langchain-core==0.3.66",
        "protobuf==5.29.6",
    ),
    ("langgraph==0.6.11", "protobuf==6.33.6", "numpy"),
    ("langgraph==1.0.0", "langchain-core==1.0.0"),
]
_NIGHTLY = [
    ("langgraph==0.5.4",),  # with the langchain-core of today
    ("langgraph==0.6.0", "langchain-core==0.3.70", "protobuf==5.29.6"),
    ("langgraph==1.1.6", "protobuf==6.33.6"),
    ("langgraph",),
]


@pytest.mark.release
@pytest.mark.timeout(2 * INSTALL_SECONDS + 60)
@pytest.mark.parametrize("packages", _RELEASE, ids=" ".join)
def test_agents_run_with(
    folder: Path, host: MemoryHost, thread_id: str, packages: tuple[str, ...]
) -> None:
    _all_runs(folder, host, thread_id, packages)


@pytest.mark.nightly
@pytest.mark.timeout(2 * INSTALL_SECONDS + 60)
@pytest.mark.parametrize("packages", _NIGHTLY, ids=" ".join)
def test_agents_run_at_night_with(
    folder: Path, host: MemoryHost, thread_id: str, packages: tuple[str, ...]
) -> None:
    _all_runs(folder, host, thread_id, packages)


@pytest.mark.nightly
@pytest.mark.timeout(2 * INSTALL_SECONDS + 60)
def test_a_release_before_them_is_the_error_of_its_agents(
    folder: Path, host: MemoryHost, thread_id: str
) -> None:
    with _guest(folder, host, ("langgraph==0.2.76",)) as guest:
        done = guest.invoke(request("counting", thread_id, input={"n": 1}))
    assert done.end.error.message.startswith("langgraph 0.2.76; 0.5 or newer is needed. ")


# Like the others it needs the guest's own packages, which are installed for it.
@pytest.mark.release
@pytest.mark.timeout(INSTALL_SECONDS + 60)
def test_a_protobuf_that_the_guest_cannot_use_is_the_error_of_its_agents(
    folder: Path, host: MemoryHost, thread_id: str, tmp_path: Path
) -> None:
    (tmp_path / "protobuf-3.20.3.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: protobuf\nVersion: 3.20.3\n"
    (tmp_path / "protobuf-3.20.3.dist-info" / "METADATA").write_text(metadata)
    (tmp_path / "google" / "protobuf").mkdir(parents=True)
    (tmp_path / "google" / "protobuf" / "__init__.py").write_text("raise ImportError")
    libraries = str(guest_libraries())
    with GuestProcess(folder, host, _AGENTS, packages=tmp_path, lib_dir=libraries) as guest:
        done = guest.invoke(request("counting", thread_id, input={"n": 1}))
    assert done.end.error.message.startswith("protobuf 3.20.3; 5 or newer is needed. ")


def _guest(folder: Path, host: MemoryHost, packages: tuple[str, ...]) -> GuestProcess:
    python = agent_python(*packages)
    return GuestProcess(folder, host, _AGENTS, python=python, lib_dir=str(guest_libraries()))


def _all_runs(folder: Path, host: MemoryHost, thread_id: str, packages: tuple[str, ...]) -> None:
    with _guest(folder, host, packages) as guest:
        wanted = packages[0].partition("==")[2]
        assert guest.health().langgraph_version.startswith(wanted)
        described = guest.describe(schemas=True, graph=True)
        assert {name for name, agent in described.items() if agent.HasField("error")} == set()
        schema = json.loads(described["counting"].input_schema_json)
        assert set(schema["properties"]) == {"n", "log"}
        nodes = json.loads(described["counting"].graph_json)["nodes"]
        assert [node["id"] for node in nodes] == ["__start__", "one", "two", "__end__"]
        for run in (_streams, _questions, _questions_below, _messages, _store, _edits, _failures):
            run(guest, f"{thread_id}-{run.__name__}")
        for case in CASES:
            check_case(guest, case, f"{thread_id}-{case['agent']}")
        _types(guest, host, f"{thread_id}-types", folder / "canary")


def _streams(guest: GuestProcess, thread_id: str) -> None:
    modes = ["values", "updates", "tasks", "checkpoints", "debug", "events", "calls"]
    done = guest.invoke(request("counting", thread_id, input={"n": 1}, stream_modes=modes))
    assert (done.end.status, done.output) == ("completed", {"n": 20, "log": ["one", "two"]})
    assert done.of("updates") == [
        {"one": {"n": 2, "log": ["one"]}},
        {"two": {"n": 20, "log": ["two"]}},
    ]
    assert done.of("values")[-1] == done.output
    ends = [task for task in done.of("tasks") if task["event"] == "end"]
    assert [task["result"] for task in ends] == [
        {"n": 2, "log": ["one"]},
        {"n": 20, "log": ["two"]},
    ]
    assert {mode for mode, _, _ in done.chunks} >= {"checkpoints", "debug", "events"}
    custom = guest.invoke(request("custom", f"{thread_id}-c", input={}, stream_modes=["custom"]))
    assert custom.of("custom")
    parallel = guest.invoke(request("edit_parallel", f"{thread_id}-p", input={"n": 1}))
    assert len(parallel.output["log"]) == 5
    for durability in ("sync", "async", "exit"):
        thread = f"{thread_id}-{durability}"
        done = guest.invoke(request("counting", thread, input={"n": 1}, durability=durability))
        assert (done.end.status, _state(guest, "counting", thread)["values"]) == (
            "completed",
            {"n": 20, "log": ["one", "two"]},
        )


def _questions(guest: GuestProcess, thread_id: str) -> None:
    asked = guest.invoke(request("asking_twice", thread_id, input={"n": 1}))
    assert (asked.end.status, asked.interrupts[0]["value"]) == ("interrupted", "first?")
    state = _state(guest, "asking_twice", thread_id)
    assert (state["next"], state["interrupts"]) == (["ask_twice"], asked.interrupts)
    again = guest.invoke(request("asking_twice", thread_id, command={"resume": "a"}))
    (question,) = again.interrupts
    assert question["value"] == "second?"
    done = guest.invoke(
        request("asking_twice", thread_id, command={"resume": {question["id"]: "b"}})
    )
    assert done.output["log"] == ["a-b"]
    history = guest.read_states(read_request("asking_twice", thread_id, history=10))
    assert [json.loads(text)["next"] for text in history.states_json] == [
        [],
        ["ask_twice"],
        ["__start__"],
    ]


def _questions_below(guest: GuestProcess, thread_id: str) -> None:
    asked = guest.invoke(request("asking_parent", thread_id, input={"n": 1}, stream_subgraphs=True))
    assert asked.end.status == "interrupted"
    done = guest.invoke(request("asking_parent", thread_id, command={"resume": 7}))
    assert done.end.status == "completed"


def _messages(guest: GuestProcess, thread_id: str) -> None:
    messages = {"messages": [{"role": "user", "content": "Hello"}]}
    done = guest.invoke(request("chat", thread_id, input=messages, stream_modes=["messages"]))
    assert [m["type"] for m in done.output["messages"]] == ["human", "ai"]
    streamed = [chunk["message"]["content"] for chunk in done.of("messages")]
    assert done.output["messages"][-1]["content"].startswith("".join(streamed)[:5])
    called = guest.invoke(request("calling", f"{thread_id}-c", input={}, stream_modes=["calls"]))
    assert {call["kind"] for call in called.of("calls")} == {"model", "tool"}


def _store(guest: GuestProcess, thread_id: str) -> None:
    done = guest.invoke(request("remembering", thread_id, input={"n": 1}, store_enabled=True))
    assert done.output["log"][:2] == ["blue", "colour"]


def _edits(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    values = {"n": 5, "log": ["mine"]}
    response = guest.update_state(update_request("counting", thread_id, values))
    assert not response.HasField("error"), response.error
    assert json.loads(response.values_json) == values  # with any reducer
    # What has run keeps its result, what asked sees the new values and is answered by its new id.
    guest.invoke(request("edit_asking", f"{thread_id}-a", input={"n": 1}))
    guest.update_state(update_request("edit_asking", f"{thread_id}-a", {"n": 3}))
    (question,) = _state(guest, "edit_asking", f"{thread_id}-a")["interrupts"]
    answer = {"resume": {question["id"]: "yes"}}
    done = guest.invoke(request("edit_asking", f"{thread_id}-a", command=answer))
    assert sorted(done.output["log"]) == ["done 1", "end 3", "yes 3"]


def _failures(guest: GuestProcess, thread_id: str) -> None:
    failed = guest.invoke(request("failing", thread_id, input={"n": 1}))
    assert (failed.end.status, failed.end.error.type) == ("error", "KeyError")
    assert failed.end.error.node == "fail"


def _types(guest: GuestProcess, host: MemoryHost, thread_id: str, canary: Path) -> None:
    guest.invoke(request("typed", thread_id, input={}))
    reprs = guest.invoke(request("typed", thread_id, input={"reprs": []})).output["reprs"]
    assert [kind for kind in _TYPES if not any(text.startswith(kind) for text in reprs)] == []
    for attack in attacks(str(canary)).values():
        forge(host, thread_id, "msgpack", ormsgpack.packb(attack))
        _state(guest, "typed", thread_id)
        assert not canary.exists()


def _state(guest: GuestProcess, agent: str, thread_id: str) -> Any:
    response = guest.read_states(read_request(agent, thread_id))
    assert not response.HasField("error"), response.error
    return json.loads(response.states_json[0])
