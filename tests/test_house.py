"""The rules of CONTRIBUTING.md that a machine can check."""

import ast
import re
import subprocess
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

_CODE = sorted(path for folder in ("cli", "ingest", "server") for path in Path(folder).rglob("*.py"))
_SERVER = [path for path in _CODE if path.parts[0] == "server"]
_FAMILIES = (
    "decisions",
    "entities",
    "entries",
    "journal",
    "cognition",
    "evaluation",
    "sessions",
    "curation",
    "history",
    "reflection",
)
# A room may import the rooms below it: app → mcp, rest, composition → services → families → parts, retrieval
# → ranking, vectors, embedding → graph → interface → core.
_FLOORS = {
    "core": 0,
    "interface": 1,
    "graph": 2,
    "local": 3, "embedding": 3, "vectors": 3, "ranking": 3, "language_models": 3,
    "retrieval": 4, "observability": 4, "parts": 4,
    "decisions": 5, "entities": 5, "entries": 5, "journal": 5, "cognition": 5, "evaluation": 5, "sessions": 5,
    "curation": 5, "history": 5, "reflection": 5,
    "access": 5,
    "services": 6,
    "mcp": 7, "rest": 7, "composition": 7,
    "app": 8,
}  # fmt: skip
_PACKAGES = {"server": 0, "ingest": 1, "cli": 2}


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


@pytest.mark.parametrize("path", _SERVER, ids=str)
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
    rooms = {_room(path) for path in _SERVER} - {*_FAMILIES, "__init__"}
    assert {room for room in rooms if f"server/{room}/`" not in told and f"{room}.py`" not in told} == set()


def test_no_two_rooms_need_one_another() -> None:
    needed: dict[str, set[str]] = {}
    for path in _SERVER:
        others = {name.split(".")[1] for name in _imports(path) if name.startswith("server.")}
        needed.setdefault(_room(path), set()).update(others - {_room(path)})
    TopologicalSorter(needed).prepare()  # a `CycleError` names the rooms


@pytest.mark.parametrize("path", _CODE, ids=str)
def test_commands_import_ingestion_and_ingestion_imports_the_server_never_back(path: Path) -> None:
    own = _PACKAGES[path.parts[0]]
    assert not [name for name in _imports(path) if _PACKAGES.get(name.split(".")[0], 0) > own]


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
    if path == Path("server/core/settings.py"):
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
    folders = ("cli", "server", "ingest", "tests", "benchmarks", "cypher")
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
