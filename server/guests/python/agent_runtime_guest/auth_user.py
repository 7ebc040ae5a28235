"""Who makes a request: what `@auth.authenticate` returned, as JSON and back for `@auth.on`."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

# What LangGraph's own user types have as properties, which vars() does not show.
_MEMBERS = ("identity", "display_name", "is_authenticated", "permissions")


def user_to_json(returned: Any) -> dict[str, Any]:
    """The members of a returned user: a text is its identity; a pair is (permissions, user).

    Raises ValueError for what has no identity: no user is admitted by mistake.
    """
    permissions: Any = None
    user = returned
    if isinstance(returned, tuple):
        if len(returned) != 2:
            raise ValueError(f"a pair (permissions, user) is needed, not {len(returned)} values")
        permissions, user = returned
    members = _members(user)
    identity = members.get("identity")
    if not isinstance(identity, str) or identity == "":
        raise ValueError(
            "authenticate has to return a user: a text, or an object or dict with a text "
            f"`identity`; it returned {type(user).__name__}"
        )
    found = permissions if permissions is not None else members.get("permissions")
    return {
        "display_name": identity,
        "is_authenticated": True,
        **members,
        "permissions": [str(one) for one in found or ()],
    }


def _members(user: Any) -> dict[str, Any]:
    if isinstance(user, str):
        return {"identity": user}
    if isinstance(user, Mapping):
        return {str(key): value for key, value in user.items()}
    made = _dumped(user)
    for name in _MEMBERS:
        if name not in made and hasattr(user, name):
            made[name] = getattr(user, name)
    return made


def _dumped(user: Any) -> dict[str, Any]:
    if callable(dump := getattr(user, "model_dump", None)):
        return dict(dump(mode="json"))
    if dataclasses.is_dataclass(user) and not isinstance(user, type):
        return dataclasses.asdict(user)
    if callable(as_dict := getattr(user, "dict", None)):
        return dict(as_dict())
    shown = getattr(user, "__dict__", {})
    return {name: value for name, value in shown.items() if not name.startswith("_")}


class User(Mapping[str, Any]):
    """A user as handlers find it in `ctx.user`: its members are attributes and items."""

    def __init__(self, members: dict[str, Any]) -> None:
        self._members = members

    def __getattr__(self, name: str) -> Any:
        try:
            value = self.__dict__["_members"][name]
        except KeyError:
            raise AttributeError(f"the user has no {name!r}") from None
        return User(value) if isinstance(value, dict) else value

    def __getitem__(self, name: str) -> Any:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def dict(self) -> dict[str, Any]:
        """The members, as LangGraph's users have them too."""
        return dict(self._members)


def user_of(members: dict[str, Any], types: Any) -> Any:
    """The user again; the studio's is of the type that handlers ask for by isinstance."""
    if members.get("kind") == "StudioUser":
        return types.StudioUser(members["identity"], is_authenticated=True)
    return User(members)
