"""Which run a piece of code belongs to, wherever it is executed."""

from contextvars import ContextVar

# LangGraph, anyio and asyncio.to_thread copy the context into the tasks and threads they start.
current_run_id: ContextVar[str] = ContextVar("agent_runtime_run_id", default="")
