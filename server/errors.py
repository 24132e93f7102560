"""One tree of errors, grouped by what the caller can do.

PrecedentError
├── RequestError                 the caller can mend the request
│   ├── InvalidArgument          INVALID_ARGUMENT
│   ├── NotFound                 NOT_FOUND
│   ├── Conflict                 CONFLICT
│   ├── PermissionDenied         PERMISSION_DENIED
│   ├── Unauthenticated          UNAUTHENTICATED
│   ├── IsolationViolation       ISOLATION_VIOLATION
│   ├── RateLimitExceeded        RATE_LIMIT_EXCEEDED
│   └── QueryTimeout             QUERY_TIMEOUT
├── Unavailable                  the caller can try again later
│   ├── GraphUnavailable         GRAPH_UNAVAILABLE
│   ├── VectorsUnavailable       VECTORS_UNAVAILABLE
│   └── EmbeddingUnavailable     EMBEDDING_UNAVAILABLE
├── SetupError                   the person who runs the service can mend it
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
    code = "INVALID_ARGUMENT"


class NotFound(RequestError):
    code = "NOT_FOUND"


class Conflict(RequestError):
    code = "CONFLICT"


class PermissionDenied(RequestError):
    code = "PERMISSION_DENIED"


class Unauthenticated(RequestError):
    code = "UNAUTHENTICATED"


class IsolationViolation(RequestError):
    code = "ISOLATION_VIOLATION"


class RateLimitExceeded(RequestError):
    code = "RATE_LIMIT_EXCEEDED"


class QueryTimeout(RequestError):
    code = "QUERY_TIMEOUT"


class Unavailable(PrecedentError):
    """A part is down; the same request may go through later."""


class GraphUnavailable(Unavailable):
    code = "GRAPH_UNAVAILABLE"


class VectorsUnavailable(Unavailable):
    code = "VECTORS_UNAVAILABLE"


class EmbeddingUnavailable(Unavailable):
    code = "EMBEDDING_UNAVAILABLE"


class SetupError(PrecedentError):
    """The service cannot run as it is set up; its operator has to act."""

    code = "SETUP_FAILED"


class SchemaTooNew(SetupError):
    code = "SCHEMA_TOO_NEW"


class ModelMismatch(SetupError):
    code = "MODEL_MISMATCH"


class HomeInUse(SetupError):
    code = "HOME_IN_USE"


class PortTaken(SetupError):
    code = "PORT_TAKEN"


class RegistryUnreachable(SetupError):
    code = "REGISTRY_UNREACHABLE"


class ChecksumMismatch(SetupError):
    code = "CHECKSUM_MISMATCH"


class DiskFull(SetupError):
    code = "DISK_FULL"


class PlatformUnsupported(SetupError):
    code = "PLATFORM_UNSUPPORTED"


class InternalError(PrecedentError):
    """A fault of ours: logged whole, told in one plain sentence."""

    code = "INTERNAL_ERROR"
