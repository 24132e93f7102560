"""The quickstart does what it says: its calls, in their order, answer with what the page shows.

Source: SVC-78. A block of the page is a part of the real answer; `…` stands for anything.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from markdown_it import MarkdownIt

from ingest.sample import load_sample
from server.app import App
from tests.interaction.conftest import Connect

pytestmark = pytest.mark.anyio
_CALL = re.compile(r"^call (\w+) '(.+)'$", re.MULTILINE)


def _steps() -> Iterator[tuple[str, str, Any]]:
    """The tool, the arguments and the shown part of the answer, of each call of the page."""
    called: re.Match[str] | None = None
    for token in MarkdownIt().parse(Path("docs/quickstart.md").read_text(encoding="utf-8")):
        if token.type == "fence" and token.info == "bash" and (match := _CALL.search(token.content)):
            assert called is None, "each call is followed by its answer"
            called = match
        elif token.type == "fence" and token.info == "json" and called:
            yield called[1], called[2], json.loads(token.content)
            called = None


def _shows(shown: Any, real: Any) -> bool:
    """Whether `shown` is a part of `real`: fields may be left out, and what follows in a list."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(key in real and _shows(shown[key], real[key]) for key in shown)
    if isinstance(shown, list):
        return isinstance(real, list) and len(shown) <= len(real) and all(map(_shows, shown, real))
    if isinstance(shown, str) and isinstance(real, str):
        return re.fullmatch(".+".join(map(re.escape, shown.split("…"))), real, re.DOTALL) is not None
    return bool(shown == real)


@pytest.mark.proves("SVC-78")
async def test_the_quickstart_does_what_it_says(app: App, connect: Connect, namespace: str) -> None:
    assert await load_sample(app.parts.graph, Path("docs/decisions"), namespace) is not None
    with anyio.fail_after(60):
        while await app.parts.graph.one("projection/pending", elements=[], limit=1):
            await anyio.sleep(0.05)
    steps = list(_steps())
    assert {tool for tool, _, _ in steps} >= {"record_decision", "supersede_decision", "graph_find_path"}
    in_force = ""
    async with connect() as client:
        for tool, arguments, shown in steps:
            answer = await client.call_tool(tool, json.loads(arguments.replace("decision_…", in_force)))
            assert _shows(shown, answer.structured_content), f"{tool} {arguments}\n{answer.structured_content}"
            assert answer.is_error == (shown.get("status") == "error")
            in_force = (answer.structured_content or {}).get("details", {}).get("active_decision_id") or in_force


def test_a_shown_answer_that_is_not_the_real_one_is_noticed() -> None:
    assert _shows({"a": [{"b": "x…z"}]}, {"a": [{"b": "xyz", "c": 1}, 2], "d": 0})
    assert not _shows({"a": [{"b": "x…z"}]}, {"a": [{"b": "xy"}]})
    assert not _shows({"a": 1}, {"b": 1})
    assert not _shows({"a": [1, 2]}, {"a": [1]})
