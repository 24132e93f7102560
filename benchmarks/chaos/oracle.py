"""The model that a round is held against: what the graph stores afterwards, and what the clients were answered.

Every acknowledged write is stored once and completely, every refused one is not, every other one completely or not at
all. The decisions of a target form one chain with one end in force; no strict search shows a decision after its
successor was acknowledged. Versions of a context have no gap; working memory has ten items at most; a name is one
entity.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from neo4j import AsyncDriver

from benchmarks.chaos.history import Call, History, build_text

_TOKEN = re.compile(r"[\w-]+x\d+x")
_CAPACITY = 10
# A record is complete with its text, the change of the audit trail, and, where it is found by meaning, its passages.
_STORED = """
MATCH (n {namespace: $namespace})
WHERE n:Decision OR n:Entry OR n:Message OR n:Context OR n:WorkingItem OR n:StaleItem OR n:Interaction
RETURN CASE
    WHEN n:Decision THEN 'decision' WHEN n:Entry THEN 'entry' WHEN n:Message THEN 'message'
    WHEN n:Context THEN 'context' WHEN n:Interaction THEN 'memory' ELSE 'item' END AS kind,
  coalesce(n.rationale, n.message_content, n.context_data, n.prompt, n.content, n.text, '') AS text,
  EXISTS { (:Change)-[:CHANGED]->(n) } AS changed,
  n:Passage OR EXISTS { (:Passage)-[:PASSAGE_OF]->(n) } AS passages
UNION ALL
MATCH (n:Entity {namespace: $namespace})<-[r:KNOWS]-(:Entity)
RETURN 'relation' AS kind, n.name AS text, true AS changed, true AS passages
"""
_DECISIONS = """
MATCH (d:Decision {namespace: $namespace})
RETURN d.id AS id, d.target AS target, d.status AS status,
  COUNT { (:Decision)-[:SUPERSEDES]->(d) } AS successors, COUNT { (d)-[:SUPERSEDES]->(:Decision) } AS predecessors
"""
_SHAPES = """
RETURN
  COLLECT { MATCH (c:Context {namespace: $namespace}) RETURN c.version ORDER BY c.version } AS versions,
  COUNT { MATCH (:WorkingItem {namespace: $namespace}) } AS items,
  COLLECT { MATCH (e:Entity {namespace: $namespace}) RETURN e.name } AS names,
  COUNT { MATCH (n:Unprojected {namespace: $namespace}) } AS unprojected
"""
_HAS_PASSAGES = {"decision", "entry", "message", "memory"}


@dataclass(slots=True)
class Verdict:
    """What a round broke, each with its token or target; all empty if the promises hold."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    half: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not (self.lost or self.doubled or self.half or self.wrong)

    def __str__(self) -> str:
        return " / ".join(str(len(each)) for each in (self.lost, self.doubled, self.half, self.wrong))


async def judge(driver: AsyncDriver, history: History) -> Verdict:
    """Compare what the graph stores with the history of a round."""
    verdict = Verdict()
    stored = await _run(driver, _STORED, history)
    _judge_writes(history, stored, verdict)
    _judge_decisions(history, await _run(driver, _DECISIONS, history), verdict)
    [shapes] = await _run(driver, _SHAPES, history)
    _judge_shapes(history, shapes, verdict)
    return verdict


async def _run(driver: AsyncDriver, text: Any, history: History) -> list[dict[str, Any]]:
    answer = await driver.execute_query(text, namespace=history.namespace, database_="neo4j")
    return [record.data() for record in answer.records]


def _judge_writes(history: History, stored: list[dict[str, Any]], verdict: Verdict) -> None:
    found: Counter[str] = Counter()
    for row in stored:
        match = _TOKEN.search(row["text"])
        if match is None:
            continue
        token = match[0]
        found[token] += 1
        text = json.loads(row["text"])["text"] if row["kind"] == "context" else row["text"]
        expected = token if row["kind"] == "relation" else build_text(token)
        has_passages = row["passages"] or row["kind"] not in _HAS_PASSAGES
        if text.removeprefix("[via MCP] ") != expected or not row["changed"] or not has_passages:
            verdict.half.append(f"{row['kind']} {token}")
    for call in history.calls:
        if not call.token:
            continue
        count = found[call.token]
        if count > 1:
            verdict.doubled.append(f"{call.kind} {call.token}")
        if call.outcome == "ok" and not count:
            verdict.lost.append(f"{call.kind} {call.token}")
        if call.outcome == "refused" and count:
            verdict.wrong.append(f"{call.kind} {call.token} was refused with {call.answer.get('code')} and is stored")


def _judge_decisions(history: History, decisions: list[dict[str, Any]], verdict: Verdict) -> None:
    by_target: dict[str, list[dict[str, Any]]] = {}
    for row in decisions:
        by_target.setdefault(row["target"], []).append(row)
    for target, rows in by_target.items():
        active = [row for row in rows if row["status"] == "active"]
        firsts = [row for row in rows if not row["predecessors"]]
        if len(active) != 1 or len(firsts) != 1 or any(row["successors"] > 1 for row in rows):
            verdict.wrong.append(f"{target}: {len(active)} in force, {len(firsts)} without a predecessor")
    verdict.wrong += _find_stale_answers(history)


def _find_stale_answers(history: History) -> Iterator[str]:
    """Yield each strict answer with a decision whose successor was acknowledged before the search began."""
    replaced = {call.replaces: call.ended for call in history.of("decision") if call.replaces and call.outcome == "ok"}
    for call in history.of("strict"):
        if call.outcome != "ok":
            continue
        results = call.answer.get("results", [])
        for hit in results:
            if replaced.get(hit["id"], call.started) < call.started:
                yield f"{call.about}: {hit['id']} was shown after its successor was acknowledged"
        if len(results) > 1:
            yield f"{call.about}: {len(results)} decisions in force at once"


def _judge_shapes(history: History, shapes: dict[str, Any], verdict: Verdict) -> None:
    versions = shapes["versions"]
    if versions != list(range(1, len(versions) + 1)):
        verdict.wrong.append(f"versions of the context: {versions}")
    for version, times in Counter(_list_versions(history.of("context"))).items():
        if times > 1:
            verdict.wrong.append(f"version {version} was given to {times} writers")
    if shapes["items"] > _CAPACITY:
        verdict.wrong.append(f"{shapes['items']} items in working memory")
    verdict.doubled += [f"entity {name}" for name, times in Counter(shapes["names"]).items() if times > 1]
    ids: dict[str, set[int]] = {}
    for call in history.of("entity"):
        if call.outcome == "ok":
            ids.setdefault(call.about, set()).add(call.answer["node_id"])
    verdict.wrong += [f"entity {name} had the ids {sorted(given)}" for name, given in ids.items() if len(given) > 1]
    if shapes["unprojected"]:
        verdict.wrong.append(f"{shapes['unprojected']} passages wait for their projection")


def _list_versions(calls: list[Call]) -> list[int]:
    return [call.answer["version"] for call in calls if call.outcome == "ok"]
