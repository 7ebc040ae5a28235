"""A chat model that needs no network and no chance."""

from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Scripted(BaseChatModel):
    """Calls its tools one after the other for each question, and then answers."""

    calls: list[str]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        asked = max(at for at, one in enumerate(messages) if isinstance(one, HumanMessage))
        topic = str(messages[asked].content)
        made = sum(isinstance(message, ToolMessage) for message in messages[asked:])
        if made < len(self.calls):
            call = {"name": self.calls[made], "args": {"topic": topic}, "id": str(uuid4())}
            message = AIMessage("", tool_calls=[call])
        else:
            message = AIMessage(f"That is all about: {topic}")
        return ChatResult(generations=[ChatGeneration(message=message)])
