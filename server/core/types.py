"""Types that every package uses."""

from typing import Any, Literal

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Row = dict[str, Any]
"""One row of a statement's result: column name to value."""
QueryName = str
"""The path of a statement below `cypher/`, without its ending: `decisions/record_decision`."""

BulkPlace = Literal["here", "ray"]
"""Where many texts are embedded: in this process, or on a Ray cluster."""
