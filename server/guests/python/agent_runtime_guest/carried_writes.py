"""What waits at a checkpoint, carried over to the one that an update made of it.

A task's id depends on the checkpoint that it starts from, so LangGraph's own update_state loses the
questions that wait for an answer, the answers given so far, and the results of finished neighbours.
"""

from collections import defaultdict
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from .langgraph_library import interrupt_id, interrupt_id_in, moved_interrupt
from .later_attempt import is_taken

# Old id of a question -> the namespace that it is asked in now, and how many were answered before.
Moves = dict[str, tuple[str, int]]

_NULL_TASK_ID = "00000000-0000-0000-0000-000000000000"
_INTERRUPT = "__interrupt__"
_RESUME = "__resume__"
# An error belongs to the attempt that failed; the node is tried again.
_LEFT_BEHIND = ("__error__", "__error_source_node__")
_NO_RESULTS = (*_LEFT_BEHIND, _INTERRUPT, _RESUME, "__scheduled__")


async def carry_writes(
    graph: Any,
    saver: BaseCheckpointSaver[Any],
    head: CheckpointTuple,
    before: Any,
    target: RunnableConfig,
) -> Moves:
    """Saves the pending writes of `head` beside the checkpoint `target`, under the tasks' new ids.

    `before` is the snapshot of `head`. The heads of declared sub-graphs go along. Returns where
    the interrupts have moved. A step that has all its results is in the past: a client
    that writes upon its start wants it done again.
    """
    done = {
        task_id for task_id, channel, _ in head.pending_writes or () if channel not in _NO_RESULTS
    }
    if all(task.id in done for task in before.tasks):
        return {}
    after = await graph.aget_state(target)
    new_ids = {task.path: task.id for task in after.tasks}
    tasks = [task for task in before.tasks if task.path in new_ids]
    task_ids = {task.id: new_ids[task.path] for task in tasks}
    namespace = target["configurable"]["checkpoint_ns"]

    moves: Moves = {}
    for task in tasks:
        old = _below(head.config["configurable"]["checkpoint_ns"], task.name, task.id)
        new = _below(namespace, task.name, task_ids[task.id])
        for answered in range(_answers_of(head, task.id) + 1):
            moves[interrupt_id_in(old, answered)] = (new, answered)
        if task.state is not None:
            moves |= await _carry_sub_graph(graph, saver, old, new, target)

    carried: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    of_no_task = [w for w in head.pending_writes or () if w[0] == _NULL_TASK_ID]
    drops_answer = is_taken(of_no_task, head)
    for task_id, channel, value in head.pending_writes or ():
        if task_id == _NULL_TASK_ID:
            if not (channel == _RESUME and drops_answer):
                carried[task_id].append((channel, value))
        elif task_id in task_ids and channel not in _LEFT_BEHIND:
            moved = _moved(value, moves) if channel == _INTERRUPT else value
            carried[task_ids[task_id]].append((channel, moved))
    for task_id, writes in carried.items():
        await saver.aput_writes(target, writes, task_id)
    return moves


async def _carry_sub_graph(
    graph: Any, saver: BaseCheckpointSaver[Any], old: str, new: str, parent: RunnableConfig
) -> Moves:
    thread_id = parent["configurable"]["thread_id"]
    head = await saver.aget_tuple(_config(thread_id, old))
    if head is None:
        return {}
    before = await graph.aget_state(head.config)
    parents = {**head.metadata.get("parents", {})}
    parents[parent["configurable"]["checkpoint_ns"]] = parent["configurable"]["checkpoint_id"]
    saved = await saver.aput(
        _config(thread_id, new),
        head.checkpoint,
        {**head.metadata, "parents": parents},
        head.checkpoint["channel_versions"],
    )
    return await carry_writes(graph, saver, head, before, saved)


def _config(thread_id: str, namespace: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace}}


def _below(namespace: str, node: str, task_id: str) -> str:
    return f"{namespace}|{node}:{task_id}" if namespace else f"{node}:{task_id}"


def _answers_of(head: CheckpointTuple, task_id: str) -> int:
    """An upper bound of how many answers a task has been given."""
    counts = [
        len(value) if isinstance(value, list) else 1
        for owner, channel, value in head.pending_writes or ()
        if channel == _RESUME and owner in (task_id, _NULL_TASK_ID)
    ]
    return sum(counts)


def _moved(value: Any, moves: Moves) -> Any:
    """Interrupts under the ids that their tasks will be answered by."""
    if isinstance(value, (list, tuple)):
        return [_moved(item, moves) for item in value]
    moved = moves.get(interrupt_id(value) or "")
    return value if moved is None else moved_interrupt(value, *moved)
