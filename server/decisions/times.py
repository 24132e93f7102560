"""From when a decision holds, and when it ends by itself. Source: DEC-77, DEC-79."""

from datetime import datetime

from pydantic import SerializerFunctionWrapHandler, model_serializer

from server.core.errors import InvalidArgument
from server.core.fields import Since, Until
from server.interface.tools import ToolInput, ToolOutput


class HoldingPeriod(ToolInput):
    """From when a decision holds, and when it ends by itself."""

    effective_at: Since | None = None
    valid_until: Until | None = None


class TimedOutput(ToolOutput):
    """A decision in an answer; the two times are left out where nobody gave them."""

    effective_at: datetime | None = None
    valid_until: datetime | None = None

    @model_serializer(mode="wrap")
    def _drop_times(self, serialize: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]  # else it hides the schema
        times = ("effective_at", "valid_until")
        return {name: value for name, value in serialize(self).items() if value is not None or name not in times}


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
