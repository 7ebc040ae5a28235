"""The language model of the examples: a stand-in that needs no network, or a real one.

Set EXAMPLE_MODEL to a model that LangChain knows (for example "openai:gpt-5-mini"), and install
`langchain` with the provider's package into examples/.venv: the agents talk to that model instead.
"""

import os
from collections.abc import Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult


class StandInModel(BaseChatModel):
    """Answers from its messages alone, the same way every time, and streams word by word."""

    @property
    def _llm_type(self) -> str:
        return "stand-in"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(answer(messages)))])

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for position, word in enumerate(answer(messages).split(" ")):
            text = word if position == 0 else f" {word}"
            yield ChatGenerationChunk(message=AIMessageChunk(text))


def answer(messages: list[BaseMessage]) -> str:
    """The stand-in's answer. It shows what the thread remembers of the conversation."""
    texts = [str(message.content) for message in messages if message.type == "human"]
    if len(texts) <= 1:
        return f'You said: "{texts[-1] if texts else ""}".'
    *_, before, last = texts
    return (
        f'You said: "{last}". Before that you said: "{before}". That makes {len(texts)} messages.'
    )


def load_model() -> BaseChatModel:
    """The model that EXAMPLE_MODEL names, or the stand-in."""
    name = os.environ.get("EXAMPLE_MODEL")
    if not name:
        return StandInModel()
    # Only needed here, hence not in requirements.txt.
    from langchain.chat_models import init_chat_model

    return init_chat_model(name)
