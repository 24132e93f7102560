"""Records are exported and linked in the order of time, whatever their ids are."""

import json
from collections.abc import Sequence
from io import BytesIO
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.core.principals import Principal, Role
from server.sessions.service import SessionService
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio
_namespaces = count(1)
_ids = st.lists(st.text("abAB09_-", min_size=1, max_size=4), min_size=1, max_size=8, unique=True)


def _lines(memories: Sequence[str], summaries: Sequence[str]) -> bytes:
    memory_lines = [
        {
            "collection": "memories",
            "id": id_,
            "metadata": {
                "timestamp": f"2026-01-01T00:00:{second // 2:02}Z",  # two of each moment
                "sessionId": "s",
                "prompt": f"Question {second}?",
                "thought": "",
                "response": "Yes.",
            },
        }
        for second, id_ in enumerate(memories)
    ]
    summary_lines = [
        {
            "collection": "summaries",
            "id": f"summary_{id_}",
            "document": "They asked.",
            "metadata": {
                "timestamp": f"2026-01-01T00:01:{second:02}Z",
                "sessionId": id_,
                "title": "T",
                "category": "other",
                "memoryCount": 1,
            },
        }
        for second, id_ in enumerate(summaries)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in (*memory_lines, *summary_lines))


@pytest.mark.proves("SES-40", "SES-49")
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(memories=_ids, summaries=_ids)
async def test_each_record_is_exported_once_and_linked_in_the_order_of_time(
    service: SessionService, cypher: Cypher, namespace: str, memories: list[str], summaries: list[str]
) -> None:
    caller = Principal("ada", "human", Role.ADMIN, f"{namespace}-{next(_namespaces)}")
    await service.import_file(BytesIO(_lines(memories, summaries)), "merge", caller)
    file = b"".join([part async for part in service.export(["memories", "summaries"], caller)])
    exported = [json.loads(line) for line in file.splitlines()]
    in_time = [id_ for first in range(0, len(memories), 2) for id_ in sorted(memories[first : first + 2])]
    assert [line["id"] for line in exported if line.get("collection") == "memories"] == in_time
    assert [line["id"] for line in exported if line.get("collection") == "summaries"] == [
        f"summary_{id_}" for id_ in summaries
    ]
    await service.linker.drain(silent=0)
    said = await cypher(
        "MATCH (passage:Passage {namespace: $of})-[:PASSAGE_OF]->(memory:Interaction) "
        "RETURN memory.id AS id ORDER BY passage.place",
        of=caller.namespace,
    )
    assert [row["id"] for row in said] == in_time
