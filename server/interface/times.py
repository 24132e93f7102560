"""Questions about another time: what held then, as far as it was known then. Source: DEC-82, DEC-83."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import Field, model_validator

from server.core.fields import Until
from server.interface.tools import ToolInput

Clock = Callable[[], datetime]


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Moment:
    """What held at `as_of`, as it was known at `known_at`. `retracted` also includes what was retracted by then."""

    as_of: datetime
    known_at: datetime
    retracted: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of a statement about this moment."""
        return {"as_of": self.as_of, "known_at": self.known_at, "retracted": self.retracted}


class PastQuestion(ToolInput):
    """A question that can be asked about another time; a date is its end."""

    as_of: Until | None = Field(default=None, description="As it was then")
    known_at: Until | None = Field(default=None, description="Known by then; default as_of")

    @model_validator(mode="after")
    def _require_as_of(self) -> "PastQuestion":
        if self.known_at is not None and self.as_of is None:
            raise ValueError("known_at needs as_of, the time that the question is about")
        return self

    @property
    def moment(self) -> Moment | None:
        """The time that the question is about; None for the present."""
        return None if self.as_of is None else Moment(self.as_of, self.known_at or self.as_of)
