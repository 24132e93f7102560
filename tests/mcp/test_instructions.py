"""What an agent is told once: short, and about the tools that it has."""

import re

import pytest

from server.mcp.instructions import instructions
from server.mcp.toolsets import CORE, TOOLSETS

_NAMES = {tool.name for family in TOOLSETS.values() for tool in family}


def _named(text: str) -> set[str]:
    return set(re.findall(r"[a-z][a-z0-9_]+", text)) & _NAMES


@pytest.mark.proves("SVC-42")
def test_the_instructions_name_each_family_in_few_words() -> None:
    told = instructions(_NAMES)
    assert len(told) <= 2_200
    for family, tools in TOOLSETS.items():
        assert family == "evaluation" or _named(told) & {tool.name for tool in tools}, family


@pytest.mark.proves("SVC-42")
@pytest.mark.parametrize("published", [CORE, *({tool.name for tool in family} for family in TOOLSETS.values()), set()])
def test_the_instructions_name_only_published_tools(published: frozenset[str]) -> None:
    told = instructions(published)
    assert _named(told) - {"search"} <= set(published)
    assert "next_offset" in told
    assert "after an error nothing is stored" in told
