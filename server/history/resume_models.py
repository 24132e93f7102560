"""The request and the answer of `resume`. Source: HIS-16."""

from typing import Literal

from pydantic import Field

from server.core.fields import Instant
from server.history.change_models import Text
from server.interface.tools import ToolInput, ToolOutput


class Resume(ToolInput):
    agent_id: Text | None = None
    session_id: Text | None = Field(None, description="Session or conversation")


class ResumedContext(ToolOutput):
    id: str
    type: str
    version: int
    at: Instant
    data: str


class ResumedMessage(ToolOutput):
    id: str
    session_id: str | None
    sender: str
    at: Instant
    text: str


class ResumedText(ToolOutput):
    """A memory of the session, or a dialogue with its `speaker`."""

    id: str
    at: Instant
    text: str
    speaker: str | None = None


class OpenCorrection(ToolOutput):
    """A correction that was not applied automatically."""

    id: str
    type: str
    at: Instant
    original_entry_id: str | None
    corrected: str | None
    reason: str | None


class ResumedItem(ToolOutput):
    id: int
    importance: float
    text: str


class Lesson(ToolOutput):
    """`shared`: how many entities the episode and the latest records both mention."""

    id: int
    reward: float
    tried: str
    lesson: str
    shared: int


class ResumedDecision(ToolOutput):
    id: str
    title: str
    target: str
    status: str
    at: Instant


class ResumeAnswer(ToolOutput):
    """Newest first, at most 8 kB; long texts end with …. `left_out` counts what did not fit."""

    agent_id: str | None
    session_id: str | None
    contexts: list[ResumedContext]
    messages: list[ResumedMessage]
    memories: list[ResumedText]
    dialogues: list[ResumedText]
    corrections: list[OpenCorrection]
    working_memory: list[ResumedItem]
    lessons: list[Lesson]
    decisions: list[ResumedDecision]
    left_out: int
    message: str
    status: Literal["success"] = "success"
