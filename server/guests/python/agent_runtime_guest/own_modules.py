"""Which of the loaded modules are the agents' own code."""

import os
import sys
import sysconfig
from types import ModuleType

from .config import GuestConfig

_INSTALLED = frozenset(("site-packages", "dist-packages"))


class OwnModules:
    """Those in the agents' folders, and of the packages that the manifest names for its agents."""

    def __init__(self) -> None:
        self._folders: tuple[str, ...] = ()
        self._packages: frozenset[str] = frozenset()
        self._known: dict[str, bool] = {}

    def configure(self, config: GuestConfig) -> None:
        """Takes the folders and packages from the guest's configuration."""
        folders = (config.source_dir, *config.import_paths)
        self._folders = tuple(os.path.join(os.path.realpath(one), "") for one in folders)
        sources = [entry.path.rpartition(":")[0] for entry in config.agents]
        modules = [one for one in sources if "/" not in one and not one.endswith(".py")]
        self._packages = frozenset(module.partition(".")[0] for module in modules)
        self._known.clear()

    def has(self, name: str) -> bool:
        """Whether the module with this name is loaded and the agents' own."""
        if name not in self._known:
            module = sys.modules.get(name)
            if module is None:
                return False
            is_named = name.partition(".")[0] in self._packages
            self._known[name] = is_named or self._is_in_folders(module)
        return self._known[name]

    def _is_in_folders(self, module: ModuleType) -> bool:
        file = getattr(module, "__file__", None)
        if not isinstance(file, str):
            return False
        file = os.path.realpath(file)
        if file.startswith(_OF_OTHERS):
            return False
        # An agent folder may have its environment in it.
        return any(
            _INSTALLED.isdisjoint(file.removeprefix(folder).split(os.sep))
            for folder in self._folders
            if file.startswith(folder)
        )


def _folders_of_others() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*(sysconfig.get_path(name) for name in names), os.path.dirname(__file__)]
    return tuple(os.path.join(os.path.realpath(folder), "") for folder in folders if folder)


_OF_OTHERS = _folders_of_others()
