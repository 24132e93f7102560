"""What an older release stored is given what this one looks for: once, whoever does it, and with nothing lost."""

from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import pytest

from server.core.principals import Principal, Role
from server.decisions.models import RecordDecision, SearchDecisions
from server.decisions.reindexing import reindex_decisions
from server.decisions.service import DecisionService
from server.entries.models import SaveMemory, SearchEntries
from server.entries.service import EntryService, EntrySettings
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.parts import Parts
from server.retrieval.reindexing import Reindexer
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.models import AddMemory, QueryMemories
from server.sessions.service import SessionService
from server.vectors.projector import Projector
from tests.conftest import Cypher, Rows

pytestmark = pytest.mark.anyio
_SHORT = "Grace likes sailing."
_LONG = " ".join(f"In week {n} the heron of pond {n} was fed with fish number {n * 7}." for n in range(30))
_DOCUMENT = f"# Birds\n\nWhat we know of them.\n\n## Herons\n\n{_LONG}\n\n## Ospreys\n\nThey dive for pikes alone.\n"
_AS_BEFORE = """
MATCH (passage:Passage {namespace: $namespace})-[:PASSAGE_OF]->(:Decision)
DETACH DELETE passage;
MATCH (decision:Decision {namespace: $namespace})
SET decision:Reindex;
MATCH (whole:Passage {namespace: $namespace, whole: true})
WHERE whole.parts > 1 AND NOT whole.id STARTS WITH 'memory:'
DETACH DELETE whole;
MATCH (passage:Passage {namespace: $namespace})
SET passage:Reindex,
  passage.scope = passage.scope + ' record' + toString(passage.record)
    + CASE WHEN passage.session IS NULL THEN '' ELSE ' ' + passage.session + ' place' + toString(passage.place) END
REMOVE passage:Unprojected;
MATCH (whole:Passage {namespace: $namespace})
WHERE whole.id STARTS WITH 'memory:'
SET whole.scope = whole.scope + ' wholememoryns0123456789abcdef wholememoryns0123456789abcdeffedcba9876543210';
MATCH (whole:Passage {namespace: $namespace, whole: true})
WHERE whole.parts > 1
SET whole.words = '', whole.around = '', whole.place = null;
MATCH (passage:Passage {namespace: $namespace})
REMOVE passage.whole, passage.parts, passage.last_place;
"""
"""Turns what was just stored into what the release before stored of the same."""


class Home:
    """A namespace with records of every form, and what each of their passages holds."""

    def __init__(
        self,
        entries: EntryService,
        sessions: SessionService,
        decisions: DecisionService,
        cypher: Cypher,
        caller: Principal,
    ) -> None:
        self.entries = entries
        self.sessions = sessions
        self.decisions = decisions
        self.cypher = cypher
        self.caller = caller

    async def fill(self) -> None:
        for title, text, session in (
            ("", _SHORT, None),
            ("", _LONG, None),
            ("", _DOCUMENT, None),
            ("Bird book", _DOCUMENT, None),
            ("", _SHORT, "talk"),
            ("Herons", _LONG, "talk"),
            ("", "And cats, too.", "talk"),
        ):
            more = {} if session is None else {"session_id": session}
            await self.entries.save_memory(
                SaveMemory.parse({"text": text, "title": title, "allow_duplicate": True, **more}), self.caller
            )
        for response in ("In Lisbon.", _LONG):
            said = AddMemory(prompt="Where is the parrot?", thought="", response=response, sessionId="s")
            await self.sessions.add_memory(said, self.caller)
        for target, rationale in (("bird food", "Fish is what herons eat."), ("pond water", f"{_LONG} No chlorine.")):
            decision = {"title": f"Of {target}", "target": target, "rationale": rationale}
            await self.decisions.record(RecordDecision.parse(decision), self.caller)

    async def age(self) -> None:
        for statement in _AS_BEFORE.split(";")[:-1]:
            await self.cypher(statement)

    async def passages(self) -> dict[Any, dict[str, Any]]:
        """The passages by record and place, without what no two storings share."""
        rows = await self.cypher(
            "MATCH (passage:Passage {namespace: $namespace}) "
            "RETURN passage {.*, body: null, around: null, revision: null} AS passage, "
            "  COUNT { (passage)-[:PASSAGE_OF]->() } AS records, passage:Unprojected AS queued"
        )
        found: dict[Any, dict[str, Any]] = {}
        for row in rows:
            passage = row["passage"] | {"records": row["records"], "queued": row["queued"]}
            key = passage["record"], passage["whole"], passage["place"]
            assert key not in found, "of each there is one"
            if passage["scope"].startswith("decision") or (passage["whole"] and passage["parts"] > 1):
                del passage["id"]
            found[key] = passage
        return found

    async def waiting(self) -> int:
        [row] = await self.cypher("MATCH (n:Reindex {namespace: $namespace}) RETURN count(n) AS waiting")
        return int(row["waiting"])

    async def revisions(self) -> Rows:
        return await self.cypher("MATCH (p:Passage {namespace: $namespace}) RETURN p.id, p.revision ORDER BY p.id")


@pytest.fixture
def home(parts: Parts, cypher: Cypher, namespace: str) -> Home:
    return Home(
        EntryService(parts, settings=EntrySettings(project="home", docs_roots=(), closed=())),
        SessionService(parts, summariser=ExtractiveSummariser(parts.embedder)),
        DecisionService(parts, cooldown=0),
        cypher,
        Principal("ada", "agent", Role.ADMIN, namespace),
    )


@pytest.fixture
def reindexer(graph: Graph, sequence: IdSequence, projector: Projector) -> Callable[[], Reindexer]:
    """Makes one, as each process has it."""
    return lambda: Reindexer(graph, projector.wake, [partial(reindex_decisions, graph, sequence)])


@pytest.mark.proves("RET-3", "RET-26")
async def test_what_an_older_release_stored_becomes_what_is_stored_today(
    home: Home, reindexer: Callable[[], Reindexer]
) -> None:
    """By two processes at once; who comes later finds nothing to do."""
    await home.fill()
    today = await home.passages()
    await home.age()
    assert await home.waiting() > 50
    async with anyio.create_task_group() as tasks:
        for _ in range(2):
            tasks.start_soon(reindexer().drain)
    assert await home.passages() == today
    assert await home.waiting() == 0
    done = await home.revisions()
    await reindexer().drain()
    assert await home.revisions() == done


@pytest.mark.proves("RET-26")
async def test_what_an_older_release_stored_is_found_before_and_after(
    home: Home, reindexer: Callable[[], Reindexer], projector: Projector
) -> None:
    async def found() -> tuple[list[str], list[str], list[str]]:
        entries = await home.entries.search(SearchEntries.parse({"query": "ospreys dive for pikes"}), home.caller)
        memories = await home.sessions.query_memories(QueryMemories(query="parrot in Lisbon", nResults=5), home.caller)
        decisions = await home.decisions.search(SearchDecisions.parse({"query": "chlorine"}), home.caller)
        return (
            [item.title for item in entries.items][:2],
            [result.response for result in memories.results][:1],
            [result.target for result in decisions.results],
        )

    await home.fill()
    await projector.drain()
    best, said, decided = await found()
    assert (sorted(best), said, decided) == (
        sorted([_DOCUMENT[:120].strip(), "Bird book"]),
        ["In Lisbon."],
        ["pond water"],
    )
    await home.age()
    best, said, decided = await found()
    assert (len(best), said, decided) == (2, ["In Lisbon."], []), "a decision of old is found once it has passages"
    await reindexer().drain()
    await projector.drain()
    best, said, decided = await found()
    assert (sorted(best), said, decided) == (
        sorted([_DOCUMENT[:120].strip(), "Bird book"]),
        ["In Lisbon."],
        ["pond water"],
    )
