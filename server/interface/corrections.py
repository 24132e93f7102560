"""The mark on a record that a correction was logged for. Source: JRN-69."""

from typing import Any

from pydantic import Field

from server.interface.tools import ToolOutput


class CorrectedBy(ToolOutput):
    """The latest correction of a record: its id, and the beginning of its reason and of the corrected value."""

    correction_id: str
    text: str


def optional_field(**more: Any) -> Any:
    """Return a field that an answer has only where it is set."""
    return Field(default=None, exclude_if=lambda value: value is None, **more)
