"""Which types of stored values become objects again, and nothing else: docs/compatibility.md.

Names in a checkpoint come from any writer. A name is looked up, it never makes a module be
imported, unless the setting `guest.allowed_types` has it.
"""

import importlib
import ipaddress
import pathlib
import re
import sys
import threading
from collections import deque
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any, is_typeddict
from uuid import UUID
from weakref import WeakSet, WeakValueDictionary
from zoneinfo import ZoneInfo

from .config import GuestConfig
from .declared_types import is_data, returned_by, schemas_of, types_of_channels, walk
from .own_modules import OwnModules

_VALUES = (
    *(date, datetime, time, timedelta, timezone, ZoneInfo, UUID, Decimal, set, frozenset, deque),
    *(pathlib.Path, pathlib.PosixPath, pathlib.WindowsPath),
    *(ipaddress.IPv4Address, ipaddress.IPv4Interface, ipaddress.IPv4Network),
    *(ipaddress.IPv6Address, ipaddress.IPv6Interface, ipaddress.IPv6Network),
)
_FUNCTIONS = {("re", "compile"): re.compile}
# Modules of LangGraph and LangChain whose classes are values, without side effects.
_LIBRARIES = frozenset(
    """
    langchain_core.messages.base langchain_core.messages.human langchain_core.messages.ai
    langchain_core.messages.system langchain_core.messages.chat langchain_core.messages.tool
    langchain_core.messages.function langchain_core.messages.modifier
    langchain_core.outputs.generation langchain_core.outputs.chat_generation
    langchain_core.outputs.chat_result langchain_core.outputs.llm_result
    langchain_core.outputs.run_info langchain_core.documents.base langchain_core.prompt_values
    langchain_core.agents langgraph.types langgraph.store.base
    """.split()  # noqa: SIM905  one name a line is a page
)


class RevivableTypes:
    """The list of one guest. What declares types is added as agents are loaded."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], Any] = {
            **{(one.__module__, one.__name__): one for one in _VALUES},
            # Where Python 3.13 has them.
            **{
                ("pathlib._local", one.__name__): one
                for one in _VALUES
                if one.__module__ == "pathlib"
            },
            **_FUNCTIONS,
        }
        # Weakly: a factory may make its state's classes anew for every run.
        self._declared: WeakValueDictionary[tuple[str, str], type] = WeakValueDictionary()
        self._walked: WeakSet[type] = WeakSet()
        self._own = OwnModules()
        self._allowed: frozenset[str] = frozenset()
        self._scanned: set[str] = set()
        self._loaded_modules = 0
        self._lock = threading.RLock()

    def configure(self, config: GuestConfig) -> None:
        """Sets where the agents' own code is, and what the setting `guest.allowed_types` names."""
        self._own.configure(config)
        self._allowed = frozenset(config.allowed_types)

    def add_graph(self, graph: Any) -> None:
        """What the graph's schemas declare may be revived from now on."""
        try:
            self._add_graph(graph)
            for _, inner in graph.get_subgraphs(recurse=True):
                self._add_graph(inner)
        except Exception:
            pass  # schemas that cannot be read are reported when the agent is described

    def _add_graph(self, graph: Any) -> None:
        schemas = schemas_of(graph)
        # A factory makes its graph for every run, and seldom of other schemas.
        if schemas and all(isinstance(one, type) and one in self._walked for one in schemas):
            return
        for declared in (*schemas, *types_of_channels(graph)):
            self._add(declared)

    def find(self, module: str, name: str) -> Any:
        """The type with this name, when it is on the list; otherwise None."""
        key = (module, name)
        if (found := self._values.get(key)) is not None:
            return found
        if (found := self._declared.get(key)) is not None:
            return found
        for look in (self._of_library, self._of_agent, self._of_setting):
            if (found := look(module, name)) is not None:
                return found
        return None

    def find_datetime(self, module: str, name: str) -> Any:
        """A kind of datetime of any module that is loaded (pandas has one), otherwise None."""
        found = _loaded(module, name)
        return found if isinstance(found, type) and issubclass(found, datetime) else None

    def _of_library(self, module: str, name: str) -> Any:
        if module not in _LIBRARIES:
            return None
        found = vars(importlib.import_module(module)).get(name)
        if not isinstance(found, type) or found.__module__ != module:
            return None
        self._values[(module, name)] = found
        return found

    def _of_agent(self, module: str, name: str) -> Any:
        self._scan()
        if (found := self._declared.get((module, name))) is not None:
            return found
        if not self._own.has(module):
            return None
        # A module has one name and perhaps older ones, which classes do not have.
        found = _loaded(module, name)
        return found if is_data(found) and self._own.has(found.__module__) else None

    def _of_setting(self, module: str, name: str) -> Any:
        if f"{module}.{name}" not in self._allowed and f"{module}.*" not in self._allowed:
            return None
        try:
            found = getattr(importlib.import_module(module), name)
        except Exception:
            return None
        return found if isinstance(found, type) else None

    def _scan(self) -> None:
        """Takes in what the agents' modules define that have been imported since the last time."""
        with self._lock:
            if len(sys.modules) == self._loaded_modules:
                return
            self._loaded_modules = len(sys.modules)
            for name in [name for name in list(sys.modules) if name not in self._scanned]:
                self._scanned.add(name)
                if not self._own.has(name):
                    continue
                for value in list(vars(sys.modules[name]).values()):
                    if is_data(value) and value.__module__ == name:
                        self._add(value)
                    elif type(value).__name__ == "_TaskFunction":  # what tasks return is stored
                        self._add(returned_by(value.func))

    def _add(self, declared: Any) -> None:
        def take(found: type) -> bool:
            if found in self._walked:
                return False
            self._walked.add(found)
            if is_data(found):
                self._declared[(found.__module__, found.__name__)] = found
                return True
            return is_typeddict(found)

        with self._lock:
            walk(declared, take)


def _loaded(module: str, name: str) -> Any:
    """What a loaded module has by this name, without asking its `__getattr__`."""
    return getattr(sys.modules.get(module), "__dict__", {}).get(name)


# Those of this process: the agents of one guest trust each other.
revivable = RevivableTypes()
