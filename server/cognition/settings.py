"""What the cognitive layers are set to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CognitionSettings:
    """Seconds that a write waits to be searchable, and the fidelity below which an insight is warned of."""

    searchable_wait: float
    fidelity_threshold: float
