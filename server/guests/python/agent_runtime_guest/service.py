"""The Agents service: what the host can ask of this guest."""

import asyncio
import platform
import uuid
from collections.abc import AsyncIterator
from importlib import metadata
from typing import Any

import grpc

from . import messages
from .agents import Agent
from .embedder import Embedder
from .errors import ServiceError, error_message
from .host_channel import HostChannel
from .outbox import Outbox
from .output_capture import OutputCapture
from .run_context import current_run_id, current_token
from .session import RunSession
from .threads import RunThreads
from .web import Web

# How long a cancelled run may take to leave its nodes before its stream ends without it. The host
# fences a run after 10 s; a sync node in a thread cannot be stopped at all.
_CANCEL_SECONDS = 3.0


class Run:
    """An Invoke in progress."""

    def __init__(self, request: Any, session: RunSession) -> None:
        self.run_id = request.run_id
        self.session = session
        self.outbox = Outbox()
        self.is_cancelled = False
        self.task: asyncio.Task[None] | None = None
        loop = asyncio.get_running_loop()
        session.on_failure = lambda: loop.call_soon_threadsafe(self._stop)

    def cancel(self) -> None:
        """Asks the graph to stop, and ends the stream without it when it does not."""
        if not self.is_cancelled:
            self.is_cancelled = True
            self._stop()

    def _stop(self) -> None:
        if self.task is not None and not self.task.done():
            self.task.cancel()
            asyncio.get_running_loop().call_later(_CANCEL_SECONDS, self._give_up)

    def _give_up(self) -> None:
        self.finish(self.stopped())

    def stopped(self) -> Any:
        """The end of a run that was stopped, by the host or by a save that was refused."""
        failure = self.session.failure
        if self.is_cancelled or failure is None:
            return messages.End(status="cancelled")
        return messages.End(status="error", error=error_message(failure))

    def finish(self, end: Any) -> None:
        """Sends the end; nothing more is saved for this run."""
        if not self.outbox.ended:
            end.last_seq = self.session.close()
            self.outbox.end(end)


class AgentsService:
    """Handlers of the service. All of them run on one event loop, as all graphs do."""

    def __init__(
        self,
        agents: list[Agent],
        channel: HostChannel,
        threads: RunThreads,
        output: OutputCapture,
        web: Web,
        embedder: Embedder | None = None,
    ) -> None:
        self._web = web
        self._embedder = embedder
        self._agents = {agent.agent_id: agent for agent in agents}
        self._channel = channel
        self._threads = threads
        self._output = output
        self._runs: dict[str, Run] = {}  # by token
        self._unfinished: set[Run] = set()

    def handler(self) -> grpc.GenericRpcHandler:
        """What a gRPC server serves."""
        unary = grpc.unary_unary_rpc_method_handler
        return grpc.method_handlers_generic_handler(
            messages.AGENTS_SERVICE,
            {
                "Health": unary(self.health, *_codec("Health")),
                "Describe": unary(self.describe, *_codec("Describe")),
                "Cancel": unary(self.cancel, *_codec("Cancel")),
                "UpdateState": unary(self.update_state, *_codec("UpdateState")),
                "ReadStates": unary(self.read_states, *_codec("ReadStates")),
                "Embed": unary(self.embed, *_codec("Embed")),
                "CallModel": unary(self.call_model, *_codec("CallModel")),
                "DescribeWeb": unary(self._web.describe, *_codec("DescribeWeb")),
                "Authenticate": unary(self._web.authenticate, *_codec("Authenticate")),
                "Authorize": unary(self._web.authorize, *_codec("Authorize")),
                "Http": grpc.stream_stream_rpc_method_handler(self._web.http, *_codec("Http")),
                "Invoke": grpc.unary_stream_rpc_method_handler(
                    self.invoke,
                    messages.InvokeRequest.FromString,
                    messages.InvokeEvents.SerializeToString,
                ),
            },
        )

    async def health(self, _: Any, __: Any) -> Any:
        """Runs that execute code, those too whose stream has ended but whose threads have not."""
        still = {run for run in self._unfinished if self._executes(run)}
        self._unfinished = still
        return messages.HealthResponse(
            active_runs=len(still),
            language="python",
            runtime_version=platform.python_version(),
            langgraph_version=_langgraph_version(),
        )

    def _executes(self, run: Run) -> bool:
        working = run.task is not None and not run.task.done()
        return working or self._threads.is_active(run.run_id)

    async def describe(self, request: Any, _: Any) -> Any:
        """The agents, each with its error or, when asked for, its schemas."""
        wanted = set(request.agent_ids)
        response = messages.DescribeResponse()
        for agent in self._agents.values():
            if wanted and agent.agent_id not in wanted:
                continue
            description = response.agents.add(agent_id=agent.agent_id, error=agent.error)
            if request.schemas and agent.error is None:
                from .schemas import add_schemas

                await add_schemas(agent, description)
            if request.graph and agent.error is None:
                from .graph_shape import graph_json

                description.graph_json = await graph_json(agent, request.graph_depth)
        return response

    async def cancel(self, request: Any, _: Any) -> Any:
        """Asks a run to stop."""
        run = self._runs.get(request.token)
        if run is not None:
            run.cancel()
        return messages.CancelResponse(found=run is not None)

    async def update_state(self, request: Any, _: Any) -> Any:
        """Writes a checkpoint with other values; returns the state after it, or the error."""
        response = messages.UpdateStateResponse()
        session = RunSession(self._channel, request.token)
        try:
            agent = self._agents.get(request.agent_id)
            if agent is None:
                raise ServiceError("agent_not_found", f"There is no agent {request.agent_id!r}.")
            if agent.error is None:
                from .state_update import update_state

                values, response.has_next = await update_state(request, agent, session)
                response.values_json = values.decode()
            else:
                response.error.CopyFrom(agent.error)
        except asyncio.CancelledError:
            raise  # the host waits no longer
        except BaseException as error:
            response.error.CopyFrom(error_message(session.failure or error))
        finally:
            response.last_seq = session.close()
        return response

    async def read_states(self, request: Any, _: Any) -> Any:
        """States with what runs next, or the error."""
        response = messages.ReadStatesResponse()
        session = RunSession(self._channel, request.token)
        try:
            agent = self._agents.get(request.agent_id)
            if agent is None:
                raise ServiceError("agent_not_found", f"There is no agent {request.agent_id!r}.")
            if agent.error is None:
                from .state_read import read_states

                states, response.cut = await read_states(request, agent, session)
                response.states_json.extend(states)
            else:
                response.error.CopyFrom(agent.error)
        except asyncio.CancelledError:
            raise  # the host waits no longer
        except BaseException as error:
            response.error.CopyFrom(error_message(session.failure or error))
        finally:
            session.close()
        return response

    async def embed(self, request: Any, _: Any) -> Any:
        """Vectors of texts for the store's index, or the error."""
        response = messages.EmbedResponse()
        try:
            if self._embedder is None or self._embedder.embed != request.embed:
                raise ServiceError("embedding_failed", "This guest has another store.index.embed.")
            texts = list(request.texts)
            response.vectors.extend(await self._embedder.vectors(texts, is_query=request.is_query))
        except asyncio.CancelledError:
            raise  # the host waits no longer
        except BaseException as error:
            response.error.CopyFrom(error_message(error))
        return response

    async def call_model(self, request: Any, _: Any) -> Any:
        """One call of an agent's model outside of its runs, or the error."""
        # What it prints is of no run: the host knows none with this id.
        run_id = f"model-call-{uuid.uuid4()}"
        current_run_id.set(run_id)
        response = messages.CallModelResponse()
        try:
            agent = self._agents.get(request.agent_id)
            if agent is None:
                raise ServiceError("agent_not_found", f"There is no agent {request.agent_id!r}.")
            if agent.error is not None:
                raise ServiceError("agent_not_loaded", agent.error.message)
            from .model_call import call_model

            for name, value in (await call_model(request, agent)).items():
                setattr(response, name, value)
        except asyncio.CancelledError:
            raise  # the host waits no longer
        except BaseException as error:
            response.error.CopyFrom(error_message(error))
        finally:
            self._output.finish(run_id)
        return response

    async def invoke(self, request: Any, _: Any) -> AsyncIterator[Any]:
        """Runs an agent and streams its events, the end last."""
        agent = self._agents.get(request.agent_id)
        if agent is None:
            error = ServiceError("agent_not_found", f"There is no agent {request.agent_id!r}.")
            yield _error_end(error)
            return
        if request.token in self._runs:
            yield _error_end(ServiceError("run_active", "This attempt of the run is running."))
            return
        run = Run(request, RunSession(self._channel, request.token))
        self._runs[request.token] = run
        self._unfinished.add(run)
        current_run_id.set(request.run_id)
        current_token.set(request.token)
        run.task = asyncio.create_task(self._execute(run, request, agent))
        try:
            async for batch in run.outbox.batches():
                yield batch
        finally:
            # A host that disconnects wants no more of this run.
            if not run.outbox.ended:
                run.cancel()
            if self._runs.get(request.token) is run:
                del self._runs[request.token]

    async def _execute(self, run: Run, request: Any, agent: Agent) -> None:
        try:
            if agent.error is None:
                from .invocation import run_graph

                end = await run_graph(request, agent, run.session, run.outbox)
            else:
                end = messages.End(status="error", error=agent.error)
        except asyncio.CancelledError as error:
            end = run.stopped()
            if not run.is_cancelled and run.session.failure is None:
                # Raised by the agent's own code.
                end = messages.End(status="error", error=error_message(error))
        except BaseException as error:
            # Of the guest's own machinery, for example an import that this LangGraph lacks.
            end = messages.End(status="error", error=error_message(run.session.failure or error))
        finally:
            self._output.finish(run.run_id)
        run.finish(end)
        if not self._threads.is_active(run.run_id):
            self._unfinished.discard(run)


def _error_end(error: BaseException) -> Any:
    end = messages.End(status="error", error=error_message(error))
    return messages.InvokeEvents(events=[messages.InvokeEvent(end=end)])


def _codec(method: str) -> tuple[Any, Any]:
    request = getattr(messages, f"{method}Request")
    return request.FromString, getattr(messages, f"{method}Response").SerializeToString


def _langgraph_version() -> str:
    try:
        return metadata.version("langgraph")
    except metadata.PackageNotFoundError:
        return ""
