"""Sends what agent code prints to the host, line by line, with the run it belongs to."""

import io
import json
import os
import sys
import threading

from .run_context import current_run_id

_LINE_LIMIT = 64 * 1024
_RECORD = "\x1e"


class HostOutput:
    """The guest's real stdout. Every record goes out in one piece."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, record: dict[str, str | int]) -> None:
        """Writes one record; a host that is gone is no reason to fail."""
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        data = memoryview(f"{_RECORD}{text}\n".encode("utf-8", "replace"))
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                pass


class LineWriter(io.TextIOBase):
    """Replaces sys.stdout or sys.stderr: every complete line becomes a record of its run."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, output: HostOutput, stream: str, descriptor: int) -> None:
        self._output = output
        self._stream = stream
        self._descriptor = descriptor
        self._partial: dict[str, str] = {}
        self._lock = threading.RLock()
        self.buffer = _ByteWriter(self)

    def write(self, text: str) -> int:
        """Takes text as a text file does; only complete lines leave."""
        run_id = current_run_id.get()
        with self._lock:
            pending = self._partial.pop(run_id, "") + text
            *lines, rest = pending.split("\n")
            while len(rest) > _LINE_LIMIT:
                lines.append(rest[:_LINE_LIMIT])
                rest = rest[_LINE_LIMIT:]
            if rest:
                self._partial[run_id] = rest
            for line in lines:
                self._send(run_id, line)
        return len(text)

    def finish(self, run_id: str) -> None:
        """Sends what a run printed last without a line end."""
        with self._lock:
            if rest := self._partial.pop(run_id, ""):
                self._send(run_id, rest)

    def _send(self, run_id: str, line: str) -> None:
        line = line.removesuffix("\r")
        for start in range(0, max(len(line), 1), _LINE_LIMIT):
            text = line[start : start + _LINE_LIMIT]
            self._output.send({"run_id": run_id, "stream": self._stream, "text": text})

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        """Agent code that closes its stdout must not silence the others."""


class _ByteWriter(io.RawIOBase):
    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._writer.write(bytes(data).decode("utf-8", "replace"))
        return len(data)


class OutputCapture:
    """Both streams of this process, replaced."""

    def __init__(self) -> None:
        descriptor = os.dup(1)
        self.host = HostOutput(descriptor)
        self._writers = (LineWriter(self.host, "stdout", 1), LineWriter(self.host, "stderr", 2))

    def install(self) -> None:
        """Before any agent code: loggers keep the sys.stderr they find when they are made."""
        sys.stdout, sys.stderr = self._writers

    def finish(self, run_id: str) -> None:
        """Sends the unfinished last lines of a run that has ended."""
        for writer in self._writers:
            writer.finish(run_id)
