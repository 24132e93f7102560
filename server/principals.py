"""Who is calling, and what they may do.

Source: decisions.md "Error Codes & Status"; design.md section 6.
"""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal

from server.errors import InvalidArgument, PermissionDenied

LONGEST_NAME = 200


class Role(IntEnum):
    """What a caller may do; each role may all that the ones below it may."""

    VIEWER = 1
    AGENT = 2
    ADMIN = 3

    @classmethod
    def named(cls, name: str) -> "Role":
        return cls[name.upper()]

    def __str__(self) -> str:
        return self.name.lower()


Kind = Literal["human", "agent"]


def usable(field: str, said: str) -> str:
    """Returns a name that a principal or a namespace may have; raises `InvalidArgument` for another."""
    if not (said.strip() and len(said) <= LONGEST_NAME and said.isprintable()):
        raise InvalidArgument(f"{field}: 1 to {LONGEST_NAME} printable characters.")
    return said


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller: a name, whether human or agent, a role, and the one namespace it sees."""

    name: str
    kind: Kind
    role: Role
    namespace: str

    def require(self, role: Role) -> None:
        """Raises `PermissionDenied` unless the caller has this role or a higher one."""
        if self.role < role:
            raise PermissionDenied(
                f"Permission denied: this needs the role {role}, and {self.name!r} has {self.role}. "
                "Ask whoever runs the service for a token with that role"
                + (", or for AGENT_MEMORY_SECRET to be set." if self.role is Role.VIEWER else "."),
                {"required_role": str(role), "role": str(self.role)},
            )

    def without_secret(self) -> "Principal":
        """The same caller where no AGENT_MEMORY_SECRET is set (decisions.md, "Permission Denied")."""
        return replace(self, role=Role.VIEWER)
