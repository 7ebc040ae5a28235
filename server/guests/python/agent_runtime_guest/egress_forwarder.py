"""How a sandboxed guest reaches the network: not at all, but for the host's proxy."""

import asyncio
import socket
import threading

from .lifetime import hide_from_debugger

_HOST = "127.0.0.1"
_WAITING = 512
_PART_BYTES = 64 * 1024


def start_egress_forwarder(socket_path: str, port: int) -> None:
    """Lets programs find the proxy of the unix socket at a port of the sandbox's loopback.

    On a thread with its own event loop, which neither the guest's loop nor agents block.
    They can connect when this returns; raises OSError when the port is not available.
    """
    listener = socket.create_server((_HOST, port), backlog=_WAITING)
    loop = asyncio.new_event_loop()  # now: agents may bring loops of another kind
    serving = _serve(listener, socket_path)
    thread = threading.Thread(
        target=lambda: loop.run_until_complete(serving), name="egress", daemon=True
    )
    hide_from_debugger(thread)
    thread.start()


async def _serve(listener: socket.socket, socket_path: str) -> None:
    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            proxy_reader, proxy_writer = await asyncio.open_unix_connection(socket_path)
        except OSError:
            writer.transport.abort()
            return
        try:
            there = asyncio.ensure_future(_copy(reader, proxy_writer))
            back = asyncio.ensure_future(_copy(proxy_reader, writer))
            try:
                await asyncio.gather(there, back)
            finally:
                there.cancel()
                back.cancel()
            writer.close()
        except OSError:
            writer.transport.abort()  # an end that looks like none
        finally:
            proxy_writer.close()

    server = await asyncio.start_server(forward, sock=listener)
    await server.serve_forever()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Passes the end on by itself, so that the other direction stays open."""
    while part := await reader.read(_PART_BYTES):
        writer.write(part)
        await writer.drain()
    writer.write_eof()
