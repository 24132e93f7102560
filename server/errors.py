"""One tree of errors, grouped by what the caller can do.

PrecedentError
├── RequestError                 the caller can mend the request
│   ├── InvalidArgument          INVALID_ARGUMENT
│   ├── NotFound                 NOT_FOUND
│   │   ├── EntryNotFound        ENTRY_NOT_FOUND
│   │   └── GoldenSetEmpty       GOLDEN_SET_EMPTY
│   ├── PolicyBlocked            POLICY_BLOCKED
│   ├── Conflict                 CONFLICT
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
│   ├── VectorsUnavailable       VECTORS_UNAVAILABLE
│   ├── EmbeddingUnavailable     EMBEDDING_UNAVAILABLE
│   ├── WebSearchUnavailable     WEB_SEARCH_UNAVAILABLE
│   ├── JudgeUnavailable         JUDGE_UNAVAILABLE
│   └── SummaryUnavailable       SUMMARY_UNAVAILABLE
├── SetupError                   SETUP_FAILED; the person who runs the service can mend it
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

The sentence of an error is for its caller: what is wrong and what to do. Causes (driver errors, paths,
Cypher) stay in `__cause__`, for the log alone.
"""

from collections.abc import Mapping
from typing import Any, ClassVar


class PrecedentError(Exception):
    """The root of every error that Precedent raises on purpose.

    `message` is one sentence for the caller; `details` is JSON that a program can act on.
    """

    code: ClassVar[str] = "INTERNAL_ERROR"

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})


class RequestError(PrecedentError):
    """The request cannot be carried out as it is; the store is as it was."""


class InvalidArgument(RequestError):
    """An argument is missing, unknown or not what it has to be: mend what the message names."""

    code = "INVALID_ARGUMENT"


class NotFound(RequestError):
    """What the request names does not exist: take one of the names that the message suggests, or create it first."""

    code = "NOT_FOUND"


class EntryNotFound(NotFound):
    """No entry has this id: take one from an answer of `search` or `timeline`."""

    code = "ENTRY_NOT_FOUND"


class GoldenSetEmpty(NotFound):
    """There are no golden queries to measure search with: bring some in with `precedent ingest golden FILE`."""

    code = "GOLDEN_SET_EMPTY"


class PolicyBlocked(RequestError):
    """The input holds what looks like a secret: take it out, or put a placeholder in its place."""

    code = "POLICY_BLOCKED"


class Conflict(RequestError):
    """Something else holds the place already: the message names it and says how to replace it."""

    code = "CONFLICT"


class PermissionDenied(RequestError):
    """The caller's role is too low: ask the operator for a token with the role that the message names."""

    code = "PERMISSION_DENIED"


class Unauthenticated(RequestError):
    """No token, or one that is not known: send `Authorization: Bearer …`."""

    code = "UNAUTHENTICATED"


class ForeignHost(RequestError):
    """The header Host names a host that this service is not: `PRECEDENT_ALLOWED_HOSTS` allows more names."""

    code = "HOST_NOT_ALLOWED"


class ForeignOrigin(RequestError):
    """A page from elsewhere asked: `PRECEDENT_ALLOWED_ORIGINS` allows the origins that may."""

    code = "ORIGIN_NOT_ALLOWED"


class IsolationViolation(RequestError):
    """An agent tried to replace what a human decided: ask a human, or an admin, to replace it."""

    code = "ISOLATION_VIOLATION"


class ReviewWindow(RequestError):
    """A proposal was to be accepted within an hour of when it was first observed: wait until the time that is named."""

    code = "PI1_VIOLATION"


class RateLimitExceeded(RequestError):
    """A caller asked too often, or two of its writes came too close together: wait as long as the message says."""

    code = "RATE_LIMIT_EXCEEDED"


class QueryTimeout(RequestError):
    """The graph needed longer than the limit: try a write again, ask for less, for example a smaller depth."""

    code = "QUERY_TIMEOUT"


class Unavailable(PrecedentError):
    """A part is down; the same request may go through later."""


class GraphUnavailable(Unavailable):
    """Neo4j does not answer: try again in a few seconds; it is restarted where the service owns it."""

    code = "GRAPH_UNAVAILABLE"


class VectorsUnavailable(Unavailable):
    """Qdrant does not answer: try again later; what is written meanwhile is stored and indexed afterwards."""

    code = "VECTORS_UNAVAILABLE"


class EmbeddingUnavailable(Unavailable):
    """The embedding model cannot be loaded or run: run `precedent setup`, then start again."""

    code = "EMBEDDING_UNAVAILABLE"


class WebSearchUnavailable(Unavailable):
    """The web search does not answer, or has no key: try again later, or set `TAVILY_API_KEY`."""

    code = "WEB_SEARCH_UNAVAILABLE"


class SummaryUnavailable(Unavailable):
    """The language model made no summary of a session: try again later; the one it had before stays."""

    code = "SUMMARY_UNAVAILABLE"


class JudgeUnavailable(Unavailable):
    """A judge's model does not answer, or with no score from 0 to 1: try again later; nothing was stored."""

    code = "JUDGE_UNAVAILABLE"


class SetupError(PrecedentError):
    """The service cannot run as it is set up; its operator has to act."""

    code = "SETUP_FAILED"


class ApiKeyMissing(SetupError):
    """A judge needs a key that is not set: set `OPENAI_API_KEY` and `ANTHROPIC_API_KEY`, or name other judges."""

    code = "API_KEY_MISSING"


class SchemaTooNew(SetupError):
    """A newer release wrote this graph: start that release or a later one."""

    code = "SCHEMA_TOO_NEW"


class ModelMismatch(SetupError):
    """The vectors were made by another embedding model: `precedent rebuild` makes them anew."""

    code = "MODEL_MISMATCH"


class HomeInUse(SetupError):
    """Another running service owns this home: stop it, or set another `PRECEDENT_HOME`."""

    code = "HOME_IN_USE"


class PortTaken(SetupError):
    """Another program holds a port: stop the one that the message names, or set another port."""

    code = "PORT_TAKEN"


class RegistryUnreachable(SetupError):
    """Something to download could not be fetched: check the connection, run `precedent setup` again."""

    code = "REGISTRY_UNREACHABLE"


class ChecksumMismatch(SetupError):
    """A downloaded file is not the one of the lock file, twice in a row: look what stands between."""

    code = "CHECKSUM_MISMATCH"


class DiskFull(SetupError):
    """There is no room for what has to be written: make room as the message says."""

    code = "DISK_FULL"


class PlatformUnsupported(SetupError):
    """There is no Java runtime here: install the extra `local`, or set `NEO4J_URI` to a Neo4j that runs elsewhere."""

    code = "PLATFORM_UNSUPPORTED"


class InternalError(PrecedentError):
    """A fault of ours: logged whole, told in one plain sentence."""

    code = "INTERNAL_ERROR"
