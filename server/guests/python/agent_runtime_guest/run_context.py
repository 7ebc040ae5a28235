"""Which run a piece of code belongs to, wherever it is executed."""

from contextvars import ContextVar

# LangGraph, anyio and asyncio.to_thread copy the context into the tasks and threads they start.
current_run_id: ContextVar[str] = ContextVar("agent_runtime_run_id", default="")
# What opens the host to this attempt of it, or to a request to http.app.
current_token: ContextVar[str] = ContextVar("agent_runtime_token", default="")
