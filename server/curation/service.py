"""The use cases that correct what is stored: retract, restore, merge, rename, undo, erase."""

from server.parts import Parts


class CurationService:
    """Corrections, each limited to the namespace of the caller."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
