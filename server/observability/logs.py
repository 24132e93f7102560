"""Structured logs: JSON lines on stderr and, for the service, in a file. Bodies and secrets are never logged."""

import logging
import logging.handlers
import sys
from pathlib import Path

import structlog

_SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
    # Without the values of local variables, which contain bodies and secrets.
    structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False)),
]
_LINE = "precedent_line"
"""The attribute of a record with its line."""
# Their loggers log every request or retry; the service's own log lines have what matters.
_QUIET = (
    "httpx", "httpx2", "httpcore", "httpcore2", "uvicorn.access", "mcp", "neo4j", "sse_starlette", "openai",
    "anthropic",
)  # fmt: skip


class _OnceFormatter(structlog.stdlib.ProcessorFormatter):
    """Formats a record once for all handlers, which otherwise do it each, and the file's handler twice."""

    def format(self, record: logging.LogRecord) -> str:
        line: str | None = record.__dict__.get(_LINE)
        if line is None:
            line = record.__dict__[_LINE] = super().format(record)
        return line


def configure(level: str, file: Path | None = None, *, stderr: bool = True) -> None:
    """Send all log lines of the process to stderr and to `file` (10 MB, with three older files)."""
    structlog.configure(
        # First of all, so that a line below the level costs nothing.
        processors=[structlog.stdlib.filter_by_level, *_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    # No line has them, and each costs a look at the process or the thread.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    formatter = _OnceFormatter(
        foreign_pre_chain=_SHARED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(),
        ],
    )
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)] if stderr else []
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.handlers.RotatingFileHandler(file, maxBytes=10_000_000, backupCount=3))
    root = logging.getLogger()
    root.handlers[:] = handlers
    for handler in handlers:
        handler.setFormatter(formatter)
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
