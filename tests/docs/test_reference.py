"""The reference equals what the code says. Source: SVC-77; rule 12 of CONTRIBUTING.md."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from docs import generate
from server.core import errors
from server.core.settings import Settings
from server.interface.resources import AnyResource
from server.interface.tools import AnyTool
from server.mcp.toolsets import RESOURCES, TOOLSETS
from tests.docs.commands import commands

_TOOLS = [tool for family in TOOLSETS.values() for tool in family]
_RESOURCES = [resource for family in RESOURCES.values() for resource in family]
_STATEMENTS = [path for path in sorted(Path("cypher").glob("*/*.cypher")) if path.parts[1] not in {"schema", "browser"}]


def _reference(name: str) -> str:
    return (generate.FOLDER / f"{name}.md").read_text(encoding="utf-8")


def _kinds(parent: type[errors.PrecedentError]) -> Iterator[type[errors.PrecedentError]]:
    for kind in parent.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield kind
            yield from _kinds(kind)


@pytest.mark.proves("SVC-77")
@pytest.mark.parametrize("name", generate.PAGES)
def test_a_page_of_the_reference_is_not_stale(name: str) -> None:
    assert _reference(name) == generate.page(name), "`make docs` writes it"


def test_no_page_of_the_reference_is_left_over() -> None:
    assert generate.stale() == []


@pytest.mark.parametrize("tool", _TOOLS, ids=lambda tool: tool.name)
def test_every_tool_stands_in_the_reference_with_each_of_its_arguments_and_answers(tool: AnyTool) -> None:
    part = _reference("tools").partition(f"\n### {tool.name}\n")[2].partition("\n### ")[0]
    arguments, _, answer = part.partition("| answer |")
    assert tool.description in part
    assert [name for name in tool.request.model_fields if f"| `{name}` |" not in arguments] == []
    schema = tool.output_schema()
    names = {name for form in [schema, *schema.get("anyOf", [])] for name in form.get("properties", {})}
    assert names
    assert [name for name in names if f"| `{name}` |" not in answer] == []


@pytest.mark.parametrize("resource", _RESOURCES, ids=lambda resource: resource.name)
def test_every_resource_stands_in_the_reference_with_its_parameters_and_what_it_lists(resource: AnyResource) -> None:
    part = _reference("resources").partition(f"\n### {resource.uri}\n")[2].partition("\n### ")[0]
    takes, _, lists = part.partition("| it lists |")
    assert resource.description in part
    assert [name for name in resource.parameters if f"| `{name}` |" not in takes] == []
    assert [name for name in resource.item.model_fields if f"| `{name}` |" not in lists] == []


@pytest.mark.proves("SVC-1")
@pytest.mark.parametrize("name", [str(field.validation_alias) for field in Settings.model_fields.values()])
def test_every_setting_stands_in_the_reference_with_its_meaning(name: str) -> None:
    meanings = {str(field.validation_alias): field.description for field in Settings.model_fields.values()}
    assert meanings[name], "a setting says what it means"
    assert f"| `{name}` |" in _reference("settings")


@pytest.mark.proves("SVC-50")
@pytest.mark.parametrize("kind", [kind for kind in _kinds(errors.PrecedentError) if "code" in vars(kind)])
def test_every_error_says_what_to_do_and_stands_in_the_reference(kind: type[errors.PrecedentError]) -> None:
    assert kind.__doc__
    assert f"| `{kind.code}` |" in _reference("errors")
    assert kind.code in (errors.__doc__ or ""), "the tree at the head of server/core/errors.py shows it"


@pytest.mark.parametrize("command", sorted(commands()))
def test_every_command_stands_in_the_reference_with_each_of_its_options(command: str) -> None:
    part = _reference("cli").partition(f"\n## precedent {command}\n")[2].partition("\n## ")[0]
    assert part.strip()
    assert [option for option in commands()[command] if f"`{option}`" not in part] == []


@pytest.mark.parametrize("path", _STATEMENTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_statement_stands_in_the_reference(path: Path) -> None:
    assert f"[{path.stem}](../../cypher/{path.parent.name}/{path.name})" in _reference("cypher")


def test_a_page_that_differs_fails_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "FOLDER", tmp_path / "docs" / "reference")
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    page = generate.FOLDER / "errors.md"
    page.write_text(page.read_text().replace("CONFLICT", "QUARREL"))
    assert generate.main(["--check"]) == 1
