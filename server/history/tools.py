"""The tools of the history family, which the toolset `curation` publishes."""

from server.history.impact_models import FindImpact, Impact
from server.history.service import HistoryService
from server.history.why_models import Explanation, Why
from server.interface.envelopes import cognitive as envelope
from server.interface.tools import Tool

TOOLS = (
    Tool(
        name="why",
        description="Why it is decided like this: what is in force for a target, what it replaced, each reason, who, "
        "alternatives, evidence, proposals; in 12 kB at most. get_decisions returns single decisions in full.",
        request=Why,
        response=Explanation,
        run=HistoryService.why,
        envelope=envelope,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        name="impact",
        description="What breaks if this goes: the decisions, entities and memories that depend on it, nearest first.",
        request=FindImpact,
        response=Impact,
        run=HistoryService.impact,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="affected",
    ),
)
