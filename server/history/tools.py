"""The tools of the history family, which the toolset `curation` publishes."""

from server.history.change_models import Changes, ListChanges
from server.history.impact_models import FindImpact, Impact
from server.history.resume_models import Resume, ResumeAnswer
from server.history.service import HistoryService
from server.history.why_models import Explanation, Why
from server.interface.envelopes import cognitive as envelope
from server.interface.tools import Tool

TOOLS = (
    Tool(
        name="changes",
        description="List what was recorded, replaced, retracted or merged, by whom and when, newest first.",
        request=ListChanges,
        response=Changes,
        run=HistoryService.changes,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="changes",
    ),
    Tool(
        name="resume",
        description="Continue where an agent or session was: its latest contexts, messages, open corrections, "
        "decisions, working memory and lessons.",
        request=Resume,
        response=ResumeAnswer,
        run=HistoryService.resume,
        envelope=envelope,
        read_only=True,
        idempotent=True,
    ),
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
