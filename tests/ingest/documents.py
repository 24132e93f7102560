"""All documents of a namespace as one comparable value."""

from typing import Any

from neo4j import AsyncDriver


async def list_documents(driver: AsyncDriver, namespace: str) -> list[dict[str, Any]]:
    """Every entry with its passages, mentions, source and what replaced it; without ids and clocks; sorted."""
    found = await driver.execute_query(
        "MATCH (e:Entry {namespace: $namespace}) "
        "OPTIONAL MATCH (by:Entry)-[replaced:SUPERSEDES]->(e) "
        "CALL (e) { OPTIONAL MATCH (e)<-[:PASSAGE_OF]-{0,1}(p:Passage) "
        "WITH p ORDER BY p.place, p.whole DESC "
        "RETURN collect(coalesce(p.text, p.body)) AS passages, collect(p.around) AS around } "
        "CALL (e) { OPTIONAL MATCH (e)-[:MENTIONS]->(m:Entity) WITH m ORDER BY m.name "
        "RETURN collect(m.name) AS mentions } "
        "CALL (e) { OPTIONAL MATCH (e)-[:FROM]->(s:Source) OPTIONAL MATCH (s)-[:PART_OF_RUN]->(run) "
        "RETURN collect(DISTINCT s {.uri, .kind, .name, .digest}) AS sources, count(run) AS runs } "
        "RETURN e.title AS title, e.body AS body, e.project AS project, e.type AS type, e.source_ref AS source_ref, "
        "e.metadata AS metadata, e.status AS status, e.hash AS hash, e.current_source AS current, labels(e) AS labels, "
        "passages, around, mentions, sources, runs, replaced.reason AS replaced, by.hash AS by "
        "ORDER BY source_ref, project, status, hash",
        namespace=namespace,
        database_="neo4j",
    )
    return [{**record.data(), "labels": sorted(record["labels"])} for record in found.records]
