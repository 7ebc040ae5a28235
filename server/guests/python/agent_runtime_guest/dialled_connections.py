"""How the host calls a sandboxed guest: over connections that the guest opens to it."""

import socket
import threading
import time

from .lifetime import hide_from_debugger

# One in use, and a spare for when that breaks.
_CONNECTIONS = 2
_AGAIN_SECONDS = 0.1
_PART_BYTES = 64 * 1024


def dial_host(dial_socket: str, guest_socket: str) -> None:
    """Keeps connections to the host's socket open and joins each to the guest's own server.

    On separate threads, which agents do not block for longer than the interpreter does.
    A connection that ends is opened again, for as long as this process lives.
    """
    for _ in range(_CONNECTIONS):
        _start(lambda: _keep_open(dial_socket, guest_socket))


def _keep_open(dial_socket: str, guest_socket: str) -> None:
    while True:
        try:
            with _connect(dial_socket) as host:
                # Not before the host calls: a server ends connections without a client.
                if first := host.recv(_PART_BYTES):
                    with _connect(guest_socket) as own:
                        own.sendall(first)
                        _start(lambda own=own, host=host: _copy(own, host))
                        _copy(host, own)
        except OSError:
            pass  # the host has closed it, or has too many
        time.sleep(_AGAIN_SECONDS)


def _connect(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        raise
    return connection


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while part := source.recv(_PART_BYTES):
            target.sendall(part)
    except OSError:
        pass  # one side has closed, so the other is closed too
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # closed already


def _start(work) -> None:
    thread = threading.Thread(target=work, name="host calls", daemon=True)
    hide_from_debugger(thread)
    thread.start()
