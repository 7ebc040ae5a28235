"""`python -m agent_runtime_guest <config.json>`"""

import asyncio
import gc
import os
import signal
import sys

from .config import GuestConfig, read_config, socket_address


def main() -> None:
    """Imports the agents, then serves until the parent ends or says so."""
    gc.disable()  # what importing makes, stays: looking for garbage in it costs start-up time
    config = read_config(sys.argv[1])
    if config.lib_dir:
        sys.path.append(config.lib_dir)  # last: the agent's own packages win

    from .lifetime import end_with_parent, ignore_terminal_interrupt
    from .output_capture import OutputCapture

    end_with_parent()
    ignore_terminal_interrupt()
    output = OutputCapture()
    output.install()

    if config.debugger:
        from .debugger import start_debugger

        start_debugger(config.debugger, config, output.host)

    # Before the agents' folder comes first on the path: an agent's email.py or queue.py is no
    # business of gRPC and LangGraph.
    from . import service  # noqa: F401
    from .agents import load_agent

    _prepare_langgraph()
    sys.path.insert(0, config.source_dir)
    # Before any event loop runs: modules may call asyncio.run() while they are imported.
    agents = [load_agent(entry, config.source_dir) for entry in config.agents]

    # Nor is it looked through again later, which would stop every run for 50 ms now and then.
    gc.freeze()
    gc.enable()
    serve(config, agents, output)


def _prepare_langgraph() -> None:
    from .config_context import provide_config_to_nodes
    from .delta_channels import materialise_delta_channels

    try:
        materialise_delta_channels()
        provide_config_to_nodes()
        from . import invocation  # noqa: F401  now, not with the first run
    except Exception:
        pass  # missing or broken: every agent has it as its own error when it is loaded


def serve(config: GuestConfig, agents: list, output: object) -> None:
    """Serves on the guest's socket for good."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    start = loop.create_task(_start(config, agents, output))
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            # Raised by agent code in a task, which asyncio hands on to us after it has failed the
            # task; the other runs go on. Our own end is os._exit.
            if start.done() and start.exception() is not None:
                raise


async def _start(config: GuestConfig, agents: list, output: object) -> None:
    try:
        from grpc import aio

        from .host_channel import HostChannel
        from .service import AgentsService
        from .threads import RunThreads

        loop = asyncio.get_running_loop()
        threads = RunThreads()
        loop.set_default_executor(threads)
        service = AgentsService(agents, HostChannel(config), threads, output)
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
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        output.host.send({"event": "ready"})
        await server.wait_for_termination()
    except Exception:
        import traceback

        os.write(2, traceback.format_exc().encode())
        os._exit(1)


if __name__ == "__main__":
    main()
