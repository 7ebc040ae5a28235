"""A chat model without a model: its output depends on the messages alone."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool


class Scripted(BaseChatModel):
    """Calls a tool on the message `use NAME {arguments}` if it has that tool; otherwise repeats."""

    tools: tuple[str, ...] = ()
    name: str | None = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "Scripted":
        names = tuple(convert_to_openai_tool(tool)["function"]["name"] for tool in tools)
        return self.model_copy(update={"tools": names})

    def _turn(self, messages: list[BaseMessage]) -> AIMessage:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return AIMessage(f"The tool says: {last.content}")
        words = last.text.split(maxsplit=2)
        if len(words) == 3 and words[0] == "use" and words[1] in self.tools:
            number = sum(isinstance(message, AIMessage) for message in messages)
            call = {"id": f"call_{number}", "name": words[1], "args": json.loads(words[2])}
            return AIMessage("", tool_calls=[call])
        return AIMessage(f"You said: {last.text}")

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._turn(messages))])

    def _stream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> Iterator[ChatGenerationChunk]:
        turn = self._turn(messages)
        for call in turn.tool_calls:
            chunk = {
                "index": 0,
                "id": call["id"],
                "name": call["name"],
                "args": json.dumps(call["args"]),
            }
            yield ChatGenerationChunk(
                message=AIMessageChunk("", tool_call_chunks=[chunk])  # type: ignore[list-item]
            )
        for word in turn.text.split(" ") if turn.text else []:
            yield ChatGenerationChunk(message=AIMessageChunk(word + " "))
