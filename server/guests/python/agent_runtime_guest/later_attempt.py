"""Where a restarted run goes on, so that nothing which the lost attempt saved is applied twice."""

from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.pregel._io import map_command
from langgraph.types import Command

# LangGraph's names for writes that belong to no task, and for the answer to an interrupt.
_NULL_TASK_ID = "00000000-0000-0000-0000-000000000000"
_RESUME = "__resume__"


def start_again(start: Any, head: CheckpointTuple | None, run_id: str) -> tuple[Any, bool]:
    """The input of a later attempt, and whether it goes on from the head whatever the config says.

    A head of this very run has the start in it already. Below an older head a command may have been
    recorded as pending writes before the attempt was lost; LangGraph applies those by itself.
    """
    if head is None:
        return start, False
    if head.metadata.get("run_id") == run_id:
        return None, True
    if not isinstance(start, Command):
        return start, False
    return _not_yet_recorded(start, head), False


def _not_yet_recorded(command: Command, head: CheckpointTuple) -> Command | None:
    recorded = [w for w in head.pending_writes or () if w[0] == _NULL_TASK_ID]
    answers = [value for _, channel, value in recorded if channel == _RESUME]
    channels = [channel for _, channel, _ in recorded if channel != _RESUME]
    wanted = [channel for _, channel, _ in map_command(command) if channel != _RESUME]
    resume, update, goto = command.resume, command.update, command.goto
    # By channels only: values gain message ids when they are recorded.
    if wanted and channels[-len(wanted) :] == wanted:
        update, goto = None, ()
    if answers and _is_taken(answers[-1], head):
        # The node has taken the answer; recorded again it would answer its next question too.
        resume = None
    if resume is None and not update and not goto:
        return None
    return Command(resume=resume, update=update, goto=goto)


def _is_taken(answer: Any, head: CheckpointTuple) -> bool:
    return any(
        channel == _RESUME and task_id != _NULL_TASK_ID and _last(value) == answer
        for task_id, channel, value in head.pending_writes or ()
    )


def _last(value: Any) -> Any:
    return value[-1] if isinstance(value, list) and value else value
