"""Keeps every delta channel whole in every checkpoint.

LangGraph's DeltaChannel (beta) stores a snapshot only now and then and rebuilds its value from the
writes of older checkpoints. The host may retain a single checkpoint per run, which would cut such a
chain and lose the value. With a snapshot frequency of one a channel is written out whenever it
changed, so each checkpoint is complete.
"""

from .langgraph_library import delta_channel


def materialise_delta_channels() -> None:
    """From now on every DeltaChannel of this process has a snapshot frequency of 1.

    On the class, not on channels of a copied graph: sub-graphs reached only from inside a node's
    code have channels too, and the user's own objects stay as they are.
    """
    if (channel := delta_channel()) is not None:
        channel.snapshot_frequency = property(lambda _: 1, lambda _, __: None)
