"""Vectors for the store's index: what `store.index.embed` may name, and what goes wrong with it."""

import asyncio
from array import array
from pathlib import Path

import pytest

from agent_runtime_guest import messages
from agent_runtime_guest.config import GuestConfig
from agent_runtime_guest.embedder import Embedder

from .guest_process import AGENTS_FOLDER, GuestProcess
from .host import MemoryHost


def _vectors(embed: str, texts: list[str], *, is_query: bool = False) -> list[list[float]]:
    embedder = Embedder(embed, GuestConfig(str(AGENTS_FOLDER), host_socket="", guest_socket=""))
    made = asyncio.run(embedder.vectors(texts, is_query=is_query))
    return [list(array("f", vector)) for vector in made]


@pytest.mark.parametrize("name", ["sync", "asynchronous", "model"])
def test_functions_of_both_kinds_and_langchains_embeddings(name: str) -> None:
    assert _vectors(f"./embedding.py:{name}", ["a", "abc"]) == [[1.0, 0.5], [3.0, 0.5]]


def test_a_query_is_embedded_as_one() -> None:
    assert _vectors("./embedding.py:model", ["abc"], is_query=True) == [[3.0, -0.5]]


@pytest.mark.parametrize(
    ("embed", "sentence"),
    [
        ("./embedding.py:failing", "no vectors today"),
        ("./embedding.py:wordy", "a vector is a str, not numbers"),
        ("./embedding.py:missing", "missing"),
        ("openai:text-embedding-3-small", "langchain"),
    ],
)
def test_a_failure_is_reported(embed: str, sentence: str) -> None:
    with pytest.raises(Exception, match=sentence):
        _vectors(embed, ["a"])


@pytest.mark.release  # two processes more
def test_the_guest_returns_vectors_or_the_error(folder: Path, host: MemoryHost) -> None:
    def ask(name: str) -> object:
        guest = GuestProcess(folder, host, {}, store_embed=f"./embedding.py:{name}")
        try:
            embed = f"./embedding.py:{name}"
            other = guest.embed(messages.EmbedRequest(texts=["abc"], embed="./other.py:f"))
            assert "another" in other.error.message
            return guest.embed(messages.EmbedRequest(texts=["abc"], embed=embed))
        finally:
            guest.close()

    assert list(array("f", ask("sync").vectors[0])) == [3.0, 0.5]
    error = ask("failing").error
    assert (error.type, error.message) == ("ValueError", "no vectors today")
