"""One tree of errors, grouped by what the caller can do.

PrecedentError
├── RequestError                 the caller can correct the request
│   ├── InvalidArgument          INVALID_ARGUMENT
│   ├── NotFound                 NOT_FOUND
│   │   ├── EntryNotFound        ENTRY_NOT_FOUND
│   │   └── GoldenSetEmpty       GOLDEN_SET_EMPTY
│   ├── PolicyBlocked            POLICY_BLOCKED
│   ├── Conflict                 CONFLICT
│   │   ├── ConcurrentWrite      CONFLICT
│   │   └── KeyReused            CONFLICT
│   ├── PermissionDenied         PERMISSION_DENIED
│   ├── Unauthenticated          UNAUTHENTICATED
│   ├── ForeignHost              HOST_NOT_ALLOWED
│   ├── ForeignOrigin            ORIGIN_NOT_ALLOWED
│   ├── IsolationViolation       ISOLATION_VIOLATION
│   ├── ReviewWindow             PI1_VIOLATION
│   ├── RateLimitExceeded        RATE_LIMIT_EXCEEDED
│   └── QueryTimeout             QUERY_TIMEOUT
├── Unavailable                  the caller can try again later
│   ├── GraphUnavailable         GRAPH_UNAVAILABLE
│   ├── OutcomeUnknown           OUTCOME_UNKNOWN
│   ├── VectorsUnavailable       VECTORS_UNAVAILABLE
│   │   └── VectorsDamaged       VECTORS_UNAVAILABLE
│   ├── EmbeddingUnavailable     EMBEDDING_UNAVAILABLE
│   ├── WebSearchUnavailable     WEB_SEARCH_UNAVAILABLE
│   ├── JudgeUnavailable         JUDGE_UNAVAILABLE
│   └── SummaryUnavailable       SUMMARY_UNAVAILABLE
├── SetupError                   SETUP_FAILED; the operator of the service can correct it
│   ├── ApiKeyMissing            API_KEY_MISSING
│   ├── SchemaTooNew             SCHEMA_TOO_NEW
│   ├── ModelMismatch            MODEL_MISMATCH
│   ├── HomeInUse                HOME_IN_USE
│   ├── PortTaken                PORT_TAKEN
│   ├── RegistryUnreachable      REGISTRY_UNREACHABLE
│   ├── ChecksumMismatch         CHECKSUM_MISMATCH
│   ├── DiskFull                 DISK_FULL
│   └── PlatformUnsupported      PLATFORM_UNSUPPORTED
└── InternalError                INTERNAL_ERROR

The message of an error is for the caller: what is wrong and what to do. Causes (driver errors, paths, Cypher) stay in
`__cause__` and appear only in the log.
"""

from collections.abc import Mapping
from typing import Any, ClassVar


class PrecedentError(Exception):
    """The base class of every error that Precedent raises on purpose.

    `message` is one sentence for the caller; `details` is JSON for programs.
    """

    code: ClassVar[str] = "INTERNAL_ERROR"

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})


class RequestError(PrecedentError):
    """The request is not possible as it is; nothing was changed."""


class InvalidArgument(RequestError):
    """An argument is missing, unknown or not valid: correct what the message names."""

    code = "INVALID_ARGUMENT"


class NotFound(RequestError):
    """Something that the request names does not exist: use one of the suggested names, or create it first."""

    code = "NOT_FOUND"


class EntryNotFound(NotFound):
    """No entry has this id: use an id from an answer of `search` or `timeline`."""

    code = "ENTRY_NOT_FOUND"


class GoldenSetEmpty(NotFound):
    """There are no golden queries to measure search with: add some with `precedent ingest golden FILE`."""

    code = "GOLDEN_SET_EMPTY"


class PolicyBlocked(RequestError):
    """The input contains what looks like a secret: remove it, or use a placeholder."""

    code = "POLICY_BLOCKED"


class Conflict(RequestError):
    """The request conflicts with something that exists: the message names it and says how to replace it."""

    code = "CONFLICT"


class ConcurrentWrite(Conflict):
    """Another caller wrote or removed the same thing at the same moment: the same call may go through now."""


class KeyReused(Conflict):
    """The idempotency key belongs to a call with other arguments: use a new key for a new call."""


class PermissionDenied(RequestError):
    """The caller's role is too low: ask the operator for a token with the role that the message names."""

    code = "PERMISSION_DENIED"


class Unauthenticated(RequestError):
    """The request has no token, or an unknown one: send `Authorization: Bearer …`."""

    code = "UNAUTHENTICATED"


class ForeignHost(RequestError):
    """The header Host names an unknown host: add the name to `PRECEDENT_ALLOWED_HOSTS` to allow it."""

    code = "HOST_NOT_ALLOWED"


class ForeignOrigin(RequestError):
    """The request comes from a web page of an unknown origin: add it to `PRECEDENT_ALLOWED_ORIGINS` to allow it."""

    code = "ORIGIN_NOT_ALLOWED"


class IsolationViolation(RequestError):
    """An agent tried to replace a decision of a human: ask a human, or an admin, to replace it."""

    code = "ISOLATION_VIOLATION"


class ReviewWindow(RequestError):
    """The proposal is still in its review window, the first hour: accept it after the time that the message names."""

    code = "PI1_VIOLATION"


class RateLimitExceeded(RequestError):
    """The caller sent too many requests, or wrote decisions too fast: wait as long as the message says."""

    code = "RATE_LIMIT_EXCEEDED"


class QueryTimeout(RequestError):
    """The graph needed more time than the limit: repeat a write; of a read, ask for less (a smaller depth)."""

    code = "QUERY_TIMEOUT"


class Unavailable(PrecedentError):
    """A part of the service is not available; the same request may succeed later."""


class GraphUnavailable(Unavailable):
    """Neo4j does not answer: try again in a few seconds; the service restarts a Neo4j of its own."""

    code = "GRAPH_UNAVAILABLE"


class OutcomeUnknown(Unavailable):
    """The graph went away during a write; check whether it was stored, or repeat it with an idempotency key."""

    code = "OUTCOME_UNKNOWN"


class VectorsUnavailable(Unavailable):
    """Qdrant does not answer: try again later; writes are stored meanwhile and indexed afterwards."""

    code = "VECTORS_UNAVAILABLE"


class VectorsDamaged(VectorsUnavailable):
    """The files of the vectors are damaged: `precedent repair`, or the next start of the service, recreates them.

    `reason` is the engine's, for the log.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The local vector store is damaged; the graph has everything that it takes to recreate it. "
            "`precedent repair`, or the next start of the service, sets it aside and recreates it."
        )
        self.reason = reason


class EmbeddingUnavailable(Unavailable):
    """The embedding model cannot be loaded or run: run `precedent setup`, then start again."""

    code = "EMBEDDING_UNAVAILABLE"


class WebSearchUnavailable(Unavailable):
    """The web search does not answer, or has no key: try again later, or set `TAVILY_API_KEY`."""

    code = "WEB_SEARCH_UNAVAILABLE"


class SummaryUnavailable(Unavailable):
    """The language model returned no summary of a session: try again later; the earlier summary stays."""

    code = "SUMMARY_UNAVAILABLE"


class JudgeUnavailable(Unavailable):
    """A judge's model does not answer, or not with a score from 0 to 1: try again later; nothing was stored."""

    code = "JUDGE_UNAVAILABLE"


class SetupError(PrecedentError):
    """The service cannot run with its present setup; the operator has to act."""

    code = "SETUP_FAILED"


class ApiKeyMissing(SetupError):
    """A judge needs a key that is not set: set `OPENAI_API_KEY` and `ANTHROPIC_API_KEY`, or configure other judges."""

    code = "API_KEY_MISSING"


class SchemaTooNew(SetupError):
    """A newer release wrote this graph: start that release or a later one."""

    code = "SCHEMA_TOO_NEW"


class ModelMismatch(SetupError):
    """The vectors were made by another embedding model: `precedent rebuild` recreates them."""

    code = "MODEL_MISMATCH"


class HomeInUse(SetupError):
    """Another process uses this home: stop it, or set another `PRECEDENT_HOME`."""

    code = "HOME_IN_USE"


class PortTaken(SetupError):
    """Another program uses a port: stop the program that the message names, or set another port."""

    code = "PORT_TAKEN"


class RegistryUnreachable(SetupError):
    """A download failed: check the connection, then run `precedent setup` again."""

    code = "REGISTRY_UNREACHABLE"


class ChecksumMismatch(SetupError):
    """A downloaded file had the wrong checksum twice: check the proxy or mirror in between, which changes files."""

    code = "CHECKSUM_MISMATCH"


class DiskFull(SetupError):
    """The disk has too little space: free some, as the message says."""

    code = "DISK_FULL"


class PlatformUnsupported(SetupError):
    """There is no Java runtime: install the extra `local`, or set `NEO4J_URI` to a Neo4j that runs elsewhere."""

    code = "PLATFORM_UNSUPPORTED"


class InternalError(PrecedentError):
    """An internal error: the service's log has the details."""

    code = "INTERNAL_ERROR"
