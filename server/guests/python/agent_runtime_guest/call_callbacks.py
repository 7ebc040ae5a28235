"""Model and tool calls of an agent, as LangChain's callbacks report them."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import LLMResult


@dataclass(frozen=True)
class Call:
    """A call that begins."""

    kind: Literal["model", "tool"]
    run_id: UUID
    parent_run_id: UUID | None
    name: str
    given: Any
    params: Any
    metadata: dict[str, Any]
    #: Of the message that asks for the tool; None where the agent's code calls it itself.
    tool_call_id: str | None = None


class CallCallbacks(BaseCallbackHandler):
    """Follows calls from their start to their end; a subclass reports them.

    Callbacks come from the event loop and from the threads of sync nodes.
    """

    # On the thread where they happen: otherwise LangChain hands them to another one.
    run_inline = True

    def __init__(self) -> None:
        """Made on the thread of the event loop."""
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()

    def _call_started(self, call: Call) -> None:
        raise NotImplementedError

    def _call_ended(
        self, run_id: UUID, output: Any, usage: Any = None, error: BaseException | None = None
    ) -> None:
        raise NotImplementedError

    def _on_loop(self, report: Callable[..., None], *event: Any) -> None:
        """Calls the function on the event loop, in the order of the events."""
        if threading.get_ident() == self._loop_thread:
            report(*event)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(report, *event)

    def on_chat_model_start(
        self, serialized: Any, messages: list[list[Any]], *, run_id: UUID, **about: Any
    ) -> None:
        """A chat model is asked."""
        given = messages[0] if messages else []
        self._call_started(_call("model", serialized, given, run_id, about))

    def on_llm_start(
        self, serialized: Any, prompts: list[str], *, run_id: UUID, **about: Any
    ) -> None:
        """A model that completes text is asked."""
        given = prompts[0] if prompts else ""
        self._call_started(_call("model", serialized, given, run_id, about))

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """A model has returned."""
        generation = next((found for group in response.generations for found in group), None)
        message = getattr(generation, "message", None)
        output = message if message is not None else getattr(generation, "text", None)
        usage = getattr(message, "usage_metadata", None)
        self._call_ended(run_id, output, usage or (response.llm_output or {}).get("token_usage"))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """A model has failed."""
        self._call_ended(run_id, None, error=error)

    def on_tool_start(
        self, serialized: Any, input_str: str, *, run_id: UUID, inputs: Any = None, **about: Any
    ) -> None:
        """A tool is called."""
        given = input_str if inputs is None else inputs
        self._call_started(_call("tool", serialized, given, run_id, about))

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """A tool has returned."""
        self._call_ended(run_id, output)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """A tool has failed."""
        self._call_ended(run_id, None, error=error)


def _call(
    kind: Literal["model", "tool"], serialized: Any, given: Any, run_id: UUID, about: dict[str, Any]
) -> Call:
    return Call(
        kind=kind,
        run_id=run_id,
        parent_run_id=about.get("parent_run_id"),
        name=_name(serialized, about),
        given=given,
        params=about.get("invocation_params"),
        metadata=about.get("metadata") or {},
        tool_call_id=about.get("tool_call_id"),
    )


def _name(serialized: Any, about: dict[str, Any]) -> str:
    known = serialized if isinstance(serialized, dict) else {}
    ids = known.get("id") or [""]
    return str(about.get("name") or known.get("name") or ids[-1])
