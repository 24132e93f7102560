"""The request and the answer of `changes`. Source: HIS-11."""

from typing import Annotated, Literal

from pydantic import Field

from server.core.fields import NonBlankText, ValidText
from server.history.times import Moment
from server.interface.kinds import Kind
from server.interface.tools import ToolInput, ToolOutput

Text = Annotated[str, Field(min_length=1, max_length=1000), ValidText, NonBlankText]


class ListChanges(ToolInput):
    since: Moment | None = Field(None, description="ISO time, yesterday, 24h, 7d …")
    until: Moment | None = None
    by: Text | None = Field(None, description="Principal")
    about: Text | None = Field(None, description="Entity name or record id")
    kind: Kind | None = None
    limit: int = Field(50, ge=1, le=200)
    offset: int = Field(0, ge=0, le=10_000_000)


class RecordInChange(ToolOutput):
    """`id` is null for an entity, which its name identifies."""

    kind: str
    id: str | None
    name: str


class ChangeItem(ToolOutput):
    """`id` undoes it (null before ids existed); `operation` is the tool, route or command; `more` counts the rest.

    `undone_by` is the id of the change that undid it.
    """

    id: str | None
    at: str
    by: str
    operation: str
    reason: str | None
    undone_by: str | None
    records: list[RecordInChange]
    more: int


class Changes(ToolOutput):
    """Newest first."""

    changes: list[ChangeItem]
    next_offset: int | None
    message: str | None
    status: Literal["success"] = "success"
