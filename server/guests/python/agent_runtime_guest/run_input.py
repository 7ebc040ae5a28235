"""What a graph starts with, from the request."""

import json
from typing import Any

from langgraph.types import Command, Send

from .auth_user import User
from .errors import ServiceError


def config_of(request: Any) -> dict[str, Any]:
    """The request's config with the run's own ids under `configurable`."""
    config = thread_config_of(request)
    config["configurable"].setdefault("run_id", request.run_id)
    return config


def thread_config_of(request: Any) -> dict[str, Any]:
    """The request's config with the thread's id under `configurable`."""
    config = parsed("config", request.config_json) if request.config_json else {}
    if not isinstance(config, dict):
        raise ServiceError("invalid_request", "The config is not an object.")
    configurable = config.setdefault("configurable", {})
    configurable.setdefault("thread_id", request.thread_id)
    if isinstance(user := configurable.get("langgraph_auth_user"), dict):
        configurable["langgraph_auth_user"] = User(user)
    return config


def factory_config_of(request: Any, config: Any) -> dict[str, Any]:
    """The same config as a factory finds it: with how the thread's newest run was configured."""
    if not request.factory_configurable_json:
        return dict(config)
    configured = parsed("configurable", request.factory_configurable_json)
    return {**config, "configurable": {**configured, **config["configurable"]}}


def start_of(request: Any) -> Any:
    """The input, the Command, or None to continue from the head checkpoint."""
    start = request.WhichOneof("start")
    if start == "input_json":
        return parsed("input", request.input_json)
    if start == "command_json":
        return command_of(parsed("command", request.command_json))
    return None


def command_of(raw: dict[str, Any]) -> Command:
    """LangGraph's Command from its JSON form, `goto` with node names or `{node, input}`."""
    goto = raw.get("goto") or ()
    targets = goto if isinstance(goto, list) else [goto] if goto else []
    update = raw.get("update")
    if isinstance(update, list):  # pairs of channel and value
        update = [tuple(pair) for pair in update]
    return Command(
        resume=raw.get("resume"),
        update=update,
        goto=[Send(t["node"], t.get("input")) if isinstance(t, dict) else t for t in targets],
    )


def parsed(what: str, text: str) -> Any:
    """The value of a JSON text of the request, which `what` names."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ServiceError("invalid_request", f"The {what} is not JSON: {error}.") from error
