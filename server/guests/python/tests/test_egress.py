"""A guest in a sandbox: the only way to the network is the host's proxy, over a unix socket."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from .guest_process import GuestProcess, request
from .host import MemoryHost


class _Proxy(socketserver.ThreadingUnixStreamServer):
    """Is every target itself."""

    daemon_threads = True

    def __init__(self, path: str) -> None:
        self.asked: list[str] = []
        super().__init__(path, _Request)


class _Request(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self.server.asked.append(self.rfile.readline().decode().strip())  # type: ignore[attr-defined]
        while self.rfile.readline().strip():
            pass
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nvia")


@pytest.fixture
def proxy(folder: Path) -> Iterator[_Proxy]:
    with _Proxy(str(folder / "egress.sock")) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_agents_reach_the_proxy_from_when_they_are_imported_and_the_host_past_it(
    folder: Path, host: MemoryHost, proxy: _Proxy, monkeypatch: pytest.MonkeyPatch, thread_id: str
) -> None:
    # The sandbox's loopback has but this guest; here a free port has to do.
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
    config = {"egress_socket": proxy.server_address, "egress_port": port}
    with GuestProcess(folder, host, {"network": "./network.py:graph"}, **config) as guest:
        outcome = guest.invoke(request("network", thread_id, input={}))
    assert outcome.output == {"found": ["via", "via"]}
    assert proxy.asked == ["GET http://target.example/ HTTP/1.1"] * 2
