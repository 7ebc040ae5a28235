"""What of a request `@auth.authenticate` asks for, by the names of its parameters."""

import inspect
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

_SUPPORTED = (
    *("request", "body", "user", "path", "method", "scopes", "path_params", "query_params"),
    *("headers", "authorization", "scope"),
)


def parameters_of(handler: Callable[..., Any]) -> frozenset[str]:
    """Names that the handler wants; ValueError for one that it must have and cannot get."""
    parameters = inspect.signature(handler).parameters
    unknown = [
        name
        for name, parameter in parameters.items()
        if name not in _SUPPORTED
        and parameter.default is inspect.Parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if unknown:
        raise ValueError(
            f"authenticate wants {', '.join(unknown)}; it can have {', '.join(_SUPPORTED)}"
        )
    wanted = frozenset(name for name in parameters if name in _SUPPORTED)
    if wanted & {"request"}:
        import starlette.requests  # noqa: F401  refused now, and not with the first request
    return wanted


def arguments_of(request: Any, wanted: frozenset[str]) -> dict[str, Any]:
    """The arguments of one request. The body is not read: who calls is known before it arrives."""
    headers = {header.name.encode("latin-1"): header.value for header in request.headers}
    scope = _scope(request)
    authorization = headers.get(b"authorization")
    made: dict[str, Callable[[], Any]] = {
        "request": lambda: _starlette_request(scope),
        "body": lambda: None,
        "user": lambda: None,
        "path": lambda: request.path,
        "method": lambda: request.method,
        "scopes": lambda: [],
        "path_params": lambda: {},
        "query_params": lambda: _query(request.query),
        "headers": lambda: headers,
        "authorization": lambda: None if authorization is None else authorization.decode("utf-8"),
        "scope": lambda: scope,
    }
    return {name: made[name]() for name in wanted}


def _scope(request: Any) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": request.method,
        "path": request.path,
        "raw_path": request.raw_path,
        "root_path": "",
        "query_string": request.query.encode("latin-1", "replace"),
        "headers": [(header.name.encode("latin-1"), header.value) for header in request.headers],
        "path_params": {},
        "client": None,
        "server": None,
        "state": {},
    }


def _starlette_request(scope: dict[str, Any]) -> Any:
    from starlette.requests import Request

    async def receive() -> Any:
        raise RuntimeError("the body of a request cannot be had in authenticate")

    return Request(scope, receive)


def _query(text: str) -> Any:
    try:
        from starlette.datastructures import QueryParams
    except ImportError:
        return dict(parse_qsl(text, keep_blank_values=True))
    return QueryParams(text)
