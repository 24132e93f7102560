"""Nodes with very many relations, which are read in parts."""

import pytest

from server.entities import service
from server.entities.models import Neighbor
from tests.conftest import Cypher
from tests.entities.conftest import Caller, create_graph

pytestmark = pytest.mark.anyio


@pytest.mark.proves("ENT-41")
async def test_a_node_with_very_many_relations_is_read_in_parts_and_each_row_is_on_one_page(
    caller: Caller, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = [("hub", "R", f"n{number:02}", number % 7 / 7) for number in range(30)]
    edges += [(f"n{number:02}", "RELATED", "hub", 0.5) for number in range(5)]
    edges += [("hub", "MENTIONS", f"n{number:02}", 0.5) for number in range(3)] + [("hub", "R", "hub", 1.0)]
    await create_graph(cypher, edges, ["hub"])
    for options in (
        {},
        *({"direction": direction} for direction in ("incoming", "outgoing")),
        *({"relation_type": relation} for relation in ("R", "RELATED", "MENTIONS", "IN")),
    ):
        monkeypatch.setattr(service, "_HUB", 5_000)
        complete = await caller.neighbors("hub", **options)
        monkeypatch.setattr(service, "_HUB", 3)
        monkeypatch.setattr(service, "_PART", 12)
        first = await caller.neighbors("hub", **options, limit=12)
        assert (first.total_rows, first.by_relation) == (complete.total_rows, complete.by_relation)
        assert first.start == complete.start
        order = [(-row.weight, row.name, row.relation, row.direction == "incoming") for row in first.neighbors]
        assert order == sorted(order)
        rows: list[Neighbor] = []
        following: int | None = 0
        while following is not None:
            page = await caller.neighbors("hub", **options, limit=7, offset=following)
            rows, following = rows + page.neighbors, page.next_offset
        assert sorted(map(repr, rows)) == sorted(map(repr, complete.neighbors))
