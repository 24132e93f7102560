"""The statements of `cypher/`: each file has one statement and a header.

Source: SVC-65.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal, LiteralString, cast

from server.core.types import QueryName

Access = Literal["read", "write"]
_PARAMETER = re.compile(r"^\$(\w+) ([^:]+): (.+)$")
_USED = re.compile(r"//[^\n]*|`[^`]*`|'[^']*'|\"[^\"]*\"|\$(\w+)")
"""Comments, quoted names and texts come first, so that a $ inside them is not a parameter."""
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
    """One statement: its name, summary, parameters and text.

    `parameters` maps a name to its type and meaning. `access` decides where the driver routes it. `text` is that of the
    file. `query` is the text for Neo4j, with all parameters in one map: Neo4j would plan separate parameters again for
    each combination of nulls and lengths (docs/decisions/0015).
    """

    name: QueryName
    summary: str
    access: Access
    parameters: Mapping[str, str]
    text: LiteralString
    query: LiteralString

    def bind(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters in the form of `query`; raise `TypeError` unless they are the declared ones."""
        if parameters.keys() != self.parameters.keys():
            # A parameter that is missing in the map would be null.
            wrong = sorted(parameters.keys() ^ self.parameters.keys())
            raise TypeError(f"{self.name} has other parameters: {wrong}")
        bound: dict[str, Any] = {"given": {}}
        for name, value in parameters.items():
            if _is_map(self.parameters[name]):
                bound[name] = value
            else:
                bound["given"][_key(name)] = value
        return bound

    def examples(self) -> dict[str, Any]:
        """Return a value of the declared type for each parameter."""
        return {name: _EXAMPLES[re.split(r"[ <:]", declared)[0]] for name, declared in self.parameters.items()}


def load(name: QueryName) -> Statement:
    """Return the statement of this name; raise `KeyError` if there is none."""
    return statements()[name]


@cache
def statements() -> Mapping[QueryName, Statement]:
    """Read all statements below `cypher/` except migrations and the queries for Neo4j Browser."""
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
        raise ValueError(f"cypher/{name}: line 1 has to be a summary, line 2 `read` or `write`")
    parameters: dict[str, str] = {}
    for line in head[2:]:
        if match := _PARAMETER.match(line):
            parameters[match[1]] = f"{match[2]}: {match[3]}"
    return Statement(name, head[0], cast("Access", head[1]), parameters, text, _query(name, parameters, text))


def _is_map(declared: str) -> bool:
    return declared.startswith("MAP")


def _key(name: str) -> str:
    # Neo4j knows that no statement sets a property of such a name, so it need not expect changes of the map.
    return f"_{name}"


def _query(name: QueryName, parameters: Mapping[str, str], text: LiteralString) -> LiteralString:
    """Return the text for Neo4j: without comments, with its name for Neo4j's logs, its parameters in one map.

    Parameters that are maps stay separate, because a node can only be created from a parameter.
    """

    def replace(match: re.Match[str]) -> str:
        if match[0].startswith("//"):
            return ""
        if match[1] is None or _is_map(parameters.get(match[1], "")):
            return match[0]
        return f"$given.{_key(match[1])}"

    lines = [line.rstrip() for line in _USED.sub(replace, text).splitlines()]
    return "\n".join([f"// {name}", *filter(None, lines)])


def _head(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line)
    return lines
