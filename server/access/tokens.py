"""Bearer tokens: made here, stored as digests in the graph, looked up at each request.

Source: design.md section 6. A token is 256 random bits, so a plain digest cannot be guessed back.
"""

import hmac
import secrets
import time
from hashlib import sha256
from typing import Any

from server.errors import Conflict, GraphUnavailable, NotFound
from server.graph.graph import Graph
from server.principals import Kind, Principal, Role
from server.types import Row

_REMEMBER_SECONDS = 5.0


class Tokens:
    """The tokens of this graph. What was looked up is remembered for 5 seconds, so a removal takes that long.

    While Neo4j is away, what is remembered holds on.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[str, tuple[float, Principal | None]] = {}
        self._any: tuple[float, bool] = (float("-inf"), True)

    async def create(self, name: str, *, kind: Kind, role: Role, namespace: str) -> str:
        """Returns a new token, which cannot be shown again; raises `Conflict` when the name has one."""
        token = f"precedent_{secrets.token_urlsafe(32)}"
        try:
            await self._graph.run(
                "tokens/create", digest=_digest(token), name=name, kind=kind, role=str(role), namespace=namespace
            )
        except Conflict as error:
            raise Conflict(f"CONFLICT: {name!r} has a token already; remove it first or take another name.") from error
        return token

    async def remove(self, name: str) -> None:
        """Removes the token of a principal; raises `NotFound` when it has none."""
        row = await self._graph.one("tokens/remove", name=name)
        if row is None or row["removed"] == 0:
            raise NotFound(f"{name!r} has no token; `precedent token list` shows who has.")

    async def list(self) -> list[Row]:
        """Name, kind, role, namespace and time of each token; never the token."""
        return await self._graph.run("tokens/list")

    async def principal(self, token: str) -> Principal | None:
        """Returns whom a token stands for, or None."""
        digest = _digest(token)
        now = time.monotonic()
        seen = self._known.get(digest)
        if seen is not None and now - seen[0] < _REMEMBER_SECONDS:
            return seen[1]
        try:
            row = await self._graph.one("tokens/find", digest=digest)
        except GraphUnavailable:
            if seen is not None:
                return seen[1]
            raise
        principal = None if row is None else _principal(row)
        if len(self._known) > 10_000:  # noqa: PLR2004 - wrong guesses must not grow it without bound
            self._known.clear()
        self._known[digest] = (now, principal)
        return principal

    async def exist(self) -> bool:
        """Whether any token exists: from then on nobody comes in without one."""
        now = time.monotonic()
        if now - self._any[0] >= _REMEMBER_SECONDS:
            try:
                row = await self._graph.one("tokens/any_exist")
            except GraphUnavailable:
                # What was true last stays true meanwhile; the tools themselves tell that the graph is away.
                return self._any[1]
            self._any = (now, bool(row and row["found"]))
        return self._any[1]


def same(left: str, right: str) -> bool:
    """Compares two secrets in constant time."""
    return hmac.compare_digest(left.encode(), right.encode())


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _principal(row: dict[str, Any]) -> Principal:
    return Principal(row["name"], row["kind"], Role.named(row["role"]), row["namespace"])
