"""Types that every package uses."""

from typing import Any, Literal

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Row = dict[str, Any]
"""One row of a statement's result: column name to value."""
QueryName = str
"""The path of a statement below `cypher/`, without its ending: `decisions/record_decision`."""

BulkPlace = Literal["here", "ray"]
"""Where many texts are embedded: in this process, or on a Ray cluster."""

Precision = Literal["float32", "int8"]
"""The weights of the embedding model: as its files have them, or of 8 bits."""

Pooling = Literal["mean", "cls", "last", "none"]
"""How one vector is made of those of a text's tokens; `none` for a model that makes one itself."""
