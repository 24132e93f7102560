"""The commands of `precedent` and of make, as they are."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import typer

from cli.main import app


@cache
def commands() -> dict[str, list[str]]:
    """Every command ("ingest decisions") and its options."""
    found: dict[str, list[str]] = {}

    def walk(prefix: str, command: Any) -> None:
        if hasattr(command, "commands"):
            for name, child in command.commands.items():
                walk(f"{prefix} {name}".strip(), child)
        else:
            options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
            found[prefix] = [name for option in options for name in [*option.opts, *option.secondary_opts]]

    walk("", typer.main.get_command(app))
    return found


@cache
def targets() -> frozenset[str]:
    """Every target of the Makefile that a person calls."""
    return frozenset(re.findall(r"^([a-z-]+):.*##", Path("Makefile").read_text(), re.MULTILINE))
