"""What an installation imports: starts an interpreter for each case, as the sandbox does."""

import subprocess
import sys
from pathlib import Path

import pytest

import install_packages


@pytest.mark.parametrize("name", ["pip", "compileall"])
def test_nothing_is_imported_from_the_folder_that_is_installed(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("print('of the folder')")
    words = [*install_packages.PYTHON, "-m", name, "--help"]
    output = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "of the folder" not in output
    # It would win otherwise.
    words = [sys.executable, "-m", name, "--help"]
    output = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "of the folder" in output


def test_pip_and_what_compiles_run_so() -> None:
    text = Path(install_packages.__file__).read_text(encoding="utf-8")
    assert install_packages.PIP[:2] == install_packages.PYTHON
    assert text.count("sys.executable") == 1
