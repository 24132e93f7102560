"""The rules of the house, kept by machine. Source: design.md section 2, the house rules of CONTRIBUTING.md."""

import ast
import re
import subprocess
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

_CODE = sorted(path for folder in ("server", "ingest") for path in Path(folder).rglob("*.py"))
_FAMILIES = ("decisions", "entities", "entries", "journal", "cognition", "evaluation", "sessions")
# Lower floors may not know upper ones: mcp, rest, cli → families → retrieval → ranking, vectors, embedding → graph
# → the ground.
_FLOORS = {
    "errors": 0, "types": 0, "settings": 0, "principals": 0, "logs": 0, "metrics": 0,
    "tools": 0, "resources": 0, "fields": 0, "envelopes": 0, "tasks": 0,
    "home": 0, "progress": 0, "files": 0,
    "graph": 1,
    "local": 2, "embedding": 2, "vectors": 2, "ranking": 2, "stack": 2, "providers": 2, "language": 2,
    "retrieval": 3,
    "decisions": 4, "entities": 4, "entries": 4, "journal": 4, "cognition": 4, "evaluation": 4, "sessions": 4,
    "access": 4, "gauges": 4,
    "mcp": 5, "rest": 5,
    "app": 6, "serve": 7, "upkeep": 7, "status": 7, "cli": 8, "__main__": 9,
}  # fmt: skip


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "server":
            yield from (f"server.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _room(path: Path) -> str:
    return path.parts[1].removesuffix(".py")


@pytest.mark.parametrize("path", [path for path in _CODE if path.parts[0] == "server"], ids=str)
def test_imports_run_one_way(path: Path) -> None:
    room = _room(path)
    if room == "__init__":
        return
    for name in _imports(path):
        if name.startswith("server."):
            other = name.split(".")[1]
            assert _FLOORS[other] <= _FLOORS[room], f"{path} reaches up to {name}"
            assert not (room in _FAMILIES and other in _FAMILIES and room != other), f"{path} imports {name}"


def test_the_map_of_the_house_names_every_room() -> None:
    told = Path("CONTRIBUTING.md").read_text()
    rooms = {_room(path) for path in _CODE if path.parts[0] == "server"} - {*_FAMILIES, "__init__", "__main__"}
    assert {room for room in rooms if f"server/{room}/`" not in told and f"{room}.py`" not in told} == set()


def test_no_two_rooms_need_one_another() -> None:
    needed: dict[str, set[str]] = {}
    for path in _CODE:
        if path.parts[0] == "server":
            others = {name.split(".")[1] for name in _imports(path) if name.startswith("server.")}
            needed.setdefault(_room(path), set()).update(others - {_room(path)})
    TopologicalSorter(needed).prepare()  # a `CycleError` names the rooms


@pytest.mark.parametrize("path", _CODE, ids=str)
def test_the_service_does_not_know_its_ingestion(path: Path) -> None:
    if path.parts[0] == "server" and _room(path) not in {"cli", "serve"}:
        assert not [name for name in _imports(path) if name.split(".")[0] == "ingest"]


@pytest.mark.parametrize("path", _CODE, ids=str)
def test_there_is_no_cypher_in_python(path: Path) -> None:
    cypher = re.compile(r"\b(MATCH|MERGE|UNWIND|OPTIONAL MATCH|DETACH DELETE)\s*[(\[$\w]|\bRETURN\s+\w+\s+AS\b")
    tree = ast.parse(path.read_text())
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings may quote it
    strings = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    ]
    assert [text for text in strings if cypher.search(text)] == []


@pytest.mark.parametrize("path", _CODE, ids=str)
def test_only_the_settings_read_the_environment(path: Path) -> None:
    if path == Path("server/settings.py"):
        return
    read = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    ]
    assert read == []


@pytest.mark.parametrize("path", _CODE, ids=str)
def test_only_the_seam_knows_the_driver(path: Path) -> None:
    if path.parts[:2] not in {("server", "graph"), ("server", "local")}:
        assert not [name for name in _imports(path) if name.split(".")[0] == "neo4j"]


def test_no_file_is_longer_than_400_lines() -> None:
    folders = ("server", "ingest", "tests", "benchmarks", "cypher")
    files = [path for folder in folders for path in Path(folder).rglob("*") if path.suffix in {".py", ".cypher"}]
    assert {str(path): n for path in files if (n := len(path.read_text().splitlines())) > 400} == {}


def test_nothing_tracked_names_a_registry_or_a_path_of_a_machine() -> None:
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    hosts = ("py" + "pi.org", "pythonhost" + "ed", "mav" + "en.org", "npm" + "js.", "hugging" + "face.co")
    found = []
    for name in tracked:
        path = Path(name)
        if path.suffix in {".png", ".svg"} or not path.is_file():
            continue
        text = path.read_text(errors="replace")
        found += [f"{name}: {host}" for host in hosts if host in text]
        found += [f"{name}: {match}" for match in re.findall(r"(?<![\w./])/(?:work|root|farm)/\w+", text)]
    assert found == []
