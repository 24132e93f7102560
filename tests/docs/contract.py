"""Readers of the contract: its rows, the marks of tests that prove them, and what our files cite."""

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path("docs/contract")
CODE = ("server", "ingest", "cli", "cypher", "benchmarks")
"""The folders of code. Tests also name files that they make up."""

_ROW = re.compile(r"^\| ([A-Z]{3})-(\d+) \| (.+) \|$")
_ID = r"[A-Z]{3}-\d+"
_SOURCE = re.compile(rf"Source:\s+({_ID}(?:[,;\s#/*]+(?:and\s+)?{_ID})*)")
_PATH = re.compile(
    r"(?<![\w/.*<-])((?:server|ingest|cli|cypher|benchmarks|tests|docs)/[\w./-]+\.(?:py|cypher|md))(?![\w/])"
)
_PLACEHOLDER = re.compile(r"\b(?:NNNN?|0005-x)")
_RECORD = re.compile(r"\bdocs/decisions/(\d{4})\b")
_PAGE = re.compile(r"(?<![\w/.*<-])((?:[\w.-]+/)*[\w-]+\.md)\b")
_ISSUE = re.compile(r"""\b[Ii]ssue\s(?:\d|"[A-Z])|\(issue\)|;\sissue(?=[.,;"]|$)""")
_OUTSIDE = re.compile(r"open-question[s]|memory-core-res[t]|(?<![\w/-])(?:design|cognitive)\.md")
_BARE = re.compile(r"(?<![\w/-])(?:decisions|entries|journal|retrieval)\.md")


class Row(NamedTuple):
    """A row of the contract: one promise."""

    prefix: str
    number: int
    promise: str
    page: Path

    @property
    def id(self) -> str:
        return f"{self.prefix}-{self.number}"


class Citation(NamedTuple):
    """An id, or the name of a file, and the file that cites it."""

    cited: str
    path: Path


@cache
def load_rows() -> list[Row]:
    """The rows of all pages of the contract, in the order of the pages."""
    return [
        Row(match[1], int(match[2]), match[3], page)
        for page in sorted(FOLDER.glob("*.md"))
        for line in page.read_text(encoding="utf-8").splitlines()
        if (match := _ROW.match(line))
    ]


def group_numbers(rows: list[Row]) -> dict[str, list[int]]:
    """The numbers of the rows of each prefix, in the order in which they stand."""
    numbers = defaultdict(list)
    for row in rows:
        numbers[row.prefix].append(row.number)
    return dict(numbers)


@cache
def load_marks() -> list[Citation]:
    """The ids in the `proves` marks of all tests, read from the syntax: no test is imported."""
    return [
        Citation(name, path) for path in sorted(Path("tests").rglob("*.py")) for name in find_marks(path.read_text())
    ]


def find_marks(code: str) -> Iterator[str]:
    """The arguments of each `pytest.mark.proves(…)`."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "proves":
            for argument in node.args:
                yield ast.literal_eval(argument)


def find_sources(text: str, prefixes: set[str]) -> set[str]:
    """The ids in `Source:` lists, and every other id of a family of the contract."""
    listed = {name for found in _SOURCE.findall(text) for name in re.findall(_ID, found)}
    return listed | {name for name in re.findall(rf"\b{_ID}\b", text) if name.partition("-")[0] in prefixes}


def find_paths(text: str) -> set[str]:
    """The files of the repository that a text names by their path; a decision record is named by its number."""
    named = {path for path in _PATH.findall(text) if not _PLACEHOLDER.search(path)}
    return named | {f"docs/decisions/{number}" for number in _RECORD.findall(text)}


def find_pages(text: str) -> set[str]:
    """The Markdown files that a text names."""
    return {page for page in _PAGE.findall(text) if not _PLACEHOLDER.search(page)}


def find_outside(text: str, *, links: bool = False) -> set[str]:
    """The pages and issues that a text cites and the repository has not; in a page, a bare name may be a link."""
    bare = set() if links else set(_BARE.findall(text))
    return {*_ISSUE.findall(text), *_OUTSIDE.findall(text), *bare}


@cache
def list_files() -> frozenset[str]:
    """Every file of the repository, the new ones included, by its path."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return frozenset(name for name in listed if Path(name).is_file())


def is_file(name: str) -> bool:
    """Whether the repository has the file, or the decision record with the number."""
    return name in list_files() or any(path.startswith(f"{name}-") for path in list_files())


@cache
def load_texts(*locations: str) -> list[tuple[Path, str]]:
    """The text files in these folders, and these files."""
    suffixes = {".py", ".cypher", ".md", ".toml", ".json", ".yml", ".html"}
    paths = [Path(name) for name in sorted(list_files()) if any(_is_in(name, location) for location in locations)]
    return [(path, path.read_text(encoding="utf-8")) for path in paths if path.suffix in suffixes]


def _is_in(name: str, location: str) -> bool:
    return name == location or name.startswith(f"{location}/")
