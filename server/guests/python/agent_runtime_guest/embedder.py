"""Vectors of texts, as `store.index.embed` of the manifest configures it, by LangGraph's rules."""

import asyncio
import sys
import threading
from array import array
from typing import Any

from .agent_import import import_variable
from .config import GuestConfig
from .errors import ServiceError


class Embedder:
    """Makes vectors with the agents' own packages; what it needs is imported at the first use."""

    def __init__(self, embed: str, config: GuestConfig) -> None:
        self.embed = embed
        self._config = config
        self._lock = threading.Lock()
        self._embeddings: Any = None

    async def vectors(self, texts: list[str], *, is_query: bool) -> list[bytes]:
        """One vector of little-endian float32 for each text. Raises what that code does."""
        embeddings = await asyncio.to_thread(self._load)
        if is_query:
            made = [await embeddings.aembed_query(text) for text in texts]
        else:
            made = await embeddings.aembed_documents(texts)
        return [_bytes_of(vector) for vector in made]

    def _load(self) -> Any:
        with self._lock:
            if self._embeddings is None:
                self._embeddings = self._resolve()
            return self._embeddings

    def _resolve(self) -> Any:
        from langgraph.store.base import ensure_embeddings

        source = self.embed.rpartition(":")[0]
        if source.endswith(".py"):
            source_dir, import_paths = self._config.source_dir, self._config.import_paths
            return ensure_embeddings(import_variable(self.embed, source_dir, import_paths))
        return ensure_embeddings(self.embed)


def _bytes_of(vector: Any) -> bytes:
    try:
        numbers = array("f", (float(number) for number in vector))
    except (TypeError, ValueError, OverflowError):
        kind = type(vector).__name__
        raise ServiceError("embedding_failed", f"a vector is a {kind}, not numbers") from None
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
