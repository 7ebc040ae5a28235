"""Forms of graphs: which are served, and the errors of the rest."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .guest_process import GuestProcess, read_request, request, update_request
from .host import MemoryHost

_SERVED = (
    "uncompiled named plain with_config with_server_runtime with_store_everywhere with_user "
    "with_node "
    "with_both with_runtime by_get_config "
    "managed managed_sync Opener partial method any_input opaque_input "
    "returns_nothing returns_values raises"
)
_REFUSED = (
    "State a_task number module generator async_generator three two coroutine opener uncompield xyz"
)


@pytest.fixture(scope="module")
def guest(folder: Path, host: MemoryHost) -> Iterator[GuestProcess]:
    """A separate process: one agent of each form."""
    agents = {name: f"./forms.py:{name}" for name in f"{_SERVED} {_REFUSED}".split()}
    agents |= {"functions": "./functions.py:graph", "empty": "./empty.py:graph"}
    process = GuestProcess(folder, host, agents, max_message_bytes=1024 * 1024)
    yield process
    process.close()


@pytest.mark.parametrize(
    ("agent", "log"),
    [
        ("uncompiled", ["uncompiled"]),
        ("named", ["named"]),
        ("plain", ["plain"]),
        ("with_config", ["me", True]),
        ("with_server_runtime", ["threads.create_run", {"who": "me"}, None]),
        ("with_both", ["threads.create_run", "me"]),
        ("with_runtime", ["Runtime", {"who": "me"}]),
        ("by_get_config", ["me", None]),
        ("managed_sync", ["managed"]),
        ("Opener", ["opened by a class"]),
        ("partial", ["partial"]),
        ("method", ["method"]),
    ],
)
def test_a_graph_in_each_form_runs(
    guest: GuestProcess, thread_id: str, agent: str, log: list[Any]
) -> None:
    # The service gives what is configurable as the context, too, where a run has none.
    who = {"who": "me"}
    given = {"configurable": who, "context_json": json.dumps(who)}
    run = request(agent, thread_id, input={"log": []}, store_enabled=True, **given)
    outcome = guest.invoke(run)
    assert (outcome.end.status, outcome.end.error.message) == ("completed", "")
    assert outcome.output == {"log": log}


def test_a_context_manager_is_closed_after_each_run(guest: GuestProcess, thread_id: str) -> None:
    first = guest.invoke(request("managed", thread_id, input={})).output["log"]
    again = guest.invoke(request("managed", thread_id, input={})).output["log"]
    assert (first, again) == (["open"], [*first, "open", "closed", "open"])


def test_a_factory_knows_what_its_graph_is_for(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("with_config", thread_id, input={}, configurable={"who": "me"}))
    for agent in ("with_server_runtime", "with_config"):
        described = guest.describe(agent, schemas=True, graph=True)[agent]
        assert "log" in json.loads(described.state_schema_json)["properties"]
        assert "say" in described.graph_json
        assert not guest.read_states(read_request(agent, thread_id)).HasField("error")
        assert not guest.update_state(update_request(agent, thread_id, {})).HasField("error")


def test_a_factory_makes_the_graph_of_the_newest_run_for_its_states(
    guest: GuestProcess, thread_id: str
) -> None:
    named = {"node": "mine"}
    guest.invoke(
        request("with_node", thread_id, input={}, configurable=named, interrupt_before=["mine"])
    )
    made = {"factory_configurable_json": json.dumps({**named, "thread_id": "another"})}
    (state,) = guest.read_states(read_request("with_node", thread_id, **made)).states_json
    assert json.loads(state)["next"] == ["mine"]
    values, mine = {"log": ["x"]}, {"plain": True, "as_node": "mine"}
    request_made = update_request("with_node", thread_id, values, **mine, **made)
    written = guest.update_state(request_made)
    assert json.loads(written.values_json) == values
    (state,) = guest.read_states(read_request("with_node", thread_id)).states_json
    assert "node" not in json.loads(state)["metadata"]
    refused = guest.update_state(update_request("with_node", thread_id, values, **mine))
    assert "mine" in refused.error.message


def test_a_runtime_has_its_store_or_an_error_where_there_is_none(
    guest: GuestProcess, thread_id: str
) -> None:
    run = guest.invoke(request("with_store_everywhere", thread_id, input={}))
    assert (run.end.error.code, run.end.error.message) == (
        "store_disabled",
        "The store is switched off.",
    )
    read = guest.read_states(read_request("with_store_everywhere", thread_id))
    assert not read.HasField("error")
    written = guest.update_state(update_request("with_store_everywhere", thread_id, {}))
    assert not written.HasField("error")
    described = guest.describe("with_store_everywhere", schemas=True)["with_store_everywhere"]
    assert described.state_schema_json == '{"type":"object"}'


def test_a_runtime_has_the_authenticated_user(guest: GuestProcess, thread_id: str) -> None:
    # As the host hands on what the manifest's auth has returned.
    user = {"identity": "ada", "team": "engines", "display_name": "ada", "is_authenticated": True}
    run = request("with_user", thread_id, input={}, configurable={"langgraph_auth_user": user})
    assert guest.invoke(run).output == {"log": ["ada", "engines", "ada", True]}
    error = guest.invoke(request("with_user", thread_id, input={})).end.error
    assert error.type == "PermissionError"


@pytest.mark.parametrize("value", ["text", "", ["a", 1], [], 7, 0, 1.5, True, False, {"a": 1}, {}])
def test_an_entrypoint_takes_and_returns_any_json(
    guest: GuestProcess, thread_id: str, value: Any
) -> None:
    outcome = guest.invoke(request("any_input", thread_id, input=value))
    assert (outcome.end.status, outcome.output) == ("completed", value)
    states = guest.read_states(read_request("any_input", thread_id)).states_json
    assert json.loads(states[0])["values"] == value


def test_an_entrypoint_whose_schema_cannot_be_made_has_no_schema_of_its_input(
    guest: GuestProcess,
) -> None:
    described = guest.describe("opaque_input", schemas=True)["opaque_input"]
    assert described.input_schema_json == ""


def test_a_graph_without_a_name_has_the_agents(guest: GuestProcess) -> None:
    described = guest.describe("uncompiled", "named", schemas=True)
    titles = [json.loads(described[a].state_schema_json)["title"] for a in ("uncompiled", "named")]
    assert titles == ["uncompiled_state", "NamedState"]


_NEEDED = "; a compiled graph, a StateGraph, an @entrypoint or a function that makes one is needed."
_TAKES = (
    "; a factory takes nothing, a config (RunnableConfig), a runtime (annotated as ServerRuntime), "
    "or both."
)


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("number", f"is a value of type int{_NEEDED}"),
        ("module", f"is the module math{_NEEDED}"),
        ("State", f"is the class State{_NEEDED}"),
        ("a_task", "is a @task of LangGraph; an @entrypoint is a graph."),
        ("generator", "is a generator function; decorate it with contextlib's @contextmanager."),
        (
            "async_generator",
            "is an async generator function; decorate it with contextlib's @asynccontextmanager.",
        ),
        ("three", f"takes a, b, c{_TAKES}"),
        ("two", f"takes a, b{_TAKES}"),
        (
            "coroutine",
            f"is a coroutine (name the async function itself, without calling it){_NEEDED}",
        ),
        (
            "opener",
            "is an opened context manager (name the function that makes it, without calling it)"
            f"{_NEEDED}",
        ),
    ],
)
def test_what_is_no_graph_is_refused_when_it_is_loaded(
    guest: GuestProcess, agent: str, sentence: str
) -> None:
    error = guest.describe(agent)[agent].error
    assert error.message == f"./forms.py:{agent} {sentence}"
    assert error.traceback == f"TypeError: {error.message}\n"


def test_an_unknown_name_is_an_error_with_the_known_ones(guest: GuestProcess) -> None:
    described = guest.describe("uncompield", "xyz", "functions", "empty")
    messages = {name: agent.error.message for name, agent in described.items()}
    assert messages == {
        "uncompield": "./forms.py has no variable 'uncompield'; did you mean 'uncompiled'?",
        "xyz": "./forms.py has no variable 'xyz'; did you mean 'uncompiled' or 'named'"
        " or 'any_input'?",
        "functions": "./functions.py has no variable 'graph'; its functions are make.",
        "empty": "./empty.py has no variable 'graph', and no graph at all.",
    }


@pytest.mark.parametrize(
    ("agent", "kind", "sentence"),
    [
        ("returns_nothing", "TypeError", f"./forms.py:returns_nothing returned None{_NEEDED}"),
        (
            "returns_values",
            "TypeError",
            f"./forms.py:returns_values returned a value of type dict{_NEEDED}",
        ),
        ("raises", "LookupError", "no key is set"),
    ],
)
def test_a_factory_that_makes_no_graph_ends_its_runs(
    guest: GuestProcess, thread_id: str, agent: str, kind: str, sentence: str
) -> None:
    end = guest.invoke(request(agent, thread_id, input={})).end
    assert (end.status, end.error.type, end.error.message) == ("error", kind, sentence)
