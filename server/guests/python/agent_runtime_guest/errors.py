"""Errors that travel to the host, as the contract's Error message."""

import os
import re
import traceback
from types import TracebackType
from typing import Any

from . import messages

# Characters. An error is shown to people, kept with its run and sent in one piece.
_MESSAGE_LIMIT = 16 * 1024
_TRACEBACK_LIMIT = 64 * 1024
# Of an error that is kept beside a checkpoint.
KEPT_LIMIT = 4 * 1024
_TASK_NOTE = re.compile(r"^During task with name '(.*)' and id '[^']*'$")
_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MACHINERY = tuple(
    os.sep + name + os.sep
    for name in ("langgraph", "langchain_core", "concurrent", "asyncio", "importlib")
)


class ServiceError(Exception):
    """A failure with a stable code of the service's error table."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def error_message(error: BaseException) -> Any:
    """The Error message of an exception: `agent_error` unless it carries a code of the service."""
    if isinstance(error, ServiceError):
        return messages.Error(code=error.code, message=_clean(cut(error.message)))
    return messages.Error(
        code="agent_error",
        message=_clean(cut(text_of(error))),
        type=type(error).__name__,
        node=_clean(_node_of(error)),
        traceback=_clean(format_traceback(error)),
    )


def cut(text: str, limit: int = _MESSAGE_LIMIT) -> str:
    """The text, or its beginning with a note of how long it was."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut here: {len(text)} characters in all]"


def format_traceback(error: BaseException) -> str:
    """The traceback from the first frame of the agent's own code on, the tail when it is long."""
    try:
        trace = _own_code(error.__traceback__) or _not_ours(error.__traceback__)
        lines = traceback.format_exception(type(error), error, trace)
        whole = "".join(cut(line) for line in lines)
        if len(whole) <= _TRACEBACK_LIMIT:
            return whole
        note = f"[cut here: {len(whole)} characters in all]\n"
        return note + whole[-_TRACEBACK_LIMIT:]
    except Exception:  # an exception whose own __str__ or __repr__ raises
        return type(error).__name__


def _own_code(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        internal = file.startswith((_OWN_FOLDER, "<frozen"))
        if not internal and not any(part in file for part in _MACHINERY):
            return trace
        trace = trace.tb_next
    return None


def _not_ours(trace: TracebackType | None) -> TracebackType | None:
    """The traceback, unless it ends in this package: then our sentence is enough."""
    last = trace
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    ours = last is not None and last.tb_frame.f_code.co_filename.startswith(_OWN_FOLDER)
    return None if ours else trace


def _node_of(error: BaseException) -> str:
    # LangGraph notes the task on the way out, the innermost first (Python 3.11 on).
    for note in getattr(error, "__notes__", ()):
        if found := _TASK_NOTE.match(note):
            return found[1]
    name, trace = "", error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name in ("arun_with_retry", "run_with_retry"):
            name = getattr(trace.tb_frame.f_locals.get("task"), "name", name)
        trace = trace.tb_next
    return name


def text_of(error: BaseException) -> str:
    """The message of an exception; its class when there is none, or it cannot be made."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__


def _clean(text: str) -> str:
    # Protobuf strings take no lone surrogates.
    return text.encode("utf-8", "replace").decode("utf-8")
