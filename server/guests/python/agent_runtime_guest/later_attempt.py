"""Where a restarted run goes on, so that nothing which the lost attempt saved is applied twice."""

from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.pregel._io import map_command
from langgraph.types import Command

# LangGraph's names for writes that belong to no task, and for the answer to an interrupt.
_NULL_TASK_ID = "00000000-0000-0000-0000-000000000000"
_RESUME = "__resume__"


@dataclass(frozen=True)
class Start:
    """What a graph is given. `at_head`: whatever checkpoint the config names. `is_answered`: the
    head's pending answer has been given to its question already."""

    value: Any
    at_head: bool = False
    is_answered: bool = False


def start_again(start: Any, head: CheckpointTuple | None, run_id: str) -> Start:
    """The start of a later attempt.

    A head of this very run has the start in it already. Below an older head a command may have been
    recorded as pending writes before the attempt was lost; LangGraph applies those by itself.
    """
    if head is not None and head.metadata.get("run_id") == run_id:
        return Start(None, at_head=True)
    if head is None or not isinstance(start, Command):
        return Start(start)
    recorded = [w for w in head.pending_writes or () if w[0] == _NULL_TASK_ID]
    resume, update, goto = start.resume, start.update, start.goto
    wanted = [channel for _, channel, _ in map_command(start) if channel != _RESUME]
    channels = [channel for _, channel, _ in recorded if channel != _RESUME]
    # By channels only: values gain message ids when they are recorded.
    if wanted and channels[-len(wanted) :] == wanted:
        update, goto = None, ()
    is_answered = resume is not None and is_taken(recorded, head)
    if is_answered:
        resume = None
    nothing_left = resume is None and not update and not goto
    command = None if nothing_left else Command(resume=resume, update=update, goto=goto)
    return Start(command, is_answered=is_answered)


def without_answer(found: CheckpointTuple) -> CheckpointTuple:
    """The checkpoint without the pending answer, which would go to the next question as well."""
    kept = [w for w in found.pending_writes or () if w[:2] != (_NULL_TASK_ID, _RESUME)]
    return found._replace(pending_writes=kept)


def is_taken(recorded: list[tuple[str, str, Any]], head: CheckpointTuple) -> bool:
    """Whether a task has taken the answer that is recorded for whichever asks first."""
    answers = [value for _, channel, value in recorded if channel == _RESUME]
    return bool(answers) and any(
        channel == _RESUME and task_id != _NULL_TASK_ID and _last(value) == answers[-1]
        for task_id, channel, value in head.pending_writes or ()
    )


def _last(value: Any) -> Any:
    return value[-1] if isinstance(value, list) and value else value
