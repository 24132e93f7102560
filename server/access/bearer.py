"""Bearer tokens to principals, for REST and MCP, with the MCP SDK's bearer authentication (docs/decisions/0008).

A token is the operator's secret, or one whose digest is stored in the graph.

Source: SVC-21, SVC-24.
"""

from typing import Annotated, Any, Literal

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from starlette.requests import HTTPConnection

from server.access.header import CALLER_HEADER as CALLER_HEADER  # noqa: PLC0414 - exported from here, too
from server.access.tokens import Tokens, equal_secrets
from server.core.errors import Unauthenticated
from server.core.principals import Kind, Principal, Role

_OPERATOR = "operator"
_Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Caller(BaseModel):
    """The caller that the operator names in a header."""

    model_config = ConfigDict(extra="forbid", strict=True)
    name: _Name
    kind: Kind
    role: Literal["viewer", "agent", "admin"]
    namespace: _Name


class Verifier:
    """The SDK's `TokenVerifier` for the operator's secret and the tokens of the graph."""

    def __init__(self, tokens: Tokens, secret: SecretStr | None, namespace: str) -> None:
        self._tokens = tokens
        self._secret = secret
        self._namespace = namespace

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the principal of a token and its expiry, or None for an unknown token. Raises `GraphUnavailable`."""
        if self._secret and equal_secrets(token, self._secret.get_secret_value()):
            return _to_access_token(Principal(_OPERATOR, "human", Role.ADMIN, self._namespace), client=_OPERATOR)
        holder = await self._tokens.find(token)
        if holder is None:
            return None
        return _to_access_token(holder.principal, client=f"token {holder.principal.name}", until=holder.expires_at)


class Bearer:
    """Reads the credential of a request with the SDK's backend."""

    def __init__(self, verifier: Verifier) -> None:
        self._backend = BearerAuthBackend(verifier)

    async def principal(self, connection: HTTPConnection) -> Principal | None:
        """Return the caller, or None without a bearer token. Raises `Unauthenticated`, `GraphUnavailable`.

        A request with the operator's secret may name another caller in a header.
        """
        authenticated = await self._backend.authenticate(connection)
        if authenticated is not None:
            credentials, user = authenticated
            assert isinstance(user, AuthenticatedUser)
            # The SDK's transports look for the caller here.
            connection.scope["auth"], connection.scope["user"] = credentials, user
            token = user.access_token
            principal = Principal(**{**(token.claims or {}), "role": Role.parse(token.scopes[0])})
            header = connection.headers.get(CALLER_HEADER)
            return _parse_caller(header) if header is not None and token.client_id == _OPERATOR else principal
        if connection.headers.get("authorization", "").lower().startswith("bearer "):
            raise Unauthenticated(
                "This token is unknown, expired or revoked; `precedent token create --name NAME` creates a new one."
            )
        return None


def _to_access_token(principal: Principal, *, client: str, until: int | None = None) -> AccessToken:
    claims: dict[str, Any] = {"name": principal.name, "kind": principal.kind, "namespace": principal.namespace}
    return AccessToken(
        token="",
        client_id=client,
        scopes=[str(principal.role)],
        expires_at=until,
        subject=principal.name,
        claims=claims,
    )


def _parse_caller(header: str) -> Principal:
    try:
        caller = _Caller.model_validate_json(header)
    except ValidationError as error:
        raise Unauthenticated(f"{CALLER_HEADER} must be JSON with name, kind, role and namespace.") from error
    return Principal(caller.name, caller.kind, Role.parse(caller.role), caller.namespace)
