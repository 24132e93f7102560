"""Whom a bearer token stands for: the one verifier of both doors, asked by the MCP SDK's own bearer authentication.

Source: issue 6, "Access"; docs/decisions/0008. The operator's secret, or a token that is kept as a digest in the graph.
"""

from typing import Annotated, Any, Literal

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from starlette.requests import HTTPConnection

from server.access.tokens import Tokens, same
from server.errors import Unauthenticated
from server.principals import Kind, Principal, Role

CALLER_HEADER = "precedent-caller"
"""Names the caller for whom the holder of AGENT_MEMORY_SECRET speaks: JSON with name, kind, role, namespace."""

_OPERATOR = "operator"
_Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Caller(BaseModel):
    """For whom the operator speaks."""

    model_config = ConfigDict(extra="forbid", strict=True)
    name: _Name
    kind: Kind
    role: Literal["viewer", "agent", "admin"]
    namespace: _Name


class Verifier:
    """The SDK's `TokenVerifier`: knows the operator's secret, and the tokens of the graph."""

    def __init__(self, tokens: Tokens, secret: SecretStr | None, namespace: str) -> None:
        self._tokens = tokens
        self._secret = secret
        self._namespace = namespace

    async def verify_token(self, token: str) -> AccessToken | None:
        """Returns whom the token stands for and until when, or None. Raises `GraphUnavailable`."""
        if self._secret and same(token, self._secret.get_secret_value()):
            return _access(Principal(_OPERATOR, "human", Role.ADMIN, self._namespace), client=_OPERATOR)
        known = await self._tokens.find(token)
        if known is None:
            return None
        return _access(known.principal, client=f"token {known.principal.name}", until=known.expires_at)


class Bearer:
    """Reads a request's credential with the SDK's backend."""

    def __init__(self, verifier: Verifier) -> None:
        self._backend = BearerAuthBackend(verifier)

    async def principal(self, connection: HTTPConnection) -> Principal | None:
        """Returns the caller, or None where no bearer token is sent; raises `Unauthenticated`, `GraphUnavailable`.

        Whoever holds the operator's secret may name the caller it speaks for.
        """
        authenticated = await self._backend.authenticate(connection)
        if authenticated is not None:
            credentials, user = authenticated
            assert isinstance(user, AuthenticatedUser)
            # Where the SDK looks for the caller, should a transport of it ask.
            connection.scope["auth"], connection.scope["user"] = credentials, user
            token = user.access_token
            principal = Principal(**{**(token.claims or {}), "role": Role.named(token.scopes[0])})
            named = connection.headers.get(CALLER_HEADER)
            return _spoken_for(named) if named is not None and token.client_id == _OPERATOR else principal
        if connection.headers.get("authorization", "").lower().startswith("bearer "):
            raise Unauthenticated(
                "This token is not known, has expired or was revoked; `precedent token create --name NAME` makes one."
            )
        return None


def _access(principal: Principal, *, client: str, until: int | None = None) -> AccessToken:
    claims: dict[str, Any] = {"name": principal.name, "kind": principal.kind, "namespace": principal.namespace}
    return AccessToken(
        token="",
        client_id=client,
        scopes=[str(principal.role)],
        expires_at=until,
        subject=principal.name,
        claims=claims,
    )


def _spoken_for(named: str) -> Principal:
    try:
        caller = _Caller.model_validate_json(named)
    except ValidationError as error:
        raise Unauthenticated(f"{CALLER_HEADER} must be JSON with name, kind, role and namespace.") from error
    return Principal(caller.name, caller.kind, Role.named(caller.role), caller.namespace)
