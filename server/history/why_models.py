"""The request and the answer of `why`. Source: HIS-1 to HIS-5."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from server.core.fields import NonBlankText
from server.interface.times import PastQuestion
from server.interface.tools import ToolOutput

Name = Annotated[str, Field(min_length=1, max_length=1_000), NonBlankText]


class Why(PastQuestion):
    of: Name = Field(description="A target, or the id of a decision or proposal")


class SparseAnswer(ToolOutput):
    """An answer without the fields that are null or empty."""

    @model_serializer(mode="wrap")
    def _drop_empty(self, serialize: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]  # else it hides the schema
        return {name: value for name, value in serialize(self).items() if value not in (None, [], {})}


class Option(SparseAnswer):
    option: str
    why_not: str = ""


class EvidenceLink(ToolOutput):
    id: str
    kind: str
    name: str


class RequiredDecision(ToolOutput):
    id: str
    title: str


class Ending(SparseAnswer):
    """What replaced a decision, when, by whom and why."""

    id: str
    at: datetime | None = None
    by: str | None = None
    why: str = ""


class Reasoned(SparseAnswer):
    """A decision or a proposal and its reason."""

    id: str
    title: str
    target: str
    status: str
    origin: str
    by: str | None = None
    at: datetime | None = None
    effective_at: datetime | None = None
    valid_until: datetime | None = None
    why: str
    alternatives: list[Option] = Field(default=[])
    evidence: list[EvidenceLink] = Field(default=[])
    requires: list[RequiredDecision] = Field(default=[])
    replaced_by: Ending | None = None
    became: str | None = None
    rejected: str | None = None


class Explanation(SparseAnswer):
    """What is in force for a target, what will be, what was before (newest first), and its proposals.

    `cut_at` is where texts were cut, in characters; `more` counts what was left out of each list.
    """

    message: str
    target: str
    in_force: list[Reasoned] = Field(default=[])
    planned: list[Reasoned] = Field(default=[])
    earlier: list[Reasoned] = Field(default=[])
    proposals: list[Reasoned] = Field(default=[])
    cut_at: int | None = None
    more: dict[str, int] = Field(default={})
