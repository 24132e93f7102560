"""Requests and responses of the curation family.

Descriptions are part of the published schemas. Agents pay for every character, so they are short.
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from server.core.fields import ValidText
from server.interface.tools import ToolInput, ToolOutput

Text = Annotated[str, Field(min_length=1, max_length=1_000), ValidText]
Reason = Annotated[str, Field(min_length=3, max_length=10_000, pattern=r"\S", description="Why; kept"), ValidText]


def _to_text(value: object) -> object:
    return str(value) if type(value) is int else value


Id = Annotated[Text, BeforeValidator(_to_text)]
"""An integer id may be given as a number."""
Ids = Annotated[list[Id], Field(min_length=1, max_length=100)]
ChangeId = Annotated[str, Field(min_length=1, max_length=100), ValidText]


class Corrected(ToolOutput):
    """One record that was corrected."""

    kind: str
    id: str
    name: str


class Retract(ToolInput):
    ids: Ids = Field(description="Ids of records, names of entities, relations as 'A -[USES]-> B'")
    reason: Reason


class Retracted(ToolOutput):
    """What was retracted, and the change to `undo` if that was wrong."""

    retracted: list[Corrected]
    change_id: str
    message: str
    status: Literal["success"] = "success"


class Undo(ToolInput):
    change_id: ChangeId = Field(description="From `changes`, or the answer of a correction")
    reason: Reason = "Undone."


class Undone(ToolOutput):
    """What was taken back, as a new change that can itself be undone."""

    undone: list[str]
    change_id: str
    message: str
    status: Literal["success"] = "success"


class Erase(ToolInput):
    ids: Ids = Field(description="As for retract; also retracted ones")
    reason: Reason


class Erased(ToolOutput):
    """How many records of each kind are gone for good."""

    erased: dict[str, int]
    change_id: str
    message: str
    status: Literal["success"] = "success"
