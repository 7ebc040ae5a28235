"""Delta channels survive a host that retains one checkpoint."""

from .guest_process import GuestProcess, request
from .host import MemoryHost


def test_a_delta_channel_is_whole_in_every_checkpoint(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    for run in range(3):
        wanted = request("delta", thread_id, input={"items": [f"r{run}"]})
        done = guest.invoke(wanted)
        host.wait_for(wanted.token, done.end.last_seq)
        for checkpoint in host.checkpoints(thread_id):
            versions = {v.channel for v in checkpoint.channel_versions}
            assert "items" in versions or checkpoint.metadata_json.count('"step":-1')
        host.keep_heads(thread_id)
    assert done.output["items"] == ["r0", 1, "r1", 3, "r2", 5]
    json = {b.channel: b.json for b in host.head(thread_id).blobs if b.HasField("json")}
    assert json["items"] == '["r0",1,"r1",3,"r2",5]'


def test_also_in_a_sub_graph_that_a_node_calls(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("delta_outer", thread_id, input={"items": ["out"]})
    asked = guest.invoke(wanted)
    assert asked.end.status == "interrupted"
    host.keep_heads(thread_id)
    done = guest.invoke(request("delta_outer", thread_id, command={"resume": "yes"}))
    assert done.output["items"] == ["out", ["in", 1, "yes"]]


def test_an_unchanged_delta_channel_is_not_sent_again(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("delta", thread_id, input={"items": ["a"]})
    guest.invoke(wanted)
    saves = [w.save for w in host.writes[wanted.token] if w.WhichOneof("op") == "save"]
    assert "items" not in {b.channel for b in saves[-1].blobs}
    assert "items" in {v.channel for v in saves[-1].channel_versions}
