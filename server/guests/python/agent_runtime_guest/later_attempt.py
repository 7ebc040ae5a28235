"""Where a restarted run continues, so that nothing which the lost attempt saved is applied twice.

A node that asks several times takes the same answer several times ("no", "no"), so the answer
alone does not show whether it was taken: what this very run has written beside the question does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.types import Command

from .langgraph_library import interrupt_id

# LangGraph's names for writes that belong to no task, for the answer to an interrupt, and for it.
_NULL_TASK_ID = "00000000-0000-0000-0000-000000000000"
_RESUME = "__resume__"
_INTERRUPT = "__interrupt__"


@dataclass(frozen=True)
class Start:
    """What a graph is given. `is_answered`: the pending answer for the first task that asks
    has been given to its question already."""

    value: Any
    is_answered: bool = False


@dataclass(frozen=True)
class Touched:
    """A checkpoint that the run has saved, or has written beside."""

    found: CheckpointTuple
    # For each pending write the run that made it; "" is the one that saved the checkpoint.
    writers: list[str]

    def own_writes(self, run_id: str) -> Iterator[tuple[str, str, Any]]:
        """The pending writes of the run: (task id, channel, value)."""
        saver = self.found.metadata.get("run_id")
        for write, writer in zip(self.found.pending_writes or (), self.writers, strict=True):
            if (writer or saver) == run_id:
                yield write


def start_again(
    start: Any, base: CheckpointTuple | None, touched: Iterable[Touched], run_id: str
) -> Start:
    """The start of a later attempt that has no own checkpoint yet, from that of the first.

    `base`: where the run began. Beside it a command may have been recorded before the attempt was
    lost; LangGraph applies its update by itself.
    """
    if base is None or not isinstance(start, Command):
        return Start(start)
    own = [(one.found, list(one.own_writes(run_id))) for one in touched]
    recorded = [w for _, writes in own for w in writes if w[0] == _NULL_TASK_ID]
    resume, update, goto = start.resume, start.update, start.goto
    if any(channel != _RESUME for _, channel, _ in recorded):
        update, goto = None, ()
    is_answered = False
    if _is_by_id(resume):
        asked = _ids(base.pending_writes or ())
        taken = _taken_ids(own, resume)
        resume = {k: v for k, v in resume.items() if k in asked and k not in taken} or None
    elif resume is not None:
        is_answered = any(
            task_id != _NULL_TASK_ID and channel == _RESUME and _last(value) == resume
            for _, writes in own
            for task_id, channel, value in writes
        )
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
    """Whether a task has taken the answer that is recorded for the first to ask."""
    answers = [value for _, channel, value in recorded if channel == _RESUME]
    return bool(answers) and any(
        channel == _RESUME and task_id != _NULL_TASK_ID and _last(value) == answers[-1]
        for task_id, channel, value in head.pending_writes or ()
    )


def _is_by_id(resume: Any) -> bool:
    """LangGraph's rule for answers that name their questions."""
    if not isinstance(resume, dict) or not resume:
        return False
    return all(len(key) == 32 and not set(key) - set("0123456789abcdef") for key in resume)


def _taken_ids(
    own: list[tuple[CheckpointTuple, list[tuple[str, str, Any]]]], resume: dict[str, Any]
) -> set[str]:
    """The questions whose tasks have taken their answer in this run, where they are known."""
    taken = set()
    for found, writes in own:
        for task_id, channel, value in writes:
            if channel != _RESUME or task_id == _NULL_TASK_ID:
                continue
            ids = _ids(w for w in found.pending_writes or () if w[0] == task_id)
            taken |= {key for key in ids if key in resume and resume[key] == _last(value)}
    return taken


def _ids(writes: Iterable[tuple[str, str, Any]]) -> set[str | None]:
    """The ids of the questions among pending writes."""
    return {
        interrupt_id(question)
        for _, channel, value in writes
        if channel == _INTERRUPT
        for question in (value if isinstance(value, (list, tuple)) else [value])
    }


def _last(value: Any) -> Any:
    return value[-1] if isinstance(value, list) and value else value
