"""The families of tools by name, with their resources; `--toolsets` publishes some of them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from server.cognition.resources import RESOURCES as LAYERS
from server.cognition.tools import TOOLS as COGNITION
from server.core.settings import Family, Settings, Toolset
from server.curation.tools import TOOLS as CURATION
from server.decisions.tools import TOOLS as DECISIONS
from server.entities.tools import CORRECTIONS as ENTITY_CORRECTIONS
from server.entities.tools import TOOLS as ENTITIES
from server.entries.tools import CORRECTIONS as ENTRY_CORRECTIONS
from server.entries.tools import TOOLS as ENTRIES
from server.evaluation.tools import TOOLS as EVALUATION
from server.history.tools import TOOLS as HISTORY
from server.interface.resources import AnyBoundResource, AnyResource
from server.interface.tools import AnyBoundTool, AnyTool
from server.journal.tools import TOOLS as JOURNAL
from server.services import Services

TOOLSETS: Mapping[Family, tuple[AnyTool, ...]] = {
    "decisions": DECISIONS,
    "entities": ENTITIES,
    "entries": ENTRIES,
    "journal": JOURNAL,
    "cognition": COGNITION,
    "evaluation": EVALUATION,
    "curation": CURATION + ENTITY_CORRECTIONS + ENTRY_CORRECTIONS + HISTORY,
}
RESOURCES: Mapping[Family, tuple[AnyResource, ...]] = {"cognition": LAYERS}
CORE = frozenset(
    {
        "overview",
        "search_decisions",
        "get_decisions",
        "record_decision",
        "supersede_decision",
        "propose_decision",
        "search",
        "save_memory",
        "get_entries",
        "graph_query_neighbors",
        "graph_find_path",
        "graph_add_edge",
    }
)
"""The toolset `core`: at most 12 tools of several families, enough for everyday work."""


def published(settings: Settings) -> tuple[AnyTool, ...]:
    """The tools of the toolsets in these settings, in one order; a tool that lacks its key says so."""
    core = CORE if "core" in settings.toolsets else frozenset()
    return tuple(
        _described(tool, settings)
        for family, tools in TOOLSETS.items()
        for tool in tools
        if family in settings.toolsets or tool.name in core
    )


def bound_tools(services: Services, tools: Iterable[AnyTool]) -> list[AnyBoundTool]:
    """These tools, each with the service of its family."""
    bound: list[AnyBoundTool] = [
        *[tool.bind(services.decisions) for tool in DECISIONS],
        *[tool.bind(services.entities) for tool in ENTITIES],
        *[tool.bind(services.names) for tool in ENTITY_CORRECTIONS],
        *[tool.bind(services.entries) for tool in ENTRIES],
        *[tool.bind(services.entries) for tool in ENTRY_CORRECTIONS],
        *[tool.bind(services.journal) for tool in JOURNAL],
        *[tool.bind(services.cognition) for tool in COGNITION],
        *[tool.bind(services.evaluation) for tool in EVALUATION],
        *[tool.bind(services.curation) for tool in CURATION],
        *[tool.bind(services.history) for tool in HISTORY],
    ]
    by_name = {each.tool.name: each for each in bound}
    return [by_name[tool.name] for tool in tools]


def bound_resources(services: Services) -> list[AnyBoundResource]:
    """Every resource, with the service of its family."""
    return [resource.bind(services.cognition) for resource in LAYERS]


def published_families(names: Iterable[Toolset]) -> frozenset[Family]:
    """Return the families that have tools in these toolsets."""
    wanted = set(names)
    return frozenset(
        family
        for family, tools in TOOLSETS.items()
        if family in wanted or ("core" in wanted and any(tool.name in CORE for tool in tools))
    )


def published_resources(names: Iterable[Toolset]) -> tuple[AnyResource, ...]:
    """The resources of these families, in one order."""
    wanted = set(names)
    return tuple(resource for name, resources in RESOURCES.items() if name in wanted for resource in resources)


def _described(tool: AnyTool, settings: Settings) -> AnyTool:
    missing = [] if tool.missing_keys is None else tool.missing_keys(settings)
    if not missing:
        return tool
    return replace(tool, description=f"{tool.description} Not usable here: {' and '.join(missing)} not set.")
