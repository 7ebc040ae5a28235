"""The guest's process; `start_agent_runtime_guest.py` calls `main`."""

import asyncio
import gc
import os
import signal
import sys
from typing import TYPE_CHECKING

from .config import GuestConfig, read_config, socket_address
from .served_versions import add_libraries

if TYPE_CHECKING:
    from .web import Web


def main() -> None:
    """Imports the agents, then serves until the parent ends or stops it."""
    gc.disable()  # what importing makes, stays: looking for garbage in it costs start-up time
    config = read_config(sys.argv[1])
    if config.lib_dir:
        add_libraries(config.lib_dir)

    from .lifetime import end_with_parent, ignore_terminal_interrupt
    from .orphans import adopt_orphans
    from .output_capture import OutputCapture

    orphans = adopt_orphans()
    output = OutputCapture()
    end_with_parent(lambda: output.host.send({"event": "alive"}))
    ignore_terminal_interrupt()
    output.install()

    if config.egress_socket:
        from .egress_forwarder import start_egress_forwarder

        start_egress_forwarder(config.egress_socket, config.egress_port)

    if config.debugger:
        from .debugger import start_debugger

        start_debugger(config.debugger, config, output.host)

    from . import service  # noqa: F401
    from .agent_import import add_import_paths
    from .agents import load_agent
    from .model_objects import remember_models
    from .revivable_types import revivable
    from .web import Web

    _prepare_langgraph()
    revivable.configure(config)
    add_import_paths(config.import_paths)
    # Before any event loop runs: modules may call asyncio.run() while they are imported.
    agents = [load_agent(entry, config) for entry in config.agents]
    web = Web(config)

    # Nor is it looked through again later, which would stop every run for 50 ms now and then.
    if orphans:
        orphans.note_started()
    remember_models()
    gc.freeze()
    gc.enable()
    serve(config, agents, output, web)


def _prepare_langgraph() -> None:
    from .config_context import provide_config_to_nodes
    from .delta_channels import materialise_delta_channels
    from .sdk_clients import provide_clients
    from .served_versions import check as check_versions

    try:
        from .unrevived import store_unrevived_as_they_were

        for warning in check_versions():
            print(f"WARNING: {warning}", file=sys.stderr, flush=True)
        materialise_delta_channels()
        store_unrevived_as_they_were()
        provide_config_to_nodes()
        provide_clients()
        from . import invocation  # noqa: F401  now, not with the first run
    except Exception:
        pass  # missing or broken: every agent has it as its own error when it is loaded


def serve(config: GuestConfig, agents: list, output: object, web: "Web") -> None:
    """Serves on the guest's socket for good."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    start = loop.create_task(_start(config, agents, output, web))
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            # Raised by agent code in a task, which asyncio hands on to us after it has failed the
            # task; the other runs continue. Our own end is os._exit.
            if start.done() and start.exception() is not None:
                raise


async def _start(config: GuestConfig, agents: list, output: object, web: "Web") -> None:
    try:
        from grpc import aio

        from .embedder import Embedder
        from .host_channel import HostChannel
        from .sdk_clients import connect_clients
        from .service import AgentsService
        from .threads import RunThreads

        loop = asyncio.get_running_loop()
        threads = RunThreads()
        loop.set_default_executor(threads)
        embed = config.store_embed
        embedder = Embedder(embed, config) if embed else None
        channel = HostChannel(config)
        connect_clients(channel)
        service = AgentsService(agents, channel, threads, output, web, embedder)
        server = aio.server(
            options=[
                ("grpc.max_receive_message_length", config.transport_bytes),
                ("grpc.max_send_message_length", config.transport_bytes),
                ("grpc.so_reuseport", 0),
            ]
        )
        server.add_generic_rpc_handlers((service.handler(),))
        server.add_insecure_port(socket_address(config.guest_socket))
        await server.start()
        if config.dial_socket:
            from .dialled_connections import dial_host

            dial_host(config.dial_socket, config.guest_socket)
        from .lifetime import end

        signal.signal(signal.SIGTERM, lambda *_: end())
        await web.start()
        output.host.send({"event": "ready"})
        await server.wait_for_termination()
    except Exception:
        import traceback

        os.write(2, traceback.format_exc().encode())
        os._exit(1)
