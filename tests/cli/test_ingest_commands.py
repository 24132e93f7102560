"""`precedent ingest …` as a person runs it."""

from pathlib import Path

import pytest
from anyio import to_thread
from neo4j import AsyncDriver
from typer.testing import CliRunner, Result

from cli.ingest_commands import app

pytestmark = pytest.mark.anyio


@pytest.fixture
def environment(neo4j: tuple[str, str, str], namespace: str, tmp_path: Path) -> dict[str, str]:
    uri, user, password = neo4j
    return {
        "NEO4J_URI": uri,
        "NEO4J_USERNAME": user,
        "NEO4J_PASSWORD": password,
        "PRECEDENT_HOME": str(tmp_path / "home"),
        "PRECEDENT_NAMESPACE": namespace,
    }


async def run(environment: dict[str, str], *arguments: str) -> Result:
    """Runs the command in a thread of its own, as it brings its own event loop."""
    return await to_thread.run_sync(lambda: CliRunner().invoke(app, list(arguments), env=environment))


def table(result: Result) -> dict[str, str]:
    rows = (line.split("│") for line in result.stdout.splitlines() if line.startswith("│"))
    return {cells[1].strip(): cells[2].strip() for cells in rows}


@pytest.mark.proves("ING-5")
async def test_triples_are_ingested_and_summed_up(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("a\tR\tb\nb\tR\tc\n")
    result = await run(environment, "triples", str(file))
    assert result.exit_code == 0, result.output
    assert table(result) | {"seconds": ""} == {
        "read": "2", "new": "2", "updated": "0", "unchanged": "0", "set aside": "0", "others affected": "0",
        "files passed over": "0", "new entities": "3", "seconds": "",
    }  # fmt: skip


@pytest.mark.proves("ING-3", "ING-4")
async def test_a_bad_record_is_named_with_file_and_line_and_the_command_exits_with_1(
    environment: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("a\tR\tb\n" + "not a [triple]\n" * 25)
    result = await run(environment, "triples", str(file))
    assert result.exit_code == 1
    assert f"set aside {file}:2: it has 1 fields" in result.stderr
    assert f"set aside {file}:21: " in result.stderr
    assert f"set aside {file}:22: " not in result.stderr
    assert "… and 5 more set aside" in result.stderr
    assert (table(result)["new"], table(result)["set aside"]) == ("1", "25")


@pytest.mark.proves("ING-1")
async def test_records_go_to_the_namespace_that_is_named_else_to_that_of_the_settings(
    environment: dict[str, str], driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.tsv"
    for name, options in (("a", []), ("b", ["--namespace", f"{namespace}-b"])):
        file.write_text(f"{name}\tR\t{name}\n")
        assert (await run(environment, "triples", str(file), *options)).exit_code == 0
    found = await driver.execute_query(
        "MATCH (e:Entity) WHERE e.namespace STARTS WITH $n RETURN e.name, e.namespace ORDER BY e.name",
        n=namespace,
    )
    assert [record.values() for record in found.records] == [["a", namespace], ["b", f"{namespace}-b"]]


@pytest.mark.proves("ING-33")
async def test_decisions_of_several_paths_are_ingested_and_disagreements_reported(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "0001-a.md").write_text("# A\n\nDate: 2020-01-01\n\nStatus: accepted\n\n## Decision\n\nA.\n")
    (tmp_path / "pep-0001.rst").write_text(
        "PEP: 1\nTitle: One\nStatus: Final\nCreated: 01-Jan-2000\nReplaces: 2\n\nA.\n"
    )
    result = await run(
        environment, "decisions", f"{tmp_path}/0001-a.md", f"{tmp_path}/pep-0001.rst", "--project", "shop"
    )
    assert result.exit_code == 0, result.output
    assert table(result)["new"] == "2"
    assert "note PEP 1: it supersedes PEP 2, which is not among the records" in result.stderr


@pytest.mark.proves("ING-3", "ING-5", "ING-49")
async def test_documents_are_ingested_and_a_bad_one_makes_the_command_exit_with_1(
    environment: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nAda wrote it.\n")
    (folder / "empty\udcff.md").write_text("")
    result = await run(environment, "docs", str(folder), "--project", "shop", "--type", "manual")
    assert result.exit_code == 1
    assert "empty\\udcff.md: it is empty" in result.stderr
    assert table(result) | {"seconds": ""} == {
        "read": "2", "new": "1", "updated": "0", "unchanged": "0", "set aside": "1", "retired": "0",
        "files passed over": "0", "seconds": "",
    }  # fmt: skip
    result = await run(environment, "docs", str(folder / "a.md"), "--project", "shop")
    assert (result.exit_code, table(result)["unchanged"]) == (0, "1")


@pytest.mark.proves("ING-59")
async def test_queries_are_ingested_and_the_id_of_each_is_printed(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "truth.jsonl"
    file.write_text('{"query": "Who keeps a parrot?"}\n{"query": "Who?", "expected": ["Nobody."]}\n')
    result = await run(environment, "ground-truth", str(file))
    assert result.exit_code == 1
    assert "note Who keeps a parrot?: its query_id is " in result.stderr
    assert f"set aside {file}:2: no insight has exactly this content: 'Nobody.'" in result.stderr
    assert table(result) | {"seconds": ""} == {
        "read": "2", "new": "1", "updated": "0", "unchanged": "0", "set aside": "1", "seconds": "",
    }  # fmt: skip
    assert table(await run(environment, "golden", str(file)))["set aside"] == "2"


@pytest.mark.proves("ING-6")
async def test_a_dry_run_writes_nothing(
    environment: dict[str, str], driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("a\tR\tb\n")
    result = await run(environment, "triples", str(file), "--dry-run")
    assert result.exit_code == 0
    assert "nothing was written" in result.stdout
    assert table(result)["new"] == "1"
    found = await driver.execute_query("MATCH (n {namespace: $n}) RETURN count(n) AS nodes", n=namespace)
    assert found.records[0]["nodes"] == 0


@pytest.mark.proves("ING-2")
async def test_a_path_that_does_not_exist_is_refused_before_anything_starts(environment: dict[str, str]) -> None:
    for command in ("triples", "decisions", "docs", "golden", "ground-truth"):
        result = await run(environment, command, "no/such/file.tsv")
        assert result.exit_code == 2
        assert "does not exist" in result.stderr


@pytest.mark.proves("ING-50")
async def test_a_file_whose_name_shows_no_format_needs_the_option(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "triples.data"
    file.write_text("a,R,b\n")
    assert (await run(environment, "triples", str(file))).exit_code == 1
    result = await run(environment, "triples", str(file), "--format", "csv")
    assert (result.exit_code, table(result)["new"]) == (0, "1")
