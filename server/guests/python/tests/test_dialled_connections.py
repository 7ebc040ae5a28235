"""Real sockets: the host's side is a listener, the guest's own server gives back in capitals."""

import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_runtime_guest.dialled_connections import dial_host

_LIMIT_SECONDS = 10


@pytest.fixture
def host() -> Iterator[socket.socket]:
    """Where the guest opens its connections."""
    with tempfile.TemporaryDirectory() as folder:
        dial, own = str(Path(folder, "dial.sock")), str(Path(folder, "own.sock"))
        with _listener(dial) as listener, _listener(own) as server:
            threading.Thread(target=_serve_upper_case, args=(server,), daemon=True).start()
            dial_host(dial, own)
            yield listener


def test_a_call_reaches_the_own_server_over_each_connection_and_continues(host: socket.socket):
    for connection in (_accept(host), _accept(host)):
        with connection:
            assert _exchange(connection, b"one") == b"ONE"
            assert _exchange(connection, b"two") == b"TWO"


def test_a_connection_that_ends_is_opened_again_used_or_not(host: socket.socket):
    used, unused = _accept(host), _accept(host)
    assert _exchange(used, b"one") == b"ONE"
    used.close()
    unused.close()
    for connection in (_accept(host), _accept(host)):
        with connection:
            assert _exchange(connection, b"again") == b"AGAIN"


def test_large_messages_pass_whole(host: socket.socket):
    with _accept(host) as connection:
        sent = b"x" * 1_000_000
        threading.Thread(target=connection.sendall, args=(sent,), daemon=True).start()
        received = b""
        while len(received) < len(sent):
            received += connection.recv(len(sent))
        assert received == sent.upper()


def _listener(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.settimeout(_LIMIT_SECONDS)
    listener.bind(path)
    listener.listen()
    return listener


def _accept(listener: socket.socket) -> socket.socket:
    connection, _ = listener.accept()
    connection.settimeout(_LIMIT_SECONDS)
    return connection


def _exchange(connection: socket.socket, text: bytes) -> bytes:
    connection.sendall(text)
    return connection.recv(100)


def _serve_upper_case(server: socket.socket) -> None:
    """For each connection a thread, which ends with it; all of them with the listener."""
    try:
        while True:
            connection, _ = server.accept()
            threading.Thread(target=_respond, args=(connection,), daemon=True).start()
    except OSError:
        return


def _respond(connection: socket.socket) -> None:
    with connection:
        while part := connection.recv(65_536):
            connection.sendall(part.upper())
