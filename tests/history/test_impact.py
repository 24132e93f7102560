"""What depends on a thing or a decision."""

from datetime import UTC, datetime, timedelta

import pytest

from server.core.errors import InvalidArgument, NotFound
from server.core.principals import Principal, Role
from server.decisions.models import RecordDecision, SupersedeDecision
from server.decisions.service import DecisionService
from server.entities.models import AddEdge
from server.entities.service import EntityService
from server.history.impact import IGNORED, WIDEST
from server.history.impact_models import FindImpact, Impact
from server.history.service import HistoryService
from server.parts import Parts
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio


class _Asker:
    def __init__(self, parts: Parts, namespace: str) -> None:
        self.at = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.who = Principal("barbara", "human", Role.ADMIN, namespace)
        self.decisions = DecisionService(parts, cooldown=0, clock=lambda: self.at)
        self.entities = EntityService(parts.graph, parts.sequence, path_timeout=10)
        self.history = HistoryService(parts, clock=lambda: self.at)

    async def record(self, target: str, **more: object) -> str:
        request = {"title": f"About {target}", "target": target, "rationale": "For good reasons.", **more}
        return str((await self.decisions.record(RecordDecision.parse(request), self.who)).decision_id)

    async def relate(self, source: str, relation: str, target: str) -> None:
        request = {"source_name": source, "target_name": target, "relation": relation}
        await self.entities.add_edge(AddEdge.parse(request), self.who)

    async def impact(self, of: str, **more: object) -> Impact:
        return await self.history.impact(FindImpact.parse({"of": of, **more}), self.who)


@pytest.fixture
def asker(parts: Parts, namespace: str) -> _Asker:
    return _Asker(parts, namespace)


def _rows(answer: Impact) -> list[tuple[str, int, str, str | None]]:
    return [(each.id or each.name, each.distance, each.relation, each.via) for each in answer.affected]


@pytest.mark.proves("HIS-6", "HIS-8")
async def test_what_depends_on_a_thing_is_listed_nearest_first(asker: _Asker, cypher: Cypher) -> None:
    about = await asker.record("Redis")
    needs = await asker.record("cart cache", requires=[about])
    await asker.relate("Shop", "USES", "Redis")
    await asker.relate("Customer", "VISITS", "Shop")
    await cypher(
        "MATCH (thing:Entity {namespace: $namespace, name: 'Redis'}) "
        "CREATE (entry:Entry {namespace: $namespace, id: 'a memory', name: 'Redis swaps', status: 'active'}) "
        "CREATE (entry)-[:MENTIONS]->(thing)"
    )
    answer = await asker.impact("redis")
    assert _rows(answer) == [
        (about, 1, "ABOUT", None),
        ("Shop", 1, "USES", None),
        ("a memory", 1, "MENTIONS", None),
        (needs, 2, "REQUIRES", "About Redis"),
        ("Customer", 2, "VISITS", "Shop"),
    ]
    assert (answer.name, answer.total, answer.counts) == ("Redis", 5, {"decision": 2, "entity": 2, "memory": 1})
    assert _rows(await asker.impact("Redis", depth=1)) == _rows(answer)[:3]
    page = await asker.impact("Redis", limit=2, offset=2)
    assert (_rows(page), page.total, page.next_offset) == (_rows(answer)[2:4], 5, 4)
    assert (await asker.impact("Redis", limit=2, offset=4)).next_offset is None


@pytest.mark.proves("HIS-7")
async def test_what_is_not_in_force_depends_on_nothing(asker: _Asker) -> None:
    base = await asker.record("engine")
    old = await asker.record("cart cache", requires=[base])
    ending = await asker.record("queue", requires=[base], valid_until=(asker.at + timedelta(days=1)).isoformat())
    assert {each.id for each in (await asker.impact(base)).affected} == {old, ending}
    request = {"title": "t", "target": "cart cache", "rationale": "For better reasons.", "old_decision_ids": [old]}
    await asker.decisions.supersede(SupersedeDecision.parse(request), asker.who)
    asker.at += timedelta(days=2)
    answer = await asker.impact(base)
    assert (answer.affected, answer.total) == ([], 0)
    assert answer.message == "Nothing that is stored depends on it."
    assert (await asker.impact(old)).total == 0, "its successor does not depend on it"


@pytest.mark.proves("HIS-9")
async def test_a_hub_says_that_not_all_was_followed(asker: _Asker, cypher: Cypher) -> None:
    await cypher(
        "CREATE (hub:Entity {namespace: $namespace, name: 'hub', name_key: 'hub', node_id: -1}) "
        "WITH hub UNWIND range(1, $many) AS n "
        "CREATE (:Entity {namespace: $namespace, name: 'spoke ' + n, node_id: -1 - n})-[:USES]->(hub)",
        many=WIDEST + 10,
    )
    answer = await asker.impact("hub", depth=3)
    assert (answer.incomplete, answer.total) == (True, WIDEST)
    assert f"at least {WIDEST} entity" in answer.message


@pytest.mark.proves("HIS-8")
async def test_an_unknown_name_and_a_wrong_depth_are_refused(asker: _Asker) -> None:
    with pytest.raises(NotFound, match="graph_query_neighbors"):
        await asker.impact("nothing")
    for depth in (0, 4):
        with pytest.raises(InvalidArgument):
            await asker.impact("nothing", depth=depth)


def test_versions_of_a_decision_are_no_dependence() -> None:
    assert {"SUPERSEDES", "BECAME", "COMPETES_WITH", "PASSAGE_OF", "FORMER"} <= {*IGNORED}
