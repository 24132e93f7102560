"""Promises about every file of cypher/."""

import re
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from server.graph.graph import Graph
from server.graph.statements import Statement, load, statements

pytestmark = pytest.mark.anyio
_NAMES = sorted(statements())
_WHOLE = {"backup/nodes", "backup/relations", "backup/foreign"}
"""Statements that are about everything that a namespace holds, of whatever family: all nodes are what they look at."""
# The first four mark what waits for something, so to read them all is to read the queue; of the others there are few.
_SHORT = {
    "Arriving",
    "Reindex",
    "Unprojected",
    "Unlinked",
    "Tombstone",
    "ProjectionClaim",
    "MemoryCollection",
    "Token",
    "Migration",
}


def _body(statement: Statement) -> str:
    return "\n".join(line for line in statement.text.splitlines() if not line.startswith("//"))


@pytest.mark.proves("SVC-65")
@pytest.mark.parametrize("name", _NAMES)
def test_a_statement_begins_with_one_sentence(name: str) -> None:
    assert re.fullmatch(r"[A-Z].+\.", load(name).summary)


@pytest.mark.proves("SVC-65")
@pytest.mark.parametrize("name", _NAMES)
def test_a_statement_declares_exactly_the_parameters_that_it_uses(name: str) -> None:
    statement = load(name)
    used = set(re.findall(r"\$(\w+)", re.sub(r"`[^`]*`|'[^']*'", "", _body(statement))))
    assert set(statement.parameters) == used


@pytest.mark.parametrize("name", _NAMES)
def test_a_statement_has_one_plan_because_its_parameters_are_one_map(name: str) -> None:
    statement = load(name)
    sent = set(re.findall(r"\$(\w+)", statement.query))
    maps = {each for each, declared in statement.parameters.items() if declared.startswith("MAP")}
    assert sent <= {"given", *maps}, "docs/decisions/0015"
    assert sent == statement.bind(statement.examples()).keys() - ({"given"} - sent)


def test_a_parameter_that_is_missing_or_unknown_is_never_taken_for_null() -> None:
    statement = load("entities/find_path")
    given = statement.examples()
    for wrong in ({**given, "begin": "here"}, {name: value for name, value in given.items() if name != "start"}):
        with pytest.raises(TypeError, match=r"find_path.*(begin|start)"):
            statement.bind(wrong)


@pytest.mark.proves("SVC-65")
@pytest.mark.parametrize("name", _NAMES)
async def test_a_statement_is_planned_without_a_warning_or_a_scan_of_all_nodes_of_a_kind(
    name: str, graph: Graph, driver: AsyncDriver
) -> None:
    statement = load(name)
    given = statement.bind(statement.examples())
    _, summary, _ = await driver.execute_query(f"EXPLAIN {statement.query}", given, database_="neo4j")
    assert [status.status_description for status in summary.gql_status_objects if status.is_notification] == []
    assert summary.query_type in {"read": {"r"}, "write": {"w", "rw"}}[statement.access]
    scans = {each for each in _operators(summary.plan) if re.match(r"AllNodesScan|\w*NodeByLabels?Scan", each)}
    assert {scan for scan in scans if not _is_allowed(name, scan)} == set()


def _operators(plan: dict[str, Any] | None) -> list[str]:
    """Each with what it is about, as in `NodeByLabelScan n:Entry`."""
    assert plan is not None
    here = f"{plan['operatorType'].partition('@')[0]} {plan['args'].get('Details', '')}"
    return [here, *(name for child in plan.get("children") or [] for name in _operators(child))]


def _is_allowed(statement: str, scan: str) -> bool:
    operator, _, about = scan.partition(" ")
    if operator == "AllNodesScan":
        return statement in _WHOLE
    return {*re.findall(r"\w+", about.partition(":")[2])} <= _SHORT


@pytest.mark.proves("SVC-63")
@pytest.mark.parametrize("name", [name for name in _NAMES if "change" in load(name).parameters])
def test_a_statement_that_leaves_a_change_leaves_it_in_the_one_form(name: str) -> None:
    assert load(name).access == "write"
    form = (
        r"MERGE \(who:Principal \{namespace: \$?namespace, name: \$change\.by\}\)\n"
        r" *CREATE \(who\)-\[:DID\]->\((change)?:Change \$change\)"
    )
    assert len(re.findall(form, _body(load(name)))) == 1, "docs/decisions/0012"
    assert len(re.findall(r"\$change\b(?!\.operation)", _body(load(name)))) == 2


def _one_line(name: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", _body(load(name))))


@pytest.mark.parametrize("name", [name for name in _NAMES if re.search(r"MERGE \(\w*:Entity\b", _body(load(name)))])
def test_a_statement_that_creates_entities_creates_them_in_the_one_form(name: str) -> None:
    text = _one_line(name)
    if "UNWIND" in text.partition("MERGE (entity:Entity")[0]:
        order = r"UNWIND [^;]* WITH (\w+, )?(\w+) ORDER BY \2\.name(, \2\.end)? MERGE \(entity:Entity"
        assert re.search(order, text), "else two writers who wait for each other's entities deadlock"
    entities = re.findall(r"MERGE \((\w*):Entity\b", text)
    for entity in entities:
        assert re.search(
            rf"MERGE \({entity}:Entity \{{namespace: \$namespace, name: [$.\w]+\}}\) ON CREATE SET "
            rf"{entity}\.node_id = (?P<id>[$.\w]+), {entity}\.label = [$.'\w]+,( {entity}:\$\([$.\w]+\),)? "
            rf"{entity}\.created_at = (?P<now>[$()\w]+), {entity}\.updated_at = (?P=now).*"
            rf"SET {entity}\.node_id = coalesce\({entity}\.node_id, (?P=id)\), {entity}\.scope = \$scope, "
            rf"{entity}\.name_key = (CASE WHEN {entity}\.name = )?[$.\w]+",
            text,
        ), "as in cypher/ingest/add_entities.cypher"


@pytest.mark.parametrize("name", [name for name in _NAMES if "[label IN labels(" in _body(load(name))])
def test_a_statement_that_returns_a_label_derives_it_in_one_form(name: str) -> None:
    """The label of an entity, or of any node that a path leads to; and the kind of a record."""
    forms = (
        r"coalesce\( ?(\w+)\.label, head\(\[label IN labels\(\1\) "
        r"WHERE NOT label IN \['Entity', 'Unprojected'\]\]\), 'Entity' ?\)",
        r"coalesce\((\w+)\.label, head\(\[label IN labels\(\1\) WHERE NOT label IN \['Passage', 'Unprojected'\]\]\)\)",
    )
    text = _one_line(name)
    shown = text.count("[label IN labels(") - text.count("former_labels = [label IN labels(")
    shown -= text.count("retracted_from = [label IN labels(") + text.count("AS revision, [label IN labels(")
    assert sum(len(re.findall(form, text)) for form in forms) == shown


def test_nodes_and_relationships_of_a_backup_convert_their_values_in_one_form() -> None:
    def conversion(name: str, start: str, variable: str) -> str:
        text = _one_line(name)
        return text[text.index(start) :].replace(f"{variable}[", "x[").replace(f"keys({variable})", "keys(x)")

    stored = [
        conversion(f"backup/{name}", "[key IN keys(", variable)
        for name, variable in (("nodes", "n"), ("relations", "r"))
    ]
    assert stored[0] == stored[1]
    restored = [
        conversion(f"backup/{name}", "FOREACH (each IN row.typed", variable).partition(" RETURN ")[0]
        for name, variable in (("add_nodes", "n"), ("add_relations", "r"))
    ]
    assert restored[0] == restored[1]


def test_every_statement_is_used() -> None:
    code = "\n".join(path.read_text() for folder in ("cli", "server", "ingest") for path in Path(folder).rglob("*.py"))
    assert [name for name in _NAMES if f'"{name}"' not in code] == []


async def test_planning_the_statements_runs_none_of_them(graph: Graph, driver: AsyncDriver) -> None:
    count = "MATCH (n {namespace: $namespace}) RETURN count(n) AS nodes"
    namespace = load("decisions/record_decision").examples()["namespace"]
    for name in _NAMES:
        await graph.plan(name)
    answer = await driver.execute_query(count, namespace=namespace, database_="neo4j")
    assert answer.records[0]["nodes"] == 0
