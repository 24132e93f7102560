"""`resume`: where an agent or a session was."""

from typing import Any

import pytest

from server.core.errors import InvalidArgument, NotFound
from server.core.fields import encode_json
from server.core.principals import Principal, Role
from server.graph.graph import Graph
from server.history.resume import SIZE_LIMIT, load_resume
from server.history.resume_models import Resume, ResumeAnswer
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio
_WORK = """
UNWIND range(1, $many) AS n
WITH n, datetime('2026-01-01T00:00:00Z') + duration({hours: n}) AS at
MERGE (agent:JournalAgent {namespace: $namespace, id: 'coder'})
MERGE (session:Session {namespace: $namespace, id: 'talk'})
MERGE (thing:Entity {namespace: $namespace, name: 'Redis', node_id: 1})
CREATE (context:Context {namespace: $namespace, id: 'c' + n, node_id: 100 + n, agent_id: 'coder', context_type: 'task',
  version: n, context_data: '{"step": ' + n + $long + '}', created_at: at, created_by: 'principal'})
CREATE (message:Message {namespace: $namespace, id: 'm' + n, node_id: 200 + n, agent_id: 'coder', sender: 'user',
  conversation_id: 'talk', message_content: 'message ' + n + $long, created_at: at, created_by: 'principal'})
CREATE (message)-[:IN]->(session), (message)-[:MENTIONS]->(thing)
CREATE (:Correction {namespace: $namespace, id: 'k' + n, node_id: 300 + n, agent_id: 'coder', correction_type: 'fix',
  applied_automatically: n % 2 = 0, corrected_value: $long, reason: 'r', created_at: at})
CREATE (episode:Episode {namespace: $namespace, id: 400 + n, node_id: 400 + n, query: 'q' + $long, reward: 0.5,
  reflection: 'lesson' + $long, created_at: at})
FOREACH (_ IN CASE WHEN n > 1 THEN [1] ELSE [] END | CREATE (episode)-[:MENTIONS]->(thing))
CREATE (:Decision {namespace: $namespace, id: 'd' + n, title: 't' + n + $long, target: 'x' + n, status: 'active',
  created_by: CASE WHEN n % 2 = 0 THEN 'principal' ELSE 'somebody' END, created_at: at})
CREATE (:Dialogue {namespace: $namespace, id: 500 + n, session_id: 'talk', speaker: 'Ada', content: 'd' + $long,
  created_at: at})
CREATE (:Entry {namespace: $namespace, id: 'e' + n, node_id: 600 + n, body: 'memory ' + n + $long,
  created_at: at})-[:IN]->(session)
MERGE (memory:WorkingMemory {namespace: $namespace})
CREATE (:WorkingItem {namespace: $namespace, id: n, content: 'item ' + n + $long, importance: 0.5,
  last_accessed: at})-[:IN]->(memory)
"""


class Agent:
    def __init__(self, graph: Graph, namespace: str) -> None:
        self._graph = graph
        self._caller = Principal("viewer", "agent", Role.VIEWER, namespace)

    async def resume(self, **asked: Any) -> ResumeAnswer:
        return await load_resume(self._graph, Resume.parse(asked), self._caller)


@pytest.fixture
def agent(graph: Graph, namespace: str) -> Agent:
    return Agent(graph, namespace)


@pytest.mark.proves("HIS-16", "HIS-17")
async def test_an_agent_continues_where_it_was(agent: Agent, cypher: Cypher) -> None:
    await cypher(_WORK, many=3, long="")
    found = await agent.resume(agent_id="coder")
    assert [each.id for each in found.contexts] == ["c3", "c2", "c1"]
    assert (found.contexts[0].type, found.contexts[0].data) == ("task", '{"step": 3}')
    assert [(each.id, each.session_id) for each in found.messages] == [("m3", "talk"), ("m2", "talk"), ("m1", "talk")]
    assert [each.id for each in found.corrections] == ["k3", "k1"], "those that nobody applied"
    assert [each.text for each in found.working_memory] == ["item 3", "item 2", "item 1"]
    assert [(each.id, each.shared) for each in found.lessons] == [(403, 1), (402, 1)], "those about the same things"
    assert [each.id for each in found.decisions] == ["d2"], "those of who wrote its journal"
    assert (found.memories, found.dialogues, found.left_out) == ([], [], 0)


@pytest.mark.proves("HIS-16", "HIS-17")
async def test_a_session_brings_its_memories_and_dialogues_and_the_agent_of_its_last_message(
    agent: Agent, cypher: Cypher
) -> None:
    await cypher(_WORK, many=2, long="")
    found = await agent.resume(session_id="talk")
    assert found.agent_id == "coder"
    assert [each.id for each in found.messages] == ["m2", "m1"]
    assert [each.id for each in found.memories] == ["e2", "e1"]
    assert [(each.id, each.speaker) for each in found.dialogues] == [("502", "Ada"), ("501", "Ada")]
    assert found.contexts[0].id == "c2"
    of_another = await agent.resume(session_id="talk", agent_id="another")
    assert (of_another.messages, of_another.contexts, len(of_another.memories)) == ([], [], 2)


@pytest.mark.proves("HIS-18")
async def test_the_answer_has_at_most_8_kb_and_counts_what_it_left_out(agent: Agent, cypher: Cypher) -> None:
    await cypher(_WORK, many=12, long=" 漢字" * 400)
    found = await agent.resume(session_id="talk")
    assert len(encode_json(found.model_dump(mode="json")).encode()) <= SIZE_LIMIT
    assert found.left_out > 0
    assert found.messages[0].id == "m12"
    assert found.messages[0].text.endswith("…")
    for name in ("contexts", "corrections", "working_memory", "lessons", "decisions"):
        assert getattr(found, name), name


@pytest.mark.proves("HIS-16", "HIS-20")
async def test_without_a_name_or_with_an_unknown_one_it_is_refused(agent: Agent, graph: Graph, cypher: Cypher) -> None:
    with pytest.raises(InvalidArgument, match="Give agent_id or session_id"):
        await agent.resume()
    with pytest.raises(NotFound, match="Nothing is stored of agent_id 'coder'"):
        await agent.resume(agent_id="coder")
    await cypher(_WORK, many=1, long="")
    with pytest.raises(NotFound):
        await Agent(graph, "another namespace").resume(session_id="talk")
