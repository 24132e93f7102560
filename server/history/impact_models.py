"""The request and the answer of `impact`. Source: HIS-6 to HIS-9."""

from typing import Annotated, Literal

from pydantic import Field

from server.core.fields import NonBlankText
from server.history.why_models import SparseAnswer
from server.interface.tools import ToolInput


class FindImpact(ToolInput):
    of: Annotated[str, Field(min_length=1, max_length=1_000), NonBlankText] = Field(
        description="Name of an entity, or id of a record"
    )
    depth: Annotated[int, Field(ge=1, le=3)] = 2
    limit: Annotated[int, Field(ge=1, le=100)] = 30
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class Affected(SparseAnswer):
    """What depends on a thing: by which relation, and over which nearer one (`via`)."""

    id: str | None = None
    kind: str
    name: str
    target: str | None = None
    distance: int
    relation: str
    direction: Literal["incoming", "outgoing"]
    via: str | None = None


class Impact(SparseAnswer):
    """`counts` counts all of them by kind; `incomplete` is true where there are more relations than were followed."""

    message: str
    name: str
    total: int
    counts: dict[str, int] = Field(default={})
    incomplete: bool | None = None
    affected: list[Affected] = Field(default=[])
    next_offset: int | None = None
