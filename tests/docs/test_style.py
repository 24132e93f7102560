"""The words that docs/style.md replaced stay out of names, comments, messages, statements and pages."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from tests.docs.contract import CODE, list_files, load_texts

_FUNCTIONS = {
    "told", "said", "spoken", "doing", "heard", "marked", "packed", "unpacked", "wanted", "fitted", "gathered",
    "carried_out", "whole_of", "whole_words", "usable", "ours", "beyond", "around", "again", "within",
}  # fmt: skip
"""Names that no function has, with or without underscores before them."""
_PHRASES = re.compile(
    r"\bis no time\b|\bfaults? of ours\b|\blook what stands between\b|\bnothing you can mend\b|\bno calendar has\b"
    r"|\blogged whole\b|\bmend(?:s|ed|ing)?\b|\bma(?:de|kes?) \w* ?anew\b|\bupkeep\b|\bof its own accord\b"
    r"|\bnobody comes in\b|\btakes? (?:it|itself) back\b|\ban ordinary day\b|\bshelf\b",
    re.IGNORECASE,
)
_TEXTS = (*CODE, "docs", "README.md", "CONTRIBUTING.md", "Makefile", "docker-compose.yml")
_LEFT_ALONE = ("docs/decisions/", "docs/reference/", "docs/style.md", "cypher/schema/", "benchmarks/decision_questions")
"""Accepted records and released migrations do not change; the reference is generated; the style names the words."""
_CLASSES_OF = ("server/", "ingest/", "cli/")


def _trees(*folders: str) -> list[tuple[str, ast.Module]]:
    paths = [name for name in sorted(list_files()) if name.startswith(folders) and name.endswith(".py")]
    return [(name, ast.parse(Path(name).read_text(encoding="utf-8"))) for name in paths]


def test_no_function_has_a_name_that_a_stranger_has_to_guess() -> None:
    found = [
        f"{path}:{node.lineno} {node.name}"
        for path, tree in _trees(*(f"{folder}/" for folder in CODE), "tests/", "docs/")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.strip("_") in _FUNCTIONS
    ]
    assert not found, "\n".join(found)


def test_no_text_has_a_phrase_that_the_style_replaced() -> None:
    found = [
        f"{path}:{number} {match[0]}"
        for path, text in load_texts(*_TEXTS)
        if not str(path).startswith(_LEFT_ALONE)
        for number, line in enumerate(text.splitlines(), 1)
        for match in _PHRASES.finditer(line)
    ]
    assert not found, "\n".join(found)


def test_no_two_classes_have_one_name() -> None:
    classes = defaultdict(list)
    for path, tree in _trees(*_CLASSES_OF):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(path)
    twice = [f"{name}: {', '.join(paths)}" for name, paths in sorted(classes.items()) if len(paths) > 1]
    assert not twice, "\n".join(twice)


def test_the_phrases_are_found_where_they_stand() -> None:
    assert _PHRASES.search("'soon' is no time; 30d is.")
    assert _PHRASES.search("vectors are made anew") is not None
    assert _PHRASES.search("a recommended way to amend a record, or to renew it") is None
