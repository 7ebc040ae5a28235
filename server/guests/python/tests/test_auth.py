"""Who calls and what they may do, by a manifest's `auth`. In this process: no guest is needed."""

import asyncio
import dataclasses
import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from langgraph_sdk import Auth

from agent_runtime_guest import messages
from agent_runtime_guest.auth import AuthHandlers

REFUSED = Auth.exceptions.HTTPException


def _auth(authenticate: Any = lambda: "ada") -> Auth:
    auth = Auth()
    auth.authenticate(authenticate)
    return auth


def _request(**fields: Any) -> Any:
    headers = [
        messages.HttpHeader(name=name, value=value.encode("latin-1"))
        for name, value in fields.pop("headers", {}).items()
    ]
    return messages.AuthenticateRequest(**{"method": "GET", "path": "/", **fields}, headers=headers)


def _authenticate(handler: Any, **fields: Any) -> Any:
    return asyncio.run(AuthHandlers(_auth(handler)).authenticate(_request(**fields)))


def _authorize(auth: Auth, resource: str, action: str, value: Any = None, user: Any = None) -> Any:
    request = messages.AuthorizeRequest(
        user_json=json.dumps(user or {"identity": "ada", "permissions": ["read"]}),
        resource=resource,
        action=action,
        value_json=json.dumps(value or {}),
    )
    return asyncio.run(AuthHandlers(auth).authorize(request))


@dataclasses.dataclass
class _Person:
    identity: str
    team: str


class _Object:
    is_authenticated = True
    permissions = ("a",)

    def __init__(self) -> None:
        self.identity = "ada"
        self._secret = "hidden"


@pytest.mark.parametrize(
    ("returned", "wanted"),
    [
        ("ada", {"identity": "ada"}),
        ({"identity": "ada", "team": {"id": 1}}, {"identity": "ada", "team": {"id": 1}}),
        ({"identity": "ada", "permissions": ("a", "b")}, {"permissions": ["a", "b"]}),
        ((["a"], "ada"), {"identity": "ada", "permissions": ["a"]}),
        (_Person("ada", "x"), {"identity": "ada", "team": "x", "display_name": "ada"}),
        (_Object(), {"identity": "ada", "permissions": ["a"], "is_authenticated": True}),
    ],
)
def test_takes_every_form_of_a_user(returned: Any, wanted: dict[str, Any]) -> None:
    user = json.loads(_authenticate(lambda: returned).user_json)
    assert wanted.items() <= user.items()
    assert {"identity", "display_name", "is_authenticated", "permissions"} <= user.keys()
    assert "_secret" not in user


@pytest.mark.parametrize(
    "returned", [None, "", {}, {"identity": 1}, {"identity": ""}, 5, (1, 2, 3)]
)
def test_refuses_a_user_without_an_identity(returned: Any) -> None:
    response = _authenticate(lambda: returned)
    assert response.user_json == ""
    assert response.error.code == "agent_error"


def test_gives_what_a_handler_names_by_its_parameters() -> None:
    async def handler(
        authorization: str | None,
        headers: dict[bytes, bytes],
        method: str,
        path: str,
        query_params: Any,
        path_params: Any,
        body: Any = 1,
        other: int = 2,
    ) -> dict[str, Any]:
        assert headers[b"x-key"] == b"\xe4"
        assert (method, path, query_params["a"], path_params) == ("POST", "/threads", "b", {})
        assert (body, other) == (None, 2)
        return {"identity": authorization or "nobody"}

    headers = {"authorization": "Bearer t", "x-key": "ä"}
    response = _authenticate(
        handler, method="POST", path="/threads", query="a=b&c", headers=headers
    )
    assert json.loads(response.user_json)["identity"] == "Bearer t", response.error
    # Without the header it is None, which the handler decides about.
    assert "x-key" in str(_authenticate(handler).error)


def _raise(error: BaseException) -> Any:
    def handler() -> str:
        raise error

    return handler


class _Other(Exception):
    status_code = 429
    detail = "slow down"


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (REFUSED(status_code=401, detail="Who?"), 401, "Who?"),
        (REFUSED(status_code=403), 403, "Forbidden"),
        (_Other(), 429, "slow down"),
    ],
)
def test_refuses_with_the_status_of_the_exception(
    error: BaseException, status: int, detail: str
) -> None:
    refusal = _authenticate(_raise(error)).refusal
    assert (refusal.status, refusal.detail) == (status, detail)


@pytest.mark.parametrize(
    "error", [ValueError("no"), AssertionError(), SystemExit(0), REFUSED(status_code=200)]
)
def test_any_other_exception_is_an_error_and_no_user(error: BaseException) -> None:
    response = _authenticate(_raise(error))
    assert (response.user_json, response.error.code) == ("", "agent_error")


def test_does_not_load_what_cannot_be_asked() -> None:
    with pytest.raises(ValueError, match=r"no @auth\.authenticate handler"):
        AuthHandlers(Auth())
    with pytest.raises(TypeError, match=r"a dict; a langgraph_sdk\.Auth is needed"):
        AuthHandlers({})
    with pytest.raises(ValueError, match="authenticate wants token; it can have"):
        AuthHandlers(_auth(lambda token: "ada"))


def test_asks_the_most_specific_handler() -> None:
    auth = _auth()
    asked: list[str] = []

    @auth.on
    async def anything(ctx: Any, value: Any) -> bool:
        asked.append("anything")
        return False

    @auth.on.threads
    async def threads(ctx: Any, value: Any) -> None:
        asked.append("threads")

    @auth.on.threads.create
    async def create(ctx: Any, value: Any) -> None:
        asked.append("create")

    assert _authorize(auth, "threads", "create").permitted
    assert _authorize(auth, "threads", "read").permitted
    refused = _authorize(auth, "store", "get")
    assert (refused.permitted, refused.refusal.status) == (False, 403)
    assert asked == ["create", "threads", "anything"]


def test_permits_what_no_handler_is_for() -> None:
    response = _authorize(_auth(), "threads", "read")
    assert (response.permitted, response.filter_json) == (True, "")


def test_gives_the_user_the_ids_and_takes_changes_back() -> None:
    auth = _auth()

    @auth.on.threads.create
    async def stamp(ctx: Any, value: dict[str, Any]) -> dict[str, str]:
        assert isinstance(value["thread_id"], UUID)
        assert (ctx.user.identity, ctx.user["team"].get("id"), ctx.permissions) == ("ada", 1, ["p"])
        assert "identity" in ctx.user
        assert (ctx.resource, ctx.action) == ("threads", "create")
        value.setdefault("metadata", {})["owner"] = ctx.user.identity
        return {"owner": ctx.user.identity}

    user = {"identity": "ada", "team": {"id": 1}, "permissions": ["p"]}
    thread_id = str(uuid4())
    response = _authorize(auth, "threads", "create", {"thread_id": thread_id}, user)
    assert response.permitted, response.error
    value = {"thread_id": thread_id, "metadata": {"owner": "ada"}}
    assert json.loads(response.value_json) == value
    assert json.loads(response.filter_json) == {"owner": "ada"}


def test_a_namespace_can_be_rewritten() -> None:
    auth = _auth()

    @auth.on.store()
    async def own(ctx: Any, value: dict[str, Any]) -> None:
        assert value["namespace"] == ("notes",)
        value["namespace"] = (ctx.user.identity, *value["namespace"])

    response = _authorize(auth, "store", "get", {"namespace": ["notes"], "key": "k"})
    assert json.loads(response.value_json)["namespace"] == ["ada", "notes"], response.error


def test_the_studio_is_recognised_by_its_type() -> None:
    auth = _auth()

    @auth.on
    async def studio_only(ctx: Any, value: Any) -> bool:
        return isinstance(ctx.user, Auth.types.StudioUser)

    studio = {"identity": "studio", "kind": "StudioUser"}
    assert _authorize(auth, "threads", "read", user=studio).permitted
    assert not _authorize(auth, "threads", "read").permitted


@pytest.mark.parametrize(
    ("returned", "status", "code"),
    [("yes", 0, "agent_error"), (1, 0, "agent_error"), ([], 0, "agent_error"), (False, 403, "")],
)
def test_what_is_neither_yes_nor_a_filter_permits_nothing(
    returned: Any, status: int, code: str
) -> None:
    auth = _auth()

    @auth.on
    async def handler(ctx: Any, value: Any) -> Any:
        return returned

    response = _authorize(auth, "threads", "read")
    assert (response.permitted, response.refusal.status, response.error.code) == (
        False,
        status,
        code,
    )


@pytest.mark.parametrize(
    ("error", "status"), [(AssertionError("not yours"), 403), (REFUSED(status_code=404), 404)]
)
def test_an_assertion_and_an_http_exception_refuse(error: BaseException, status: int) -> None:
    auth = _auth()

    @auth.on
    async def refuse(ctx: Any, value: Any) -> None:
        raise error

    response = _authorize(auth, "threads", "read")
    assert (response.permitted, response.refusal.status) == (False, status)


def test_any_other_exception_of_a_handler_permits_nothing() -> None:
    auth = _auth()

    @auth.on
    async def broken(ctx: Any, value: Any) -> None:
        raise KeyError("owner")

    response = _authorize(auth, "threads", "read")
    assert (response.permitted, response.error.type) == (False, "KeyError")
