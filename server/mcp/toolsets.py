"""Every family of tools by its name, with its resources; `--toolsets` publishes a part of them."""

from collections.abc import Iterable, Mapping

from server.cognition.resources import RESOURCES as LAYERS
from server.cognition.tools import TOOLS as COGNITION
from server.decisions.tools import TOOLS as DECISIONS
from server.entities.tools import TOOLS as ENTITIES
from server.entries.tools import TOOLS as ENTRIES
from server.evaluation.tools import TOOLS as EVALUATION
from server.journal.tools import TOOLS as JOURNAL
from server.resources import Resource
from server.settings import Toolset
from server.tools import Tool

TOOLSETS: Mapping[Toolset, tuple[Tool, ...]] = {
    "decisions": DECISIONS,
    "entities": ENTITIES,
    "entries": ENTRIES,
    "journal": JOURNAL,
    "cognition": COGNITION,
    "evaluation": EVALUATION,
}
RESOURCES: Mapping[Toolset, tuple[Resource, ...]] = {"cognition": LAYERS}


def published(names: Iterable[Toolset]) -> tuple[Tool, ...]:
    """The tools of these families, in one order."""
    wanted = set(names)
    return tuple(tool for name, tools in TOOLSETS.items() if name in wanted for tool in tools)


def published_resources(names: Iterable[Toolset]) -> tuple[Resource, ...]:
    """The resources of these families, in one order."""
    wanted = set(names)
    return tuple(resource for name, resources in RESOURCES.items() if name in wanted for resource in resources)
