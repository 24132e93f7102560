"""Callers and their roles.

Source: SVC-17.
"""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal

from server.core.errors import InvalidArgument, PermissionDenied

LONGEST_NAME = 200


class Role(IntEnum):
    """What a caller may do; each role includes the lower ones."""

    VIEWER = 1
    AGENT = 2
    ADMIN = 3

    @classmethod
    def parse(cls, name: str) -> "Role":
        """Return the role of a name; raise `KeyError` for another name."""
        return cls[name.upper()]

    def __str__(self) -> str:
        return self.name.lower()


Kind = Literal["human", "agent"]


def require_name(field: str, name: str) -> str:
    """Return the name if a principal or a namespace may have it; otherwise raise `InvalidArgument`."""
    if not (name.strip() and len(name) <= LONGEST_NAME and name.isprintable()):
        raise InvalidArgument(f"{field}: use 1 to {LONGEST_NAME} printable characters.")
    return name


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller: its name, its kind, its role, and the one namespace that it sees."""

    name: str
    kind: Kind
    role: Role
    namespace: str

    def has_role(self, role: Role) -> bool:
        """Whether the caller has this role or a higher one."""
        return self.role >= role

    def require(self, role: Role) -> None:
        """Raises `PermissionDenied` unless the caller has this role or a higher one."""
        if not self.has_role(role):
            raise PermissionDenied(
                f"Permission denied: this needs the role {role}; {self.name!r} has the role {self.role}. "
                "Ask the operator of the service for a token with that role"
                + (", or to set AGENT_MEMORY_SECRET." if self.role is Role.VIEWER else "."),
                {"required_role": str(role), "role": str(self.role)},
            )

    def without_secret(self) -> "Principal":
        """Return the same caller as a viewer: its role where no AGENT_MEMORY_SECRET is set."""
        return replace(self, role=Role.VIEWER)
