"""What agents print."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .guest_process import GuestProcess, request
from .host import MemoryHost


def test_lines_carry_the_run_that_printed_them(guest: GuestProcess) -> None:
    wanted = {n: request("talking", str(uuid.uuid4()), input={"n": n}) for n in range(8)}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(guest.invoke, wanted.values()))
    for n, run in wanted.items():
        last = {("stdout", f"no line endthread of {n}"), ("stderr", "to stderr")}
        printed = guest.printed_all(run.run_id, last.issubset)
        lines = [f"run {n} line {part}" for part in range(3)]
        assert _of("stdout", printed) == [*lines, f"no line endthread of {n}"]
        assert _of("stderr", printed) == [f"logged {n}", "to stderr"]


def _of(wanted: str, printed: list[tuple[str, str]]) -> list[str]:
    return [text for stream, text in printed if stream == wanted]


def test_long_lines_are_cut(guest: GuestProcess, thread_id: str) -> None:
    wanted = request("long_lined", thread_id, input={"n": 1})
    guest.invoke(wanted)
    printed = guest.printed_all(
        wanted.run_id, lambda found: sum(len(text) for _, text in found) >= 150_000
    )
    parts = [text for _, text in printed]
    assert "".join(parts) == "x" * 150_000
    assert max(map(len, parts)) == 64 * 1024


def test_what_is_printed_by_no_run_has_no_run(folder: Path, host: MemoryHost) -> None:
    guest = GuestProcess(folder, host, {"loud": "./loud.py:graph"})
    guest.close()
    assert [text for _, text in guest.printed("")] == ["importing", "to the buffer", "warned"]
