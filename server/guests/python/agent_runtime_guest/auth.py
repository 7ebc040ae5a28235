"""The manifest's `auth`: a langgraph_sdk.Auth object; who calls, and what they may do."""

import asyncio
import inspect
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from . import messages
from .auth_request import arguments_of, parameters_of
from .auth_user import user_of, user_to_json
from .errors import error_message

_IDS = ("thread_id", "run_id", "assistant_id")


class AuthHandlers:
    """The handlers of one Auth object."""

    def __init__(self, auth: Any) -> None:
        """Raises TypeError or ValueError for what cannot be asked."""
        from langgraph_sdk import Auth

        if not isinstance(auth, Auth):
            raise TypeError(f"auth is a {type(auth).__name__}; a langgraph_sdk.Auth is needed")
        handler = auth._authenticate_handler
        if handler is None:
            message = "auth has no @auth.authenticate handler: it would refuse every request"
            raise ValueError(message)
        self._types = Auth.types
        self._authenticate: Callable[..., Any] = handler
        self._parameters = parameters_of(handler)
        self._auth = auth

    async def authenticate(self, request: Any) -> Any:
        """Who makes the request, or how it is refused. Never raises: an error is a result too."""
        try:
            arguments = arguments_of(request, self._parameters)
            user = user_to_json(await _called(self._authenticate, arguments))
            return messages.AuthenticateResponse(user_json=_json(user))
        except asyncio.CancelledError:
            raise  # the host waits no longer
        except BaseException as error:
            return messages.AuthenticateResponse(**_failure(error))

    async def authorize(self, request: Any) -> Any:
        """The most specific handler's result; without one all is permitted, as with LangGraph."""
        try:
            value = _read(json.loads(request.value_json))
            handler = self._handler(request.resource, request.action)
            result = None
            if handler is not None:
                members = json.loads(request.user_json)
                ctx = self._types.AuthContext(
                    user=user_of(members, self._types),
                    permissions=members.get("permissions") or [],
                    resource=request.resource,
                    action=request.action,
                )
                result = await _called(handler, {"ctx": ctx, "value": value})
            return _response_of(result, value)
        except asyncio.CancelledError:
            raise
        except AssertionError as error:
            refusal = messages.Refusal(status=403, detail=str(error) or "Forbidden")
            return messages.AuthorizeResponse(refusal=refusal)
        except BaseException as error:
            return messages.AuthorizeResponse(**_failure(error))

    def _handler(self, resource: str, action: str) -> Any:
        handlers = self._auth._handlers
        for key in ((resource, action), (resource, "*"), ("*", action), ("*", "*")):
            if found := handlers.get(key):
                return found[-1]
        return self._auth._global_handlers[-1] if self._auth._global_handlers else None


async def _called(handler: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(handler):
        return await handler(**arguments)
    made = await asyncio.to_thread(handler, **arguments)
    return await made if inspect.isawaitable(made) else made


def _response_of(result: Any, value: dict[str, Any]) -> Any:
    if result is False:
        refusal = messages.Refusal(status=403, detail="Forbidden")
        return messages.AuthorizeResponse(refusal=refusal)
    if result is not None and result is not True and not isinstance(result, dict):
        raise TypeError(
            f"an @auth.on handler returns None, a bool or a filter, not {type(result).__name__}"
        )
    return messages.AuthorizeResponse(
        permitted=True,
        value_json=_json(value),
        filter_json=_json(result) if isinstance(result, dict) and result else "",
    )


def _failure(error: BaseException) -> dict[str, Any]:
    """A refusal for what carries a status, as HTTPExceptions do; otherwise the error itself."""
    status = getattr(error, "status_code", None)
    if isinstance(error, Exception) and isinstance(status, int) and 400 <= status <= 599:
        detail = getattr(error, "detail", None)
        text = str(error) if detail is None else str(detail)
        return {"refusal": messages.Refusal(status=status, detail=text[:2000])}
    return {"error": error_message(error)}


def _read(value: dict[str, Any]) -> dict[str, Any]:
    """Ids and namespaces in the types that handlers find under LangGraph's server."""
    for name in _IDS:
        if isinstance(value.get(name), str):
            try:
                value[name] = UUID(value[name])
            except ValueError:
                pass  # threads may have other ids here
    for name in ("namespace", "suffix"):
        if isinstance(value.get(name), list):
            value[name] = tuple(value[name])
    return value


def _json(value: Any) -> str:
    text = json.dumps(value, default=str, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")
