"""`search` as of a time: entries that were active then."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.core.principals import Principal
from server.vectors.projector import Projector
from tests.clock import take_time
from tests.conftest import Cypher
from tests.entities.corrections import retract_records
from tests.entries.conftest import Agent, Make
from tests.entries.test_correcting import Curator

pytestmark = [pytest.mark.anyio, pytest.mark.proves("MEM-68")]
_LONG = "The lighthouse keeper counts ships every evening and writes them down. "


async def _retract(cypher: Cypher, id_: str) -> None:
    found = await cypher(
        "MATCH (entry:Entry {namespace: $namespace, id: $id}) RETURN elementId(entry) AS element", id=id_
    )
    await retract_records(cypher, [row["element"] for row in found])


async def test_what_was_retracted_since_is_found_as_of_then(
    modern: Agent, cypher: Cypher, projector: Projector
) -> None:
    short = await modern.save("The parrot sings at noon.", project="zoo")
    long = await modern.save(_LONG * 40 + "Its parrot sings as well.", session_id="evening")
    stays = await modern.save("A parrot lives in the harbour.")
    await projector.drain()
    then = await take_time(cypher)
    later = await modern.save("Another parrot came.")
    for id_ in (short, long):
        await _retract(cypher, id_)
    await projector.drain()
    assert set(await modern.found("parrot")) == {stays, later}
    assert set(await modern.found("parrot sings", as_of=then)) == {short, long, stays}
    assert await modern.found("parrot", as_of=then, project="zoo") == [short]
    assert await modern.found("parrot", as_of=await take_time(cypher), project="zoo") == []
    [hit] = await modern.items("search", query="lighthouse keeper counts ships", as_of=then, limit=1)
    assert hit["id"] == long
    assert "words" in hit["matched"]
    whole = await modern.ask("search", query="parrot", as_of=then)
    pages = [(await modern.found("parrot", as_of=then, limit=1, offset=n)) for n in range(3)]
    assert [id_ for page in pages for id_ in page] == [item["id"] for item in whole["items"]]
    assert whole["total"] == 3


@pytest.mark.proves("MEM-69")
async def test_a_document_is_found_by_its_words_of_then(
    modern: Agent, cypher: Cypher, folder: Path, projector: Projector
) -> None:
    texts = {"short.md": "# Birds\n\nA heron stands.", "long.md": "# Sea\n\n" + _LONG * 40 + "A heron waits."}
    for name, text in texts.items():
        (folder / name).write_text(text)
    await modern.ask("ingest_docs", sources=["."])
    await projector.drain()
    then = await take_time(cypher)
    for name in texts:
        (folder / name).write_text("# New\n\nNothing is said of birds.")
    await modern.ask("ingest_docs", sources=["."])
    await projector.drain()
    assert {item["title"] for item in await modern.items("search", query="heron")} <= {"New"}
    hits = await modern.items("search", query="heron", as_of=then)
    assert {hit["title"] for hit in hits if "heron" in hit["snippet"]} == {"Birds", "Sea"}
    assert "New" not in {hit["title"] for hit in hits}
    now = await modern.items("search", query="heron", as_of=await take_time(cypher))
    assert "Birds" not in {hit["title"] for hit in now}


@pytest.mark.proves("MEM-69")
async def test_expired_and_changed_entries_count_as_they_were(modern: Agent, cypher: Cypher) -> None:
    id_ = await modern.save("The otter swims.", title="Otter")
    then = await take_time(cypher)
    await cypher(
        "MATCH (entry:Entry {namespace: $namespace, id: $id}) "
        "CREATE (:Change {namespace: $namespace, at: datetime.realtime()})-[was:WAS]->(entry) "
        "SET was = properties(entry) "
        "SET entry.title = 'Beaver', entry.valid_until = datetime() + duration('PT1H')",
        id=id_,
    )
    [hit] = await modern.items("search", query="otter", as_of=then)
    assert (hit["title"], hit["snippet"]) == ("Otter", "The otter swims.")
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    assert await modern.found("otter", as_of=tomorrow.isoformat()) == []
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date()
    nothing = await modern.ask("search", query="otter", as_of=yesterday.isoformat())
    assert nothing["message"] == "No memory of then matches. Try other words, or another as_of."
    refused = await modern.refused("search", query="otter", as_of="once")
    assert refused["code"] == "INVALID_ARGUMENT"


@pytest.mark.proves("MEM-69")
@pytest.mark.parametrize("more", ["", " " + _LONG * 40])
async def test_a_memory_that_was_changed_or_replaced_since_is_found_by_its_words_of_then(
    make: Make, principal: Principal, cypher: Cypher, projector: Projector, more: str
) -> None:
    async with Curator(make(), principal).connected() as curator:
        changed = await curator.save(f"The zebra lives in Lisbon.{more}", title="Zebra")
        replaced = await curator.save(f"A zebra came from Porto.{more}")
        await projector.drain()
        then = await take_time(cypher)
        await curator.ask("update_memory", id=changed, body="The giraffe lives in Lisbon.", reason="It was a giraffe.")
        await curator.save("An okapi came from Porto.", supersedes=[replaced], reason="It was an okapi.")
        await projector.drain()
        assert not {changed, replaced} & set(await curator.found("zebra", as_of=await take_time(cypher)))
        assert set(await curator.found("zebra", as_of=then)) == {changed, replaced}
        hits = {hit["id"]: hit for hit in await curator.items("search", query="zebra Lisbon", as_of=then)}
        assert "zebra lives in Lisbon" in hits[changed]["snippet"]
        assert hits[changed]["title"] == "Zebra"
        assert await curator.found("giraffe", as_of=then) == []
        assert await curator.found("giraffe") == [changed]
