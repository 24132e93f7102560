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

    `parameters` maps a name to its type and meaning. `access` decides where the driver routes it.
    """

    name: QueryName
    summary: str
    access: Access
    parameters: Mapping[str, str]
    text: LiteralString

    def examples(self) -> dict[str, Any]:
        """A value of the declared type for each parameter: Neo4j plans a text anew for parameters of other types."""
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
    return Statement(name, head[0], cast("Access", head[1]), parameters, text)


def _head(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line)
    return lines
