"""The page of the reference about access: the table of roles, as the doors enforce it."""

from collections.abc import Callable, Iterable

from server.access.roles import ENDPOINTS, RESOURCES, TOOLS

Table = Callable[[Iterable[str], Iterable[Iterable[str]]], str]
_INTRO = (
    "Each role may all that the ones before it may: `viewer`, `agent`, `admin`. This is the table that the service "
    "goes by; what it does not hold needs `admin`. How a caller gets a role is told in [connect an agent]"
    "(../how-to/connect-an-agent.md), what all of this protects in the [threat model](../threat-model.md)."
)


def page(table: Table) -> str:
    """Every tool, resource and endpoint with the least role that it needs."""
    parts = ["# Access", _INTRO]
    for kind, roles in (("tool", TOOLS), ("resource", RESOURCES), ("endpoint", ENDPOINTS)):
        rows = [[f"`{what}`", "none: anybody" if least is None else str(least)] for what, least in roles.items()]
        parts += [f"## {kind.capitalize()}s", table([kind, "least role"], rows)]
    return "\n\n".join(parts)
