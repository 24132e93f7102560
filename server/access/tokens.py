"""Bearer tokens: made here, stored as digests in the graph, looked up at each request.

Source: design.md section 6. A token is 256 random bits, so a plain digest cannot be guessed back. It is looked up by
the beginning of its digest and compared whole in constant time: how long a refusal takes tells nothing.
"""

import hmac
import secrets
import time
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from server.errors import Conflict, GraphUnavailable, NotFound
from server.graph.changes import doing
from server.graph.graph import Graph
from server.principals import Kind, Principal, Role, usable
from server.types import Row

_REMEMBER_SECONDS = 5.0
_LOOKED_UP_BY = 16
"""Hexadecimal digits of the digest: enough that no two tokens share them."""
_MOST_REMEMBERED = 10_000
_OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Known:
    """Whom a token stands for, and until when in epoch seconds."""

    principal: Principal
    expires_at: int | None


class Tokens:
    """The tokens of this graph. What was looked up is remembered for 5 seconds, so revoking one takes that long.

    While Neo4j is away, what is remembered holds on.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[str, tuple[float, Known | None]] = {}
        self._any: tuple[float, bool] = (float("-inf"), True)

    async def create(
        self, name: str, *, kind: Kind, role: Role, namespace: str, expires: datetime | None = None
    ) -> str:
        """Returns a new token, which cannot be shown again.

        Raises `Conflict` when the name has one, `InvalidArgument` for a name or namespace that cannot be one.
        """
        usable("name", name)
        usable("namespace", namespace)
        token = f"precedent_{secrets.token_urlsafe(32)}"
        try:
            with doing(_OPERATOR, "token create"):
                await self._graph.run(
                    "tokens/create",
                    digest=_digest(token),
                    name=name,
                    kind=kind,
                    role=str(role),
                    namespace=namespace,
                    expires_at=expires,
                )
        except Conflict as error:
            raise Conflict(f"CONFLICT: {name!r} has a token already; revoke it first or take another name.") from error
        return token

    async def revoke(self, name: str) -> None:
        """Takes a principal's token away; raises `NotFound` when it has none."""
        with doing(_OPERATOR, "token revoke"):
            rows = await self._graph.run("tokens/revoke", name=name)
        if not rows:
            raise NotFound(f"{name!r} has no token; `precedent token list` shows who has.")

    async def list(self) -> list[Row]:
        """Name, kind, role, namespace, creation and expiry of each token; never the token."""
        return await self._graph.run("tokens/list")

    async def find(self, token: str) -> Known | None:
        """Returns whom a token stands for, or None where it is unknown or has expired. Raises `GraphUnavailable`."""
        known = await self._look_up(_digest(token))
        if known is None or (known.expires_at is not None and known.expires_at <= time.time()):
            return None
        return known

    async def _look_up(self, digest: str) -> Known | None:
        now = time.monotonic()
        seen = self._known.get(digest)
        if seen is not None and now - seen[0] < _REMEMBER_SECONDS:
            return seen[1]
        try:
            rows = await self._graph.run("tokens/find", beginning=digest[:_LOOKED_UP_BY])
        except GraphUnavailable:
            if seen is not None:
                return seen[1]
            raise
        known = next((_known(row) for row in rows if same(row["digest"], digest)), None)
        if len(self._known) > _MOST_REMEMBERED:  # wrong guesses must not grow it without bound
            self._known.clear()
        self._known[digest] = (now, known)
        return known

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


def _known(row: Row) -> Known:
    return Known(Principal(row["name"], row["kind"], Role.named(row["role"]), row["namespace"]), row["expires_at"])
