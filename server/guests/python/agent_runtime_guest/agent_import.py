"""Imports what the manifest names: `./folder/file.py:variable` or `package.module:variable`."""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


def add_import_paths(folders: Sequence[str]) -> None:
    """Puts the agents' folders on the path.

    At its end, as LangGraph's server does: an agent's `email.py` or `agents/` hides neither the
    standard library nor an installed package.
    """
    sys.path.extend(folder for folder in folders if folder not in sys.path)


def import_entry(path: str, source_dir: str, import_paths: Sequence[str]) -> tuple[ModuleType, str]:
    """The module that an entry of the manifest names, and the variable; raises what importing does.

    `import_paths` are the folders that `add_import_paths` was given, absolute.
    """
    source, separator, variable = path.rpartition(":")
    if not separator or not source or not variable:
        raise ValueError(f"{path!r} is not of the form file.py:variable or module:variable")
    is_file = source.endswith(".py") or "/" in source or "\\" in source
    module = _import_file(source, source_dir, import_paths) if is_file else _import_module(source)
    return module, variable


def import_variable(path: str, source_dir: str, import_paths: Sequence[str]) -> Any:
    """What an entry of the manifest names; raises likewise, or AttributeError."""
    module, name = import_entry(path, source_dir, import_paths)
    if not hasattr(module, name):
        raise AttributeError(f"{path.rpartition(':')[0]} has no variable {name!r}")
    return getattr(module, name)


def _import_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name != missing and not name.startswith(f"{missing}."):
            raise  # something that the module itself imports
        message = (
            f"there is no module {missing!r}, neither installed in {sys.prefix} nor in a folder of "
            'the manifest\'s "dependencies"; install its package or name its folder there'
        )
        raise ModuleNotFoundError(message, name=missing) from None


def _import_file(path: str, source_dir: str, import_paths: Sequence[str]) -> ModuleType:
    root = Path(source_dir).resolve()
    file = (root / path).resolve()
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    for folder in _naming_folders(file, [root, *(Path(one).resolve() for one in import_paths)]):
        # Under its natural name where possible, so that all importers share one module,
        # relative imports work, and stored objects find their class again after a restart.
        name = _name_below(folder, file)
        if name is None or not _is_own(name, folder, file):
            continue
        module = importlib.import_module(name)
        if _is_of(module, file):
            return module
    return _import_alone(path, file)


def _naming_folders(file: Path, folders: list[Path]) -> list[Path]:
    """The folders that can name this file, the one that its own code most likely names it by first.

    The deepest (`src` before the agent folder), but not one that is a package itself, nor the one
    with the file: relative imports need a package.
    """
    above = [folder for folder in dict.fromkeys(folders) if file.is_relative_to(folder)]

    def order(folder: Path) -> tuple[bool, bool, int]:
        is_package = (folder / "__init__.py").is_file()
        return (is_package, folder == file.parent, -len(folder.parts))

    return sorted(above, key=order)


def _name_below(folder: Path, file: Path) -> str | None:
    parts = file.relative_to(folder).with_suffix("").parts
    return ".".join(parts) if all(part.isidentifier() for part in parts) else None


def _is_own(name: str, folder: Path, file: Path) -> bool:
    """Whether the first part of the name means what is in this folder. Imports nothing."""
    first, dot, _ = name.partition(".")
    try:
        spec = importlib.util.find_spec(first)
    except (ImportError, AttributeError, ValueError):
        return False
    if spec is None:
        return False
    if not dot:
        return spec.origin is not None and Path(spec.origin).resolve() == file
    locations = [Path(one).resolve() for one in spec.submodule_search_locations or ()]
    return folder / first in locations


def _is_of(module: ModuleType, file: Path) -> bool:
    origin = getattr(module, "__file__", None)
    return origin is not None and Path(origin).resolve() == file


def _import_alone(path: str, file: Path) -> ModuleType:
    """A file whose natural name is taken or none, in a separate package made of its folder."""
    package = f"agent_{hashlib.sha256(path.encode()).hexdigest()[:8]}"
    stem = file.stem.replace(".", "_")
    name = f"{package}.{stem}"
    if name in sys.modules:
        return sys.modules[name]
    parent = ModuleType(package)
    parent.__path__ = [str(file.parent)]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    names = {package: parent, name: module}
    sys.modules.update(names)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        for known in names:
            del sys.modules[known]
        raise
    return module
