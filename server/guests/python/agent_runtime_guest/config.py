"""What the host passes to a guest at its start."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class AgentEntry:
    """One agent of the manifest: `path` is `file.py:variable` or `package.module:variable`."""

    agent_id: str
    path: str


@dataclass(frozen=True)
class DebuggerConfig:
    """The debugger to start before the agents are imported."""

    provider: str
    lib_dir: str
    wait_for_client: bool = False
    sub_process: bool = False
    log_dir: str | None = None
    port: int = 0


@dataclass(frozen=True)
class GuestConfig:
    """The config file, parsed; `import_paths` are absolute, the agent folder among them."""

    source_dir: str
    host_socket: str
    guest_socket: str
    agents: tuple[AgentEntry, ...] = ()
    import_paths: tuple[str, ...] = ()
    lib_dir: str | None = None
    max_message_bytes: int = 50 * 1024 * 1024
    debugger: DebuggerConfig | None = None
    # `store.index.embed` of the manifest, in guests that can do it.
    store_embed: str | None = None
    # `store.ttl`: what LangGraph's stores call their ttl_config.
    store_ttl: dict[str, Any] | None = None
    auth_path: str | None = None  # where the manifest's `auth` is
    app_path: str | None = None  # likewise `http.app`
    # Types that stored values may be made into, beside those that are known: `package.module.Type`,
    # or `package.module.*`.
    allowed_types: tuple[str, ...] = ()
    # In a sandbox: the socket of the host's proxy, and the port where programs are to find it.
    egress_socket: str | None = None
    egress_port: int = 0
    # Likewise: where to open connections for the host's calls.
    dial_socket: str | None = None

    @property
    def transport_bytes(self) -> int:
        """The transports take 1 MiB more, so that our own check can name the payload."""
        return self.max_message_bytes + 1024 * 1024


def read_config(path: str) -> GuestConfig:
    """Reads the config file; unknown keys are ignored, missing ones raise KeyError."""
    raw = json.loads(Path(path).read_text(encoding="utf-8"))
    return GuestConfig(
        source_dir=raw["source_dir"],
        host_socket=raw["host_socket"],
        guest_socket=raw["guest_socket"],
        agents=tuple(AgentEntry(a["agent_id"], a["path"]) for a in raw.get("agents", [])),
        import_paths=tuple(raw.get("import_paths", [raw["source_dir"]])),
        lib_dir=raw.get("lib_dir"),
        max_message_bytes=int(raw.get("max_message_bytes", GuestConfig.max_message_bytes)),
        debugger=DebuggerConfig(**raw["debugger"]) if "debugger" in raw else None,
        store_embed=raw.get("store_embed"),
        store_ttl=raw.get("store_ttl"),
        auth_path=raw.get("auth_path"),
        app_path=raw.get("app_path"),
        allowed_types=tuple(raw.get("allowed_types", ())),
        egress_socket=raw.get("egress_socket"),
        egress_port=int(raw.get("egress_port", 0)),
        dial_socket=raw.get("dial_socket"),
    )


def socket_address(socket: str) -> str:
    """A gRPC address: paths are unix sockets, the rest (`127.0.0.1:1234`) is taken as it is."""
    return f"unix:{socket}" if "/" in socket and ":" not in socket else socket
