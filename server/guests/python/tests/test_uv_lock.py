"""What pip installs of a uv.lock."""

from pathlib import Path

import pytest

from agent_runtime_guest.uv_lock import Locked, UnusableLock, locked_packages

FOLDER = Path("/agent")
PYPI = {"registry": "https://pypi.org/simple"}


def _package(name, version="1", source=PYPI, **more):
    wheels = [{"url": "https://files/x.whl", "hash": f"sha256:{name}"}]
    return {"name": name, "version": version, "source": source, "wheels": wheels, **more}


def _lock(*packages, needs=()):
    root = {"name": "agents", "source": {"virtual": "."}, "dependencies": list(needs)}
    return {"version": 1, "package": [root, *packages]}


def test_pins_what_the_project_needs_and_that_needs_with_its_hashes():
    lock = _lock(
        _package("a", dependencies=[{"name": "b"}], sdist={"hash": "sha256:sdist"}),
        _package("b", "2"),
        _package("other"),
        needs=[{"name": "a"}],
    )
    locked = locked_packages(lock, FOLDER)
    assert locked.hashed == {
        "a": "a==1 --hash=sha256:sdist --hash=sha256:a",
        "b": "b==2 --hash=sha256:b",
    }
    assert (locked.plain, locked.versions) == ({}, {"a": "1", "b": "2"})


def test_takes_extras_that_are_asked_for_and_what_holds_for_this_python():
    socks = {"socks": [{"name": "socksio"}], "http2": [{"name": "h2"}]}
    lock = _lock(
        _package("httpx", **{"optional-dependencies": socks}),
        *map(_package, ["socksio", "h2", "old", "new"]),
        needs=[
            {"name": "httpx", "extra": ["socks"]},
            {"name": "old", "marker": "python_full_version < '3.9'"},
            {"name": "new", "marker": "python_full_version >= '3.9'"},
        ],
    )
    assert set(locked_packages(lock, FOLDER).hashed) == {"httpx", "socksio", "new"}


def test_takes_the_version_that_a_lock_that_forks_names():
    lock = _lock(_package("a", "1"), _package("a", "2"), needs=[{"name": "a", "version": "2"}])
    assert locked_packages(lock, FOLDER).versions == {"a": "2"}


def test_installs_no_code_of_folders_but_what_they_need():
    shared = {
        "name": "shared",
        "source": {"editable": "shared"},
        "dependencies": [{"name": "b"}],
    }
    lock = _lock(shared, _package("b"), needs=[{"name": "shared"}])
    assert locked_packages(lock, FOLDER).versions == {"b": "1"}


def test_names_other_sources_as_pip_does():
    lock = _lock(
        _package("g", source={"git": "https://host/g?rev=main&subdirectory=lib#c0ffee"}),
        _package("u", source={"url": "https://host/u.whl"}),
        _package("p", source={"path": "wheels/p.whl"}),
        _package("r", source={"registry": "https://index.example/simple"}),
        needs=[{"name": name} for name in "gupr"],
    )
    locked = locked_packages(lock, FOLDER)
    assert locked.plain == {"g": "g @ git+https://host/g@c0ffee#subdirectory=lib"}
    assert locked.hashed["u"] == "u @ https://host/u.whl --hash=sha256:u"
    assert locked.hashed["p"] == "p @ file:///agent/wheels/p.whl --hash=sha256:p"
    assert locked.indexes == {"https://index.example/simple"}


def test_is_nothing_where_the_lock_is_that_of_another_folder():
    assert locked_packages({"version": 1, "package": [_package("a")]}, FOLDER) is None


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [
        ({"version": 2}, "uv.lock has version 2, and 1 is known"),
        (_lock(needs=[{"name": "gone"}]), "uv.lock lacks gone"),
    ],
)
def test_names_what_is_wrong_with_a_lock(lock, sentence):
    with pytest.raises(UnusableLock, match=sentence):
        locked_packages(lock, FOLDER)


def test_two_locks_have_to_agree():
    both = Locked(versions={"a": "1"})
    both.add(Locked(versions={"a": "1", "b": "1"}))
    with pytest.raises(UnusableLock, match="different versions of a"):
        both.add(Locked(versions={"a": "2"}))
