"""What agents print."""

import uuid
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .guest_process import GuestProcess, request
from .host import MemoryHost


def test_lines_carry_the_run_that_printed_them(guest: GuestProcess) -> None:
    wanted = {n: request("talking", str(uuid.uuid4()), input={"n": n}) for n in range(8)}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(guest.invoke, wanted.values()))
    texts: dict[tuple[str, str], list[str]] = defaultdict(list)
    guest.line(run_id=wanted[0].run_id, stream="stdout", text="no line endthread of 0")
    for record in guest.records:
        if isinstance(record, dict) and "text" in record:
            texts[(record["run_id"], record["stream"])].append(record["text"])
    for n, run in wanted.items():
        lines = [f"run {n} line {part}" for part in range(3)]
        assert texts[(run.run_id, "stdout")] == [*lines, f"no line endthread of {n}"]
        assert texts[(run.run_id, "stderr")] == [f"logged {n}", "to stderr"]


def test_long_lines_are_cut(guest: GuestProcess, thread_id: str) -> None:
    wanted = request("long_lined", thread_id, input={"n": 1})
    guest.invoke(wanted)
    guest.line(run_id=wanted.run_id)
    parts = [
        r["text"] for r in guest.records if isinstance(r, dict) and r.get("run_id") == wanted.run_id
    ]
    assert "".join(parts) == "x" * 150_000
    assert max(map(len, parts)) == 64 * 1024


def test_what_is_printed_by_no_run_has_no_run(folder: Path, host: MemoryHost) -> None:
    guest = GuestProcess(folder, host, {"loud": "./loud.py:graph"})
    guest.close()
    assert [r["text"] for r in guest.records if isinstance(r, dict) and r.get("run_id") == ""] == [
        "importing",
        "to the buffer",
        "warned",
    ]
