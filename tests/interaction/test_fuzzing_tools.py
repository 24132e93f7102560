"""Tools under generated arguments: the answer is one that is described, and a refusal changes nothing.

TEST_FUZZ_CALLS says how many calls: the same few at each `make test`, many others in `make fuzz`.
"""

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator
from neo4j import AsyncDriver

from server.app import App
from server.core import errors
from tests.interaction.argument_grammar import fill_ids, generated_calls
from tests.interaction.calls import Ids, tour
from tests.interaction.conftest import Connect
from tests.interaction.foreign import leaves
from tests.interaction.tools import ANSWERS

pytestmark = pytest.mark.anyio
_FEW = 60
_CALLS = int(os.environ.get("TEST_FUZZ_CALLS", _FEW))
_SETTINGS = settings(
    max_examples=_CALLS,
    derandomize=_CALLS == _FEW,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
_CODES = {
    each.code for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.PrecedentError)
}
_INSIDE = re.compile(
    r"Traceback|site-packages|\.py\b|bolt://|neo4j\.exceptions|MATCH \(|RETURN \w+\.|pydantic|lucene\.", re.IGNORECASE
)
"""What no message to a caller contains."""
_LONG_ENOUGH = 4
"""Characters of an argument that is not counted as part of a message; to take out letters would hide what it says."""
_ALL = """
MATCH (n) WHERE n.namespace = $namespace AND NOT n:Tombstone AND NOT n:Sequence AND NOT n:Principal
RETURN elementId(n) AS id, [label IN labels(n) WHERE label <> 'Unprojected'] AS labels, properties(n) AS properties,
  COLLECT { MATCH (n)-[r]->(m) RETURN [type(r), elementId(m), properties(r)] } AS relations
ORDER BY id
"""


async def _digest(driver: AsyncDriver, namespace: str) -> str:
    rows = (await driver.execute_query(_ALL, namespace=namespace, database_="neo4j")).records
    lines = [json.dumps(row.data(), default=str, sort_keys=True) for row in rows]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.fixture
def era() -> str:
    """Both eras answer alike."""
    return "2026-07-28"


@dataclass
class Toured:
    """A namespace in which every tool was called once, with the ids that this left."""

    ids: Ids
    digest: str = ""
    """Of all that the namespace holds, or empty after a call that may have changed it."""


@pytest.fixture
async def toured(app: App, connect: Connect, driver: AsyncDriver, namespace: str, tmp_path: Path) -> Toured:
    async with connect(role="admin", kind="human") as client:
        return Toured(await tour(client, app, driver, namespace=namespace, folder=tmp_path))


@_SETTINGS
@given(generated_calls())
@pytest.mark.proves("SVC-50", "SVC-51")
@pytest.mark.timeout(60 + _CALLS)
async def test_whatever_is_sent_to_a_tool_the_answer_is_described_and_a_refusal_changes_nothing(
    toured: Toured, connect: Connect, driver: AsyncDriver, namespace: str, generated: tuple[str, dict[str, Any]]
) -> None:
    tool, arguments = generated[0], fill_ids(generated[1], toured.ids)
    toured.digest = toured.digest or await _digest(driver, namespace)
    async with connect(role="admin", kind="human") as client:
        result = await client.call_tool(tool, arguments)
    answer = dict(result.structured_content or {})
    if not result.is_error:
        toured.digest = ""
        Draft202012Validator(ANSWERS[tool]).validate(answer)
        return
    assert _find_code(answer) in _CODES - {errors.InternalError.code}, answer
    assert not _INSIDE.search(_hide_arguments(json.dumps(answer, ensure_ascii=False), arguments)), answer
    assert await _digest(driver, namespace) == toured.digest, f"{tool} was refused, and changed something: {answer}"


def _find_code(answer: dict[str, Any]) -> str:
    """The code of an error, which each family has in a place of its own."""
    if isinstance(error := answer.get("error"), dict):
        return str((error.get("details") or {}).get("reason") or error["code"])
    return str(answer["code"])


def _hide_arguments(message: str, arguments: dict[str, Any]) -> str:
    """The message without what the caller itself sent."""
    for part in leaves(arguments):
        if isinstance(part, str) and len(part) >= _LONG_ENOUGH:
            message = message.replace(part[:40], "")
    return message
