"""Writes the reference in `docs/reference/` from the code: `python -m docs.generate`; `--check` only compares.

Every page is a function that returns Markdown; the text of a page comes from the code that it describes.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import cleandoc
from itertools import groupby
from pathlib import Path
from typing import Any

import typer

from cli.main import app as cli
from docs import access as access_pages
from docs import http as http_pages
from docs import resources as resource_pages
from docs.schemas import Field, fields, holds
from server.access.roles import TOOLS as TOOL_ROLES
from server.core import errors
from server.core.settings import Settings
from server.graph.statements import statements
from server.interface.tools import AnyTool
from server.mcp.toolsets import TOOLSETS
from server.observability.metrics import Metrics
from server.rest.app import build_api

FOLDER = Path(__file__).parent / "reference"


def tools() -> str:
    """Every MCP tool, by family."""
    intro = _prose("""
        What agents call over MCP. `PRECEDENT_TOOLSETS` or `--toolsets` selects the families to publish; the default
        is all, and `core` is a dozen tools of several families. An agent is listed the tools that its role may call.
        Arguments are checked strictly: unknown names (which entries and the journal's `get_*` tools ignore), null
        where the schema has none, and other types are refused, and the error names them. The entries family replaces
        a value out of range by the nearest valid one. Answers come as structured content and as the same JSON in
        text; a list with more items has `next_offset`. A call that returns an [error](errors.md) changes nothing.
        Every tool that writes accepts an `idempotency_key` of 1 to 200 printable characters, as an argument or in the
        `_meta` of the request: a call that is repeated with it within 24 hours gets the first answer.
    """)
    parts = ["# Tools", intro]
    for family, members in TOOLSETS.items():
        parts.append(f"## {family}")
        parts += [_tool(tool) for tool in members]
    return "\n\n".join(parts)


def _tool(tool: AnyTool) -> str:
    hints = [
        "only reads" if tool.read_only else "writes",
        *(["replaces what was there"] if tool.destructive else []),
        *(["reaches out to the web"] if tool.open_world else []),
        *(["the same call again changes nothing more"] if tool.idempotent and not tool.read_only else []),
    ]
    arguments = [
        [f"`{field.name}`", field.holds, _default(field), field.meaning] for field in fields(tool.input_schema())
    ]
    answer = [[f"`{field.name}`", field.holds, field.meaning] for field in fields(tool.output_schema(), nested=True)]
    return "\n\n".join(
        [
            f"### {tool.name}",
            tool.description,
            f"Role: {TOOL_ROLES[tool.name]}. It {'; '.join(hints)}.",
            _table(["argument", "type", "default", "meaning"], arguments),
            _table(["answer", "type", "meaning"], answer),
            tool.output_schema().get("description", ""),
        ]
    ).rstrip()


def _default(field: Field) -> str:
    if field.required:
        return "**required**"
    return "" if field.default is None else f"`{json.dumps(field.default, ensure_ascii=False)}`"


def settings() -> str:
    """Every environment variable."""
    schema = Settings.model_json_schema(by_alias=True)
    rows = [
        [f"`{name}`", _without_null(holds(part, schema)), _setting_default(name, part), part["description"]]
        for name, part in schema["properties"].items()
    ]
    return (
        "# Settings\n\nEnvironment variables, read once at the start. An empty value counts as not set.\n\n"
        + _table(["variable", "type", "default", "meaning"], rows)
    )


def _without_null(words: str) -> str:
    return words.removesuffix(" or null")


def _setting_default(name: str, part: Mapping[str, Any]) -> str:
    if name in {"PRECEDENT_HOME", "PRECEDENT_CACHE"}:
        return "the platform's user folder for " + ("data" if name == "PRECEDENT_HOME" else "caches")
    default = part.get("default")
    if default in (None, []):
        return "not set"
    return f"`{','.join(default) if isinstance(default, list) else default}`"


def error_codes() -> str:
    """Every error code."""
    tree = cleandoc(errors.__doc__ or "").split("\n\n")[1]
    rows = [
        [f"`{kind.code}`", kind.__bases__[0].__name__, " ".join((kind.__doc__ or "").split())]
        for kind in _kinds(errors.PrecedentError)
    ]
    intro = _prose("""
        Every failure that a caller can cause has a stable code and a sentence that says what to do, and leaves the
        store unchanged. Each family has its own form of an error: the decisions family
        `{"status": "error", "message", "code", "details"}`, entities, cognition and evaluation
        `{"error", "details", "tool", "code"}`, entries and the journal `{"error": {"code", "message", "details"}}`.
        The journal has codes of its own there, and these in `details.reason`. HTTP answers
        `{"error", "message", "code"}`, with [more codes](http.md) for malformed requests. The command line prints the
        code and the sentence on stderr and exits with 1.
    """)
    codes = _table(["code", "group", "what it means, and what to do"], rows)
    return "\n\n".join(["# Errors", intro, f"```text\n{tree}\n```", codes])


def _kinds(parent: type[errors.PrecedentError]) -> Iterator[type[errors.PrecedentError]]:
    """The kinds below `parent` that have a code of their own, in the order of the file."""
    for kind in parent.__subclasses__():
        if kind.__module__ == errors.__name__:
            if "code" in vars(kind):
                yield kind
            yield from _kinds(kind)


def command_line() -> str:
    """Every command."""
    root = typer.main.get_command(cli)
    parts = ["# Command line", str(root.help)]
    parts += [_command(name, command) for name, command in _commands("precedent", root)]
    return "\n\n".join(parts)


def _commands(prefix: str, group: Any) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(f"{prefix} {name}", command)
        else:
            yield f"{prefix} {name}", command


def _command(name: str, command: Any) -> str:
    arguments = [
        [_spelled(parameter), _format_default(parameter), parameter.help or ""]
        for parameter in command.params
        if not getattr(parameter, "hidden", False)
    ]
    usage = " ".join([name, *(f"{part}" for part in _usage(command))])
    parts = [f"## {name}", cleandoc(command.help or ""), f"```text\n{usage}\n```"]
    return "\n\n".join(
        [*parts, _table(["argument or option", "default", "meaning"], arguments)] if arguments else parts
    )


def _usage(command: Any) -> Iterator[str]:
    if any(parameter.param_type_name == "option" for parameter in command.params):
        yield "[OPTIONS]"
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            name = parameter.name.upper() + ("…" if parameter.nargs == -1 else "")
            yield name if parameter.required else f"[{name}]"


def _spelled(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.name.upper()}`"
    return " / ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])


def _format_default(parameter: Any) -> str:
    if parameter.required:
        return "**required**"
    default = parameter.default
    if isinstance(default, bool):
        # A flag is off, or on with another one that turns it off.
        return "on" if default else "off"
    return "" if default is None or callable(default) else f"`{default}`"


def cypher() -> str:
    """Every statement that code runs."""
    intro = _prose("""
        All queries of the service: each statement is a file in `cypher/`, and any of them can be pasted into Neo4j
        Browser. [cypher/browser](../../cypher/browser/README.md) has more queries, for people.
    """)
    parts = ["# Statements", intro]
    for family, members in groupby(statements().items(), lambda item: item[0].partition("/")[0]):
        rows = [
            [
                f"[{name.partition('/')[2]}](../../cypher/{name}.cypher)",
                statement.summary,
                statement.access,
                ", ".join(f"`{parameter}`" for parameter in statement.parameters),
            ]
            for name, statement in members
        ]
        parts.append(f"## {family}\n\n" + _table(["statement", "what it does", "access", "parameters"], rows))
    return "\n\n".join(parts)


def metrics() -> str:
    """Every metric of `/metrics`."""
    rows = [
        [f"`{family.name}{'_total' if family.type == 'counter' else ''}`", family.type, family.documentation]
        for family in Metrics().registry.collect()
    ]
    return "# Metrics\n\n`GET /metrics` answers in Prometheus' text format.\n\n" + _table(
        ["metric", "kind", "meaning"], rows
    )


def http() -> str:
    """Every route of the HTTP service."""
    description = build_api().openapi()
    rows = http_pages.overview(description)
    rows += [
        ["`POST /mcp`", "MCP over streamable HTTP: [tools](tools.md)."],
        ["`GET /docs`", "These routes, to read and to try."],
        ["`GET /openapi.json`", "The same for programs."],
    ]
    intro = _prose("""
        All endpoints are on one port (`PRECEDENT_PORT`, 8001). Requests with a foreign host or origin are refused
        (421, 403). On loopback no credential is needed until the first token exists; from then on, and always on any
        other address, callers need `Authorization: Bearer …` (else 401), except for `/healthcheck`, `/docs` and
        `/openapi.json`. A caller above `PRECEDENT_RATE_LIMIT` gets 429 with the time to wait. A failure is
        `{"error", "message", "code"}` and changes nothing: [errors](errors.md); it is `DB_CONNECTION_ERROR` (503)
        while Neo4j does not answer. Bodies are JSON of at most 1 MiB (413).
    """)
    codes = _table(["code", "status", "when"], http_pages.codes())
    return "\n\n".join(
        [
            *("# HTTP", intro, _table(["route", "what it does"], rows)),
            *("## Errors before an endpoint is reached", codes),
            *http_pages.details(description, _table),
        ]
    )


def resources() -> str:
    """Every MCP resource, by family."""
    return resource_pages.page(_table)


def access() -> str:
    """Every tool, resource and endpoint with its least role."""
    return access_pages.page(_table)


PAGES: Mapping[str, Callable[[], str]] = {
    "tools": tools,
    "resources": resources,
    "access": access,
    "settings": settings,
    "errors": error_codes,
    "cli": command_line,
    "http": http,
    "metrics": metrics,
    "cypher": cypher,
}


def _prose(text: str) -> str:
    """A paragraph without the line breaks of its source."""
    return " ".join(text.split())


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table without its empty columns."""
    columns = [
        [title, "---", *cells]
        for title, *cells in zip(head, *([_cell(cell) for cell in row] for row in rows), strict=True)
        if any(cells)
    ]
    lines = list(zip(*columns, strict=True))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def page(name: str) -> str:
    """The text of a page."""
    return f"<!-- Written by `make docs` from the code; do not edit. -->\n{PAGES[name]().rstrip()}\n"


def stale() -> list[Path]:
    """The pages whose files differ from the code, and files that are not pages."""
    wrong = [path for name in PAGES if not (path := FOLDER / f"{name}.md").is_file() or path.read_text() != page(name)]
    return wrong + [path for path in sorted(FOLDER.glob("*.md")) if path.stem not in PAGES]


def main(arguments: list[str]) -> int:
    """Writes every page, or with `--check` names the stale ones; returns the exit code."""
    behind = stale()
    if arguments == ["--check"]:
        sys.stderr.writelines(
            f"{path.relative_to(FOLDER.parent.parent)} is stale; `make docs` writes it.\n" for path in behind
        )
        return 1 if behind else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in behind:
        if path.stem in PAGES:
            path.write_text(page(path.stem), encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
