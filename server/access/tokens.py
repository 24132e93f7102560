"""Bearer tokens: created here, stored as digests in the graph, looked up at each request.

A token has 256 random bits, so a plain digest is safe. It is looked up by the beginning of its digest, and the complete
digests are compared in constant time, so that the time of a refusal reveals nothing.

Source: SVC-25, SVC-26, SVC-27.
"""

import hmac
import secrets
import time
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from server.core.errors import Conflict, GraphUnavailable, NotFound
from server.core.principals import Kind, Principal, Role, require_name
from server.core.types import Row
from server.graph.changes import audit_context
from server.graph.graph import Graph

_REMEMBER_SECONDS = 5.0
_KEY_LENGTH = 16
"""Hexadecimal digits of the digest by which a token is looked up; no two tokens share them."""
_MOST_REMEMBERED = 10_000
_OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """The principal of a token, and its expiry in epoch seconds."""

    principal: Principal
    expires_at: int | None


class Tokens:
    """The tokens of this graph. A lookup is remembered for 5 seconds, so a revoked token works up to 5 seconds longer.

    While Neo4j is not available, remembered lookups stay valid.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._remembered: dict[str, tuple[float, TokenHolder | None]] = {}
        self._any_exist: tuple[float, bool] = (float("-inf"), True)

    async def create(
        self, name: str, *, kind: Kind, role: Role, namespace: str, expires: datetime | None = None
    ) -> str:
        """Create a token and return it; it cannot be shown again.

        Raises `Conflict` when the name has a token, `InvalidArgument` for an invalid name or namespace.
        """
        require_name("name", name)
        require_name("namespace", namespace)
        token = f"precedent_{secrets.token_urlsafe(32)}"
        try:
            with audit_context(_OPERATOR, "token create"):
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
            raise Conflict(f"CONFLICT: {name!r} already has a token; revoke it first, or use another name.") from error
        return token

    async def revoke(self, name: str) -> None:
        """Revoke a principal's token; raise `NotFound` when it has none."""
        with audit_context(_OPERATOR, "token revoke"):
            rows = await self._graph.run("tokens/revoke", name=name)
        if not rows:
            raise NotFound(f"{name!r} has no token; `precedent token list` lists the names that have one.")

    async def list(self) -> list[Row]:
        """List name, kind, role, namespace, creation and expiry of each token; never the token itself."""
        return await self._graph.run("tokens/list")

    async def find(self, token: str) -> TokenHolder | None:
        """Return the holder of a token, or None where it is unknown or has expired. Raises `GraphUnavailable`."""
        holder = await self._look_up(_digest(token))
        if holder is None or (holder.expires_at is not None and holder.expires_at <= time.time()):
            return None
        return holder

    async def _look_up(self, digest: str) -> TokenHolder | None:
        now = time.monotonic()
        seen = self._remembered.get(digest)
        if seen is not None and now - seen[0] < _REMEMBER_SECONDS:
            return seen[1]
        try:
            rows = await self._graph.run("tokens/find", beginning=digest[:_KEY_LENGTH])
        except GraphUnavailable:
            if seen is not None:
                return seen[1]
            raise
        holder = next((_to_holder(row) for row in rows if equal_secrets(row["digest"], digest)), None)
        if len(self._remembered) > _MOST_REMEMBERED:  # wrong tokens must not make it grow without bound
            self._remembered.clear()
        self._remembered[digest] = (now, holder)
        return holder

    async def any_exist(self) -> bool:
        """Return whether any token exists; from then on every request requires one."""
        now = time.monotonic()
        if now - self._any_exist[0] >= _REMEMBER_SECONDS:
            try:
                row = await self._graph.row("tokens/any_exist")
            except GraphUnavailable:
                # The last answer stays valid meanwhile; the tools report that the graph is not available.
                return self._any_exist[1]
            self._any_exist = (now, bool(row["found"]))
        return self._any_exist[1]


def equal_secrets(left: str, right: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(left.encode(), right.encode())


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _to_holder(row: Row) -> TokenHolder:
    return TokenHolder(
        Principal(row["name"], row["kind"], Role.parse(row["role"]), row["namespace"]), row["expires_at"]
    )
