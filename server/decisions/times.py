"""The two times of decisions: when they hold, and when they were known. Source: DEC-77, DEC-81, DEC-84."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from server.core.errors import InvalidArgument
from server.core.fields import Since, Until
from server.interface.tools import ToolInput, ToolOutput

Clock = Callable[[], datetime]


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


class HoldingPeriod(ToolInput):
    """From when a decision holds, and when it ends by itself."""

    effective_at: Since | None = Field(default=None, description="Holds from; default now")
    valid_until: Until | None = Field(default=None, description="Ends by itself then")


class PastQuestion(ToolInput):
    """A question that can be asked about another time."""

    as_of: Until | None = Field(default=None, description="What held and was known at this time")
    known_at: Until | None = Field(default=None, description="What was known then; default as_of")

    @model_validator(mode="after")
    def _require_as_of(self) -> "PastQuestion":
        if self.known_at is not None and self.as_of is None:
            raise ValueError("known_at needs as_of: the time that you ask about")
        return self

    @property
    def moment(self) -> "Moment | None":
        """The time that the question is about; None for the present."""
        return None if self.as_of is None else Moment(self.as_of, self.known_at or self.as_of)


class TimedOutput(ToolOutput):
    """A decision in an answer; the two times are left out where nobody gave them."""

    effective_at: datetime | None = None
    valid_until: datetime | None = None

    @model_serializer(mode="wrap")
    def _drop_times(self, serialize: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]  # else it hides the schema
        times = ("effective_at", "valid_until")
        return {name: value for name, value in serialize(self).items() if value is not None or name not in times}


@dataclass(frozen=True, slots=True)
class Moment:
    """What held at `as_of`, as it was known at `known_at`. `retracted` also includes what was retracted by then."""

    as_of: datetime
    known_at: datetime
    retracted: bool = False

    @property
    def parameters(self) -> dict[str, datetime | bool]:
        """The parameters of a statement about this moment."""
        return {"as_of": self.as_of, "known_at": self.known_at, "retracted": self.retracted}


def require_period(effective_at: datetime | None, valid_until: datetime | None, at: datetime) -> None:
    """Raise `InvalidArgument` unless the decision ends after it was recorded and after it takes effect."""
    if valid_until is not None and valid_until <= max(at, effective_at or at):
        raise InvalidArgument(
            "valid_until has to be later than now and than effective_at: a decision cannot end before it holds.",
            {"field": "valid_until"},
        )


def describe_period(effective_at: datetime | None, valid_until: datetime | None) -> str:
    """Return from when a decision is in force, and until when: "now", "now until …", "from … until …"."""
    begins = "now" if effective_at is None else f"from {_format_minute(effective_at)}"
    return begins if valid_until is None else f"{begins} until {_format_minute(valid_until)}"


def _format_minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
