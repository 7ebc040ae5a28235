"""`get_client()` of LangGraph's SDK without a URL: it calls the host, in the name of its caller."""

import os
import sys
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .host_channel import HostChannel

_host: "HostChannel | None" = None


def provide_clients() -> None:
    """Lets clients that are made from now on reach the host.

    The SDK has a transport to LangGraph's own server, which it looks for twice: the variable keeps
    it from starting that server where it happens to be installed, and the transport is the one
    that this server brings along. Ours instead, since httpx's own gives no part of a response
    before all of it has arrived.
    """
    try:
        import langgraph_sdk.client  # noqa: F401  LangGraph imports it anyway, since 1.0
    except ImportError:
        return
    os.environ["__LANGGRAPH_DEFER_LOOPBACK_TRANSPORT"] = "true"
    for name, module in list(sys.modules.items()):
        if not name.startswith("langgraph_sdk."):
            continue
        if hasattr(module, "get_asgi_transport"):
            module.get_asgi_transport = _transport
        if hasattr(module, "_registered_transports"):
            # Each client's, for good, so that a server can be put in later.
            module._registered_transports = deque(maxlen=0)


def connect_clients(channel: "HostChannel") -> None:
    """Sets where the host is; before that no run begins."""
    global _host  # noqa: PLW0603  one for the process, as its agents are
    _host = channel


def host() -> "HostChannel | None":
    """Where requests go."""
    return _host


def _transport() -> Any:
    from .host_transport import HostTransport

    return HostTransport
