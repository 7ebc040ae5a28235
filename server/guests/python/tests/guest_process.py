"""A guest in a separate process, as a host starts it."""

import json
import os
import queue
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from agent_runtime_guest import messages

from .host import MemoryHost

PACKAGE_FOLDER = Path(__file__).resolve().parent.parent
START = PACKAGE_FOLDER / "start_agent_runtime_guest.py"
AGENTS_FOLDER = Path(__file__).resolve().parent / "agents"


@dataclass
class Outcome:
    """What one Invoke streamed."""

    chunks: list[tuple[str, str, Any]] = field(default_factory=list)  # mode, ns, data
    end: Any = None

    @property
    def output(self) -> Any:
        assert self.end.output_json, self.end.error.traceback or self.end.error
        return json.loads(self.end.output_json)

    @property
    def interrupts(self) -> Any:
        return json.loads(self.end.interrupts_json)

    def of(self, mode: str, ns: str | None = None) -> list[Any]:
        return [data for m, n, data in self.chunks if m == mode and ns in (None, n)]


class GuestProcess:
    """Starts the guest and speaks its Agents service."""

    def __init__(
        self,
        folder: Path,
        host: MemoryHost,
        agents: dict[str, str],
        packages: Path | None = None,
        python: Path | None = None,
        **config: Any,
    ) -> None:
        socket = str(folder / f"g-{uuid.uuid4().hex[:6]}.sock")
        config_file = folder / "guest.json"
        self._host = host
        entries = [{"agent_id": name, "path": path} for name, path in agents.items()]
        settings = {
            "source_dir": str(AGENTS_FOLDER),
            "host_socket": host.socket,
            "guest_socket": socket,
            "agents": entries,
            **config,
        }
        config_file.write_text(json.dumps(settings))
        # `packages` acts as an agent's environment: before everything else.
        environment = {**os.environ, **({"PYTHONPATH": str(packages)} if packages else {})}
        self.process = subprocess.Popen(
            [str(python or sys.executable), str(START), str(config_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=settings["source_dir"],
        )
        self._lines: queue.Queue[Any] = queue.Queue()
        self.records: list[Any] = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.line(event="ready")
        limit = [("grpc.max_receive_message_length", -1)]
        self._channel = grpc.insecure_channel(f"unix:{socket}", options=limit)

    def _read(self) -> None:
        for raw in self.process.stdout:
            text = raw.decode()
            record = json.loads(text[1:]) if text.startswith("\x1e") else text
            with self._changed:
                self.records.append(record)
                self._changed.notify_all()
            self._lines.put(record)
        self._lines.put(None)

    def line(self, **wanted: Any) -> Any:
        """Waits for a record of the guest's stdout."""
        while (record := self._lines.get(timeout=30)) is not None:
            if isinstance(record, dict) and wanted.items() <= record.items():
                return record
        raise AssertionError(f"the guest ended without {wanted}")

    def printed(self, run_id: str) -> list[tuple[str, str]]:
        """The stream and the text of everything that a run has printed so far."""
        records = [record for record in list(self.records) if isinstance(record, dict)]
        return [(r["stream"], r["text"]) for r in records if r.get("run_id") == run_id]

    def printed_all(
        self, run_id: str, is_all: Callable[[list[tuple[str, str]]], bool]
    ) -> list[tuple[str, str]]:
        """The same, once it is all; output travels beside the run and may come after its end."""
        with self._changed:
            self._changed.wait_for(lambda: is_all(self.printed(run_id)), timeout=30)
            return self.printed(run_id)

    def _unary(self, method: str, request: Any) -> Any:
        call = self._channel.unary_unary(
            f"/{messages.AGENTS_SERVICE}/{method}",
            type(request).SerializeToString,
            getattr(messages, f"{method}Response").FromString,
        )
        return call(request, timeout=20)

    def health(self) -> Any:
        return self._unary("Health", messages.HealthRequest())

    def describe(self, *agent_ids: str, **wanted: Any) -> dict[str, Any]:
        request = messages.DescribeRequest(agent_ids=agent_ids, **wanted)
        return {agent.agent_id: agent for agent in self._unary("Describe", request).agents}

    def cancel(self, token: str) -> bool:
        return self._unary("Cancel", messages.CancelRequest(token=token)).found

    def update_state(self, request: Any) -> Any:
        """The response; the host then has everything."""
        response = self._unary("UpdateState", request)
        self._host.wait_for(request.token, response.last_seq)
        return response

    def read_states(self, request: Any) -> Any:
        return self._unary("ReadStates", request)

    def embed(self, request: Any) -> Any:
        return self._unary("Embed", request)

    def call_model(self, request: Any) -> Any:
        return self._unary("CallModel", request)

    def start_model_call(self, request: Any) -> Any:
        """The call as a future."""
        method = f"/{messages.AGENTS_SERVICE}/CallModel"
        read = messages.CallModelResponse.FromString
        call = self._channel.unary_unary(method, type(request).SerializeToString, read)
        return call.future(request, timeout=20)

    def describe_web(self) -> Any:
        return self._unary("DescribeWeb", messages.DescribeWebRequest())

    def http(self, requests: Iterator[Any]) -> Any:
        """The raw streams of an Http call."""
        call = self._channel.stream_stream(
            f"/{messages.AGENTS_SERVICE}/Http",
            messages.HttpRequest.SerializeToString,
            messages.HttpResponse.FromString,
        )
        return call(requests, timeout=30)

    def events(self, request: Any) -> Iterator[Any]:
        """The raw stream of an Invoke."""
        self._host.run_of[request.token] = request.run_id
        call = self._channel.unary_stream(
            f"/{messages.AGENTS_SERVICE}/Invoke",
            messages.InvokeRequest.SerializeToString,
            messages.InvokeEvents.FromString,
        )
        return call(request, timeout=30)

    def invoke(self, request: Any, *, until_saved: bool = True) -> Outcome:
        """Runs an agent to its end; the host then has everything, as before it ends a run."""
        outcome = Outcome()
        for batch in self.events(request):
            for event in batch.events:
                assert outcome.end is None, "the end is the last event"
                if event.WhichOneof("event") == "end":
                    outcome.end = event.end
                else:
                    chunk = event.chunk
                    outcome.chunks.append((chunk.mode, chunk.ns, json.loads(chunk.json)))
        assert outcome.end is not None
        if until_saved:
            self._host.wait_for(request.token, outcome.end.last_seq)
        return outcome

    def __enter__(self) -> "GuestProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._channel.close()
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(10)
        self._reader.join(10)  # then `records` has its last words, too


def request(agent_id: str, thread_id: str, **fields: Any) -> Any:
    """An InvokeRequest; `input`, `command`, `configurable` and `config` are given as values."""
    run_id = fields.pop("run_id", None) or str(uuid.uuid4())
    configurable = {"thread_id": thread_id, "run_id": run_id, **fields.pop("configurable", {})}
    config = {"configurable": configurable, **fields.pop("config", {})}
    start = {}
    if "command" in fields:
        start["command_json"] = json.dumps(fields.pop("command"))
    elif "input" in fields and (value := fields.pop("input")) is not None:
        start["input_json"] = json.dumps(value)
    else:
        start["proceed"] = True
    return messages.InvokeRequest(
        token=fields.pop("token", None) or str(uuid.uuid4()),
        thread_id=thread_id,
        run_id=run_id,
        attempt=fields.pop("attempt", 1),
        agent_id=agent_id,
        config_json=json.dumps(config),
        **start,
        **fields,
    )


def update_request(agent_id: str, thread_id: str, values: Any, **fields: Any) -> Any:
    """An UpdateStateRequest; `values` and `configurable` are given as values."""
    configurable = {"thread_id": thread_id, **fields.pop("configurable", {})}
    return messages.UpdateStateRequest(
        token=str(uuid.uuid4()),
        thread_id=thread_id,
        agent_id=agent_id,
        values_json=json.dumps(values),
        config_json=json.dumps({"configurable": configurable}),
        **fields,
    )


def read_request(agent_id: str, thread_id: str, **fields: Any) -> Any:
    """A ReadStatesRequest; `configurable` is given as values."""
    configurable = {"thread_id": thread_id, **fields.pop("configurable", {})}
    return messages.ReadStatesRequest(
        token=str(uuid.uuid4()),
        thread_id=thread_id,
        agent_id=agent_id,
        config_json=json.dumps({"configurable": configurable}),
        **fields,
    )
