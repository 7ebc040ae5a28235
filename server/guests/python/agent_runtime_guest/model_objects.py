"""The chat model objects of the agents in this process, found without a change of LangChain.

A recorded call names its model's class and parameters, but not the object. Objects are found among
all that Python's garbage collector knows, which is every model that some code still refers to; it
does not show what is frozen at the start, so those are remembered before that.
"""

import gc
import json
import sys
import weakref
from dataclasses import dataclass
from typing import Any

from .projection import to_json


@dataclass(frozen=True)
class RecordedCall:
    """What a trace has of a call, to find the object that was called."""

    name: str
    model: str
    params: dict[str, Any]


_frozen: list["weakref.ref[Any]"] = []


def remember_models() -> None:
    """Before objects are frozen: those that importing the agents has made."""
    _frozen.extend(weakref.ref(model) for model in _collected())


def find_model(call: RecordedCall) -> Any:
    """The object that fits a recorded call best; None without one. May take a tenth of a second."""
    # The name is that of the class, unless the agent gives the call one of its own.
    is_class = any(kind.__name__ == call.name for kind in _classes())
    models = [found for found in _models() if not is_class or type(found).__name__ == call.name]
    ranked = [(rank, model) for model in models if (rank := _rank(model, call)) is not None]
    return min(ranked, key=lambda pair: pair[0])[1] if ranked else None


def own_params(model: Any) -> dict[str, Any]:
    """The parameters that a model is called with when it is given none, as traces have them."""
    try:
        params = json.loads(to_json(model._get_invocation_params(stop=None)))
    except Exception:  # a model of the agent's own that cannot tell
        return {}
    return params if isinstance(params, dict) else {}


def model_name(model: Any, **kwargs: Any) -> str:
    """The name that the provider knows a model by; empty when it is unknown."""
    try:
        name = model._get_ls_params(stop=None, **kwargs).get("ls_model_name")
    except Exception:
        return ""
    return name if isinstance(name, str) else ""


def _models() -> list[Any]:
    remembered = [model for known in _frozen if (model := known()) is not None]
    ids = {id(model) for model in remembered}
    return [*remembered, *(model for model in _collected() if id(model) not in ids)]


def _collected() -> list[Any]:
    # By identity: `isinstance` may run code of any object that is compared.
    ids = {id(kind) for kind in _classes()}
    return [found for found in gc.get_objects() if id(type(found)) in ids] if ids else []


def _classes() -> list[type]:
    library = sys.modules.get("langchain_core.language_models.chat_models")
    return [] if library is None else _with_subclasses(library.BaseChatModel)


def _with_subclasses(kind: type) -> list[type]:
    return [kind, *(below for sub in kind.__subclasses__() for below in _with_subclasses(sub))]


def _rank(model: Any, call: RecordedCall) -> tuple[bool, int, bool] | None:
    """The lower, the better; None: it was another model that was called."""
    params = own_params(model)
    different = sum(params[name] != call.params.get(name) for name in params)
    is_named = type(model).__name__ == call.name
    has_model = call.model != "" and model_name(model) == call.model
    has_params = bool(params) and different == 0
    if not (is_named or has_model or has_params):
        return None
    return (not is_named, different, not has_model)
