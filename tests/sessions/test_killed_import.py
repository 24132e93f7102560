"""An import that dies leaves the state before it or the state after it, never a mixture."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from neo4j import AsyncDriver

from server.core.principals import Principal
from server.sessions.models import AddMemory, ListMemories, QueryMemories
from server.sessions.service import SessionService

pytestmark = pytest.mark.anyio
_FRESH = 250
"""More than a batch."""


def _line(number: int) -> str:
    said = {"prompt": f"Fresh question {number}?", "thought": "", "response": "A fresh answer."}
    metadata = {"sessionId": "fresh", "timestamp": f"2025-01-01T00:{number // 60:02}:{number % 60:02}Z", **said}
    return json.dumps({"id": f"mem_fresh_{number}", "metadata": metadata})


async def _count(service: SessionService, caller: Principal) -> tuple[int, int]:
    """The number of memories from before, and from the import."""
    sessions = [ListMemories(sessionId=name, limit=1) for name in ("old", "fresh")]
    old, fresh = [(await service.memories(asked, caller)).total for asked in sessions]
    return old, fresh


async def _left(driver: AsyncDriver, namespace: str) -> Sequence[Any]:
    answer = await driver.execute_query(
        "MATCH (c:MemoryCollection {namespace: $namespace}) RETURN c.state AS state ORDER BY state",
        namespace=namespace,
        database_="neo4j",
    )
    return [row["state"] for row in answer.records]


@pytest.mark.proves("SES-48")
@pytest.mark.parametrize(
    ("mode", "moment", "after"),
    [
        ("replace", "staging", (2, 0)),
        ("replace", "switching", (2, 0)),
        ("replace", "switched", (0, _FRESH)),
        ("merge", "switched", (2, _FRESH)),
    ],
)
async def test_a_killed_import_leaves_the_old_state_or_the_new_one(  # noqa: PLR0917 - pytest hands fixtures by name
    service: SessionService,
    caller: Principal,
    driver: AsyncDriver,
    neo4j: tuple[str, str, str],
    tmp_path: Path,
    mode: str,
    moment: str,
    after: tuple[int, int],
) -> None:
    for number in range(2):
        await service.add_memory(
            AddMemory(prompt=f"Old question {number}?", thought="", response="Old.", sessionId="old"), caller
        )
    file = anyio.Path(tmp_path / "fresh.jsonl")
    await file.write_text("\n".join(map(_line, range(_FRESH))))
    script = Path(__file__).with_name("killed_import.py")
    arguments = [sys.executable, str(script), *neo4j, caller.namespace, str(file), mode, moment]
    died = await anyio.run_process(arguments, check=False)
    assert died.returncode == 9, died.stderr.decode()
    assert await _count(service, caller) == after
    await service.linker.drain(silent=0)
    assert await _count(service, caller) == after
    assert set(await _left(driver, caller.namespace)) == {"live"}, "what was left behind is gone"
    found = await service.query_memories(QueryMemories(query="fresh answer", nResults=3), caller)
    assert {hit.session_id for hit in found.results} <= {"fresh" if after[1] else "old", "old" if after[0] else "fresh"}
    # And the same again, now whole.
    with (tmp_path / "fresh.jsonl").open("rb") as opened:
        imported = await service.import_file(opened, "replace", caller)
    assert imported.imported == _FRESH
    assert await _count(service, caller) == (0, _FRESH)
