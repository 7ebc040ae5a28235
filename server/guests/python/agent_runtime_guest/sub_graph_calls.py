"""The calls of sub-graphs in the step at which a restarted run continues.

LangGraph tells every sub-graph of that step to resume. One with its own memory
(`checkpointer=True`) has a checkpoint from its last call, so it would return what it returned then
if the lost attempt had not come to call it.
"""

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

# LangGraph's names for "continue from the checkpoint, for any input" and for the checkpoints
# of the graphs around a sub-graph, by namespace.
_RESUMING = "__pregel_resuming"
_AROUND = "checkpoint_map"


class SubGraphCalls:
    """Looks at each checkpoint that a graph of the run is about to continue from."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._own: set[str] = set()

    def look_at(self, found: CheckpointTuple, config: RunnableConfig) -> None:
        """Lets a sub-graph that the lost attempt had not called in this step take its input.

        Only where this run made the step: one that it resumes, it resumed in its first attempt too.
        Changes `config`, as LangGraph itself does here when a step is replayed.
        """
        if found.metadata.get("run_id") == self._run_id:
            self._own.add(found.checkpoint["id"])
        configurable = config["configurable"]
        if not configurable.get(_RESUMING):
            return
        parents = found.metadata.get("parents") or {}
        around = configurable.get(_AROUND) or {}
        if any(id_ in self._own and parents.get(ns) != id_ for ns, id_ in around.items()):
            configurable[_RESUMING] = False
