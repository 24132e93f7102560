"""The few types that every part speaks."""

from collections.abc import Mapping
from typing import Any

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Row = dict[str, Any]
"""One record of an answer of the graph: column name to value."""
Params = Mapping[str, Any]
QueryName = str
"""Path of a statement below `cypher/` without its ending: `decisions/record_decision`."""
