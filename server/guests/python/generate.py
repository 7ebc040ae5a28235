"""Writes the descriptor set of the guest contract next to the code that reads it.

Run with the interpreter of the development environment (it has grpcio-tools):
`python generate.py`, or `python generate.py --check` to fail when the committed file is stale.
Message classes are built from it at run time, so that the guest works with any protobuf
release the agent's environment has; generated stubs insist on one at least as new as themselves.
"""

import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
PROTO_ROOT = HERE.parent.parent / "proto"
PROTO_FILE = "guest/v1/guest.proto"
TARGET = HERE / "agent_runtime_guest" / "guest.binpb"


def descriptor_set() -> bytes:
    """Compiles the contract to a descriptor set, the same bytes for the same contract."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "guest.binpb"
        arguments = ["protoc", f"-I{PROTO_ROOT}", f"--descriptor_set_out={out}", PROTO_FILE]
        if protoc.main(arguments) != 0:
            raise SystemExit(f"protoc could not compile {PROTO_FILE}")
        return out.read_bytes()


def main() -> None:
    """Writes the file, or with --check compares it."""
    wanted = descriptor_set()
    if "--check" not in sys.argv[1:]:
        TARGET.write_bytes(wanted)
    elif not TARGET.exists() or TARGET.read_bytes() != wanted:
        raise SystemExit(f"{TARGET.name} is stale: run python generate.py")


if __name__ == "__main__":
    main()
