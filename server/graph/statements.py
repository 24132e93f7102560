"""The statements of `cypher/`: one file, one statement, one sentence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal, LiteralString, cast

from server.types import QueryName

Access = Literal["read", "write"]
_PARAMETER = re.compile(r"^\$(\w+) ([^:]+): (.+)$")
_USED = re.compile(r"//[^\n]*|`[^`]*`|'[^']*'|\"[^\"]*\"|\$(\w+)")
"""What is no parameter goes first: comments, names and texts in quotes."""
_EXAMPLES: Mapping[str, object] = {
    "STRING": "text",
    "INTEGER": 1,
    "FLOAT": 0.5,
    "BOOLEAN": True,
    "LIST": [],
    "MAP": {},
    "ZONED": datetime(2026, 1, 1, tzinfo=UTC),
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its name, the sentence that says what it does, its parameters and its text.

    `parameters` maps a name to its type and meaning. `access` decides where the driver routes it. `text` is the file's,
    `query` what is sent: there the parameters are one map, because Neo4j plans a text anew for each combination of
    parameters that are null, and of how long they are (docs/decisions/0015).
    """

    name: QueryName
    summary: str
    access: Access
    parameters: Mapping[str, str]
    text: LiteralString
    query: LiteralString

    def bind(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters as `query` takes them; raises TypeError unless they are those that are declared."""
        if parameters.keys() != self.parameters.keys():
            # In a map, one that is missing would be taken for null.
            wrong = sorted(parameters.keys() ^ self.parameters.keys())
            raise TypeError(f"{self.name} takes other parameters: {wrong}")
        bound: dict[str, Any] = {"given": {}}
        for name, value in parameters.items():
            if _is_map(self.parameters[name]):
                bound[name] = value
            else:
                bound["given"][_key(name)] = value
        return bound

    def examples(self) -> dict[str, Any]:
        """A value of the declared type for each parameter."""
        return {name: _EXAMPLES[re.split(r"[ <:]", declared)[0]] for name, declared in self.parameters.items()}


def load(name: QueryName) -> Statement:
    """Returns the statement of that name; raises KeyError if there is none."""
    return statements()[name]


@cache
def statements() -> Mapping[QueryName, Statement]:
    """Reads every statement below `cypher/` that code can run (not migrations, not Browser's queries)."""
    root = files("cypher")
    found: dict[QueryName, Statement] = {}
    for family in sorted(root.iterdir(), key=lambda entry: entry.name):
        if not family.is_dir() or family.name in {"schema", "browser", "__pycache__"}:
            continue
        for file in sorted(family.iterdir(), key=lambda entry: entry.name):
            if file.name.endswith(".cypher"):
                name = f"{family.name}/{file.name.removesuffix('.cypher')}"
                found[name] = _parse(name, file)
    return found


def _parse(name: QueryName, file: Traversable) -> Statement:
    text = file.read_text(encoding="utf-8")
    head = [line.removeprefix("//").strip() for line in _head(text)]
    if len(head) < 2 or head[1] not in {"read", "write"}:  # noqa: PLR2004 - sentence, access
        raise ValueError(f"cypher/{name}: the first line is its sentence, the second `read` or `write`")
    parameters: dict[str, str] = {}
    for line in head[2:]:
        if match := _PARAMETER.match(line):
            parameters[match[1]] = f"{match[2]}: {match[3]}"
    return Statement(name, head[0], cast("Access", head[1]), parameters, text, _query(name, parameters, text))


def _is_map(declared: str) -> bool:
    return declared.startswith("MAP")


def _key(name: str) -> str:
    # Of a key that is no property's name, Neo4j knows that nothing that a statement sets can change it.
    return f"_{name}"


def _query(name: QueryName, parameters: Mapping[str, str], text: LiteralString) -> LiteralString:
    """What is sent: without comments, named for Neo4j's own logs, its parameters gathered in one map.

    Maps stay what they are: one has no other type for what it holds, and where a node is made of one no other will do.
    """

    def gathered(match: re.Match[str]) -> str:
        if match[0].startswith("//"):
            return ""
        if match[1] is None or _is_map(parameters.get(match[1], "")):
            return match[0]
        return f"$given.{_key(match[1])}"

    lines = [line.rstrip() for line in _USED.sub(gathered, text).splitlines()]
    return "\n".join([f"// {name}", *filter(None, lines)])


def _head(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line)
    return lines
