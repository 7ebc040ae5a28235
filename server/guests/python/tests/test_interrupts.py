"""Interrupts, breakpoints, and continuing after them."""

from .guest_process import GuestProcess, request
from .host import MemoryHost


def test_an_interrupt_ends_the_run_interrupted(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("asking", thread_id, input={"n": 1}, stream_modes=["updates", "values"])
    asked = guest.invoke(wanted)
    (interrupt,) = asked.interrupts
    assert asked.end.status == "interrupted"
    assert interrupt["value"] == {"question": "how many?"}
    assert asked.output == {"n": 1, "log": [], "__interrupt__": [interrupt]}
    assert asked.of("updates") == [{"__interrupt__": [interrupt]}]
    assert asked.of("values")[-1] == asked.output

    (write,) = host.head(thread_id).writes
    assert (write.channel, write.index) == ("__interrupt__", -3)
    assert f'"{interrupt["id"]}"' in write.json


def test_a_resume_answers_it(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("asking", thread_id, input={"n": 1}))
    done = guest.invoke(request("asking", thread_id, command={"resume": 42}))
    assert (done.end.status, done.output) == ("completed", {"n": 42, "log": ["answered"]})


def test_questions_of_one_node_are_answered_in_turn(guest: GuestProcess, thread_id: str) -> None:
    first = guest.invoke(request("asking_twice", thread_id, input={"n": 0}))
    second = guest.invoke(request("asking_twice", thread_id, command={"resume": "a"}))
    values = [i["value"] for asked in (first, second) for i in asked.interrupts]
    done = guest.invoke(request("asking_twice", thread_id, command={"resume": "b"}))
    assert (values, done.output["log"]) == (["first?", "second?"], ["a-b"])


def test_parallel_questions_are_answered_by_id(guest: GuestProcess, thread_id: str) -> None:
    asked = guest.invoke(request("fanning", thread_id, input={"n": 0}))
    assert sorted(i["value"] for i in asked.interrupts) == [0, 1]
    answers = {i["id"]: f"answer {i['value']}" for i in asked.interrupts}
    done = guest.invoke(request("fanning", thread_id, command={"resume": answers}))
    assert done.output["log"] == ["0:answer 0", "1:answer 1"]


def test_a_question_in_a_sub_graph(guest: GuestProcess, host: MemoryHost, thread_id: str) -> None:
    asked = guest.invoke(request("asking_parent", thread_id, input={"n": 1}))
    assert [i["value"] for i in asked.interrupts] == [{"question": "how many?"}]
    done = guest.invoke(request("asking_parent", thread_id, command={"resume": 6}))
    assert done.output == {"n": 6, "log": ["answered"]}


def test_a_breakpoint_interrupts_without_an_interrupt(guest: GuestProcess, thread_id: str) -> None:
    stopped = guest.invoke(request("counting", thread_id, input={"n": 1}, interrupt_before=["two"]))
    assert (stopped.end.status, stopped.interrupts) == ("interrupted", [])
    assert stopped.output == {"n": 2, "log": ["one"]}
    assert guest.invoke(request("counting", thread_id)).output == {"n": 20, "log": ["one", "two"]}


def test_a_breakpoint_after_every_node(guest: GuestProcess, thread_id: str) -> None:
    states = [guest.invoke(request("counting", thread_id, input={"n": 1}, interrupt_after=["*"]))]
    states.append(guest.invoke(request("counting", thread_id, interrupt_after=["*"])))
    assert [s.end.status for s in states] == ["interrupted", "interrupted"]
    assert guest.invoke(request("counting", thread_id)).end.status == "completed"
