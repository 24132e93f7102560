"""The page of the reference about access: the table of roles that the service enforces."""

from collections.abc import Callable, Iterable

from server.access.roles import ENDPOINTS, RESOURCES, TOOLS

Table = Callable[[Iterable[str], Iterable[Iterable[str]]], str]
_INTRO = (
    "Each role may do everything that the ones before it may: `viewer`, `agent`, `admin`. The service enforces this "
    "table; what is not in it needs `admin`. [Connect an agent](../how-to/connect-an-agent.md) explains how a caller "
    "gets a role, the [threat model](../threat-model.md) what this protects."
)


def page(table: Table) -> str:
    """Every tool, resource and endpoint with the least role that it needs."""
    parts = ["# Access", _INTRO]
    for kind, roles in (("tool", TOOLS), ("resource", RESOURCES), ("endpoint", ENDPOINTS)):
        rows = [[f"`{what}`", "none: everyone" if least is None else str(least)] for what, least in roles.items()]
        parts += [f"## {kind.capitalize()}s", table([kind, "least role"], rows)]
    return "\n\n".join(parts)
