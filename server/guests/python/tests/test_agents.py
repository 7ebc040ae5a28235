"""Agents as the manifest names them."""

import json

import pytest

from .guest_process import GuestProcess, request


@pytest.mark.parametrize(
    ("agent", "kind", "word"),
    [
        ("broken", "ModuleNotFoundError", "no_such_module_anywhere"),
        ("leaving", "SystemExit", "not today"),
        ("absent", "FileNotFoundError", "absent.py"),
        ("no_variable", "AttributeError", "nothing_like_it"),
        ("no_graph", "TypeError", "HumanMessage"),
    ],
)
def test_an_agent_that_cannot_be_loaded_is_described_and_ends_its_runs(
    guest: GuestProcess, thread_id: str, agent: str, kind: str, word: str
) -> None:
    error = guest.describe(agent)[agent].error
    assert (error.code, error.type) == ("agent_error", kind)
    assert word in error.message
    end = guest.invoke(request(agent, thread_id, input={})).end
    assert (end.status, end.error, end.last_seq) == ("error", error, 0)


def test_the_traceback_begins_in_the_agents_file(guest: GuestProcess) -> None:
    trace = guest.describe("broken")["broken"].error.traceback
    assert "import no_such_module_anywhere" in trace
    assert "agent_runtime_guest" not in trace


def test_a_mistake_in_the_manifest_needs_no_traceback(guest: GuestProcess) -> None:
    error = guest.describe("absent")["absent"].error
    assert error.traceback == "FileNotFoundError: there is no file ./absent.py\n"


def test_schemas_on_request(guest: GuestProcess) -> None:
    plain = guest.describe("counting")["counting"]
    assert (plain.input_schema_json, plain.HasField("error")) == ("", False)
    schemas = guest.describe("narrow_output", schemas=True)["narrow_output"]
    assert set(json.loads(schemas.input_schema_json)["properties"]) == {"n", "log"}
    assert set(json.loads(schemas.output_schema_json)["properties"]) == {"n"}
    assert set(json.loads(schemas.state_schema_json)["properties"]) == {"n", "log"}
    assert json.loads(schemas.config_schema_json)["type"] == "object"
    context = guest.describe("context_reader", schemas=True)["context_reader"]
    assert set(json.loads(context.config_schema_json)["properties"]) == {"tone"}


def test_every_agent_is_described_in_manifest_order(guest: GuestProcess) -> None:
    described = guest.describe(schemas=True)
    assert list(described)[:2] == ["counting", "own_saver"]
    failed = {name for name, agent in described.items() if agent.HasField("error")}
    assert failed == {"broken", "leaving", "absent", "no_variable", "no_graph"}
    assert described["broken_factory"].input_schema_json == '{"type":"object"}'


def test_health_reports_what_runs_here(guest: GuestProcess) -> None:
    health = guest.health()
    assert (health.language, health.langgraph_version[0]) == ("python", "1")


def test_the_graph_on_request(guest: GuestProcess) -> None:
    assert guest.describe("edit_sending")["edit_sending"].graph_json == ""
    sending = guest.describe("edit_sending", graph=True)["edit_sending"]
    assert json.loads(sending.graph_json) == {
        "nodes": [
            {"id": "__start__", "type": "start", "name": "__start__"},
            {"id": "start", "type": "node", "name": "start"},
            {"id": "ask_one", "type": "node", "name": "ask_one"},
            {"id": "__end__", "type": "end", "name": "__end__"},
        ],
        "edges": [
            {"source": "__start__", "target": "start", "conditional": False},
            {"source": "start", "target": "ask_one", "conditional": True},
            {"source": "ask_one", "target": "__end__", "conditional": False},
        ],
    }

    def nodes(depth: int) -> list[tuple[str, str]]:
        described = guest.describe("edit_nested", graph=True, graph_depth=depth)["edit_nested"]
        found = json.loads(described.graph_json)["nodes"]
        return [(n["id"], n["type"]) for n in found if not n["id"].startswith("__")]

    assert nodes(0) == [("middle", "subgraph")]
    assert nodes(2) == [("middle:inner:before", "node"), ("middle:inner:ask", "node")]


def test_a_graph_that_cannot_be_drawn_has_no_nodes(guest: GuestProcess) -> None:
    described = guest.describe("broken_factory", "broken", graph=True)
    assert described["broken_factory"].graph_json == '{"nodes":[],"edges":[]}'
    assert described["broken"].graph_json == ""
