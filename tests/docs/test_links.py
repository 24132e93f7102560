"""Pages for people lead somewhere, and what they tell to type exists."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from server.core.settings import Settings
from tests.docs.commands import commands, targets

_PAGES = sorted([*Path().glob("*.md"), *Path("docs").rglob("*.md"), *Path("cypher").rglob("*.md")])
_SHELLS = {"bash", "sh", "console"}


@cache
def _tokens(path: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))


def _links(path: Path) -> Iterator[str]:
    for token in _tokens(path):
        for child in token.children or []:
            target = child.attrs.get("href") or child.attrs.get("src")
            if target:
                yield str(target)


@cache
def _anchors(path: Path) -> frozenset[str]:
    """The anchors that GitHub gives the headings of a page."""
    tokens = _tokens(path)
    headings = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)


def _typed(path: Path) -> Iterator[str]:
    """The commands in the shell blocks of a page, continued lines joined."""
    for token in _tokens(path):
        if token.type == "fence" and token.info.strip() in _SHELLS:
            for line in token.content.replace("\\\n", " ").splitlines():
                yield line.removeprefix("$ ").strip()


@pytest.mark.parametrize("path", _PAGES, ids=str)
def test_every_relative_link_leads_to_a_file_and_every_anchor_to_a_heading(path: Path) -> None:
    broken = []
    for link in _links(path):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file) if file else path
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.proves("SVC-78")
@pytest.mark.parametrize("path", _PAGES, ids=str)
def test_every_command_that_a_page_tells_to_type_exists(path: Path) -> None:
    wrong = [line for line in _typed(path) if (words := _words(line)) and not _exists(words)]
    assert wrong == []


def _words(line: str) -> list[str]:
    """The words of a call of `precedent` or make; none where the line calls something else."""
    words = shlex.split(line, comments=True)
    while words and re.fullmatch(r"[A-Z_0-9]+=.*", words[0]):
        words.pop(0)
    if words and Path(words[0]).name in {"precedent", "make"}:
        return [Path(words[0]).name, *words[1:]]
    return []


def _exists(words: list[str]) -> bool:
    program, *rest = words
    if program == "make":
        return {word for word in rest if "=" not in word} <= targets()
    for size in (2, 1):
        options = commands().get(" ".join(rest[:size]))
        if options is not None:
            used = [word.partition("=")[0] for word in rest[size:] if word.startswith("-")]
            return set(used) <= {*options, "--help"}
    return rest == ["--help"]


@pytest.mark.proves("SVC-78")
@pytest.mark.parametrize("path", _PAGES, ids=str)
def test_every_setting_that_a_page_names_exists(path: Path) -> None:
    known = {str(field.validation_alias) for field in Settings.model_fields.values()}
    known |= {"PRECEDENT_PUBLISH", "PRECEDENT_SOURCES"}  # of the compose file
    named = set(re.findall(r"\b(?:PRECEDENT|NEO4J|QDRANT|AGENT_MEMORY)_[A-Z_]+\b", path.read_text(encoding="utf-8")))
    assert named - known == set()


def test_the_checks_see_what_is_wrong() -> None:
    assert not _exists(_words("precedent serv"))
    assert not _exists(_words("PRECEDENT_PORT=1 .venv/bin/precedent serve --smaple docs"))
    assert not _exists(_words("make tset"))
    assert _exists(_words("precedent token create --name alice --role admin"))
    assert _words("claude mcp add precedent") == []
