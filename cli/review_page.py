"""The page of `precedent review`, made with Textual. Source: REF-17, REF-18."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar, Protocol

from rich.text import Text
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import DataTable, Footer, Header, Input, Label, Static, TabbedContent, TabPane

from cli.decision_tables import remove_control_characters
from server.core.errors import PrecedentError
from server.core.principals import Principal
from server.curation.models import Retract
from server.curation.service import CurationService
from server.decisions.models import AcceptProposal, RejectProposal
from server.decisions.service import DecisionService
from server.entities.merging import NameCorrections
from server.entities.models import MergeEntities, SimilarEntities, SimilarPair
from server.graph.changes import audit_context
from server.interface.times import Clock, now
from server.parts import Parts
from server.reflection.review import Review, ReviewedDraft, StaleDecision, load_review

_TABS = {
    "ready": ("Ready", ("Title", "Target", "Confidence", "By")),
    "contradictions": ("Contradictions", ("In force", "Proposed", "Confidence", "Ready")),
    "duplicates": ("Near duplicates", ("First", "Second", "Why")),
    "stale": ("Stale", ("Decision", "Target", "Since", "By")),
}
Rows = Sequence[tuple[str, tuple[str, ...], str]]
"""For each row of a table its key, its cells, and the text below the table."""


class ReviewDesk(Protocol):
    """What the page shows, and what it can do about it. The actions return a sentence; all raise `PrecedentError`."""

    async def load(self) -> Review:
        """Load what there is to review."""
        ...

    async def accept(self, proposal_id: str) -> str:
        """Put a proposal in force."""
        ...

    async def list_similar(self) -> Sequence[SimilarPair]:
        """List pairs of entities that may be one."""
        ...

    async def reject(self, proposal_id: str, reason: str) -> str:
        """Reject a proposal."""
        ...

    async def retract(self, id_: str, reason: str) -> str:
        """Retract a record."""
        ...

    async def merge(self, keep: str, drop: str, reason: str) -> str:
        """Merge an entity into another."""
        ...


class GraphDesk:
    """The desk of one admin, on the graph."""

    def __init__(self, parts: Parts, caller: Principal, clock: Clock = now) -> None:
        self._graph = parts.graph
        self._decisions = DecisionService(parts, cooldown=0, clock=clock)
        self._curation = CurationService(parts.graph, parts.projector.wake)
        self._names = NameCorrections(parts)
        self._caller = caller

    async def load(self) -> Review:
        return await load_review(self._graph, self._caller.namespace)

    async def list_similar(self) -> Sequence[SimilarPair]:
        return (await self._names.list_similar(SimilarEntities(limit=100), self._caller)).pairs

    async def accept(self, proposal_id: str) -> str:
        request = AcceptProposal.parse({"proposal_id": proposal_id})
        with self._audit_context():
            return (await self._decisions.accept(request, self._caller)).message

    async def reject(self, proposal_id: str, reason: str) -> str:
        request = RejectProposal.parse({"proposal_id": proposal_id, "reason": reason})
        with self._audit_context():
            return (await self._decisions.reject(request, self._caller)).message

    async def retract(self, id_: str, reason: str) -> str:
        request = Retract.parse({"ids": [id_], "reason": reason})
        with self._audit_context():
            return (await self._curation.retract(request, self._caller)).message

    async def merge(self, keep: str, drop: str, reason: str) -> str:
        request = MergeEntities.parse({"keep": keep, "drop": drop, "reason": reason})
        with self._audit_context():
            return (await self._names.merge(request, self._caller)).message

    def _audit_context(self) -> AbstractContextManager[None]:
        return audit_context(self._caller.name, "precedent review", kind=self._caller.kind)


class ReasonScreen(ModalScreen[str | None]):
    """Asks for the reason of an action; Escape cancels it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]
    CSS = "ReasonScreen { align: center middle; } #ask { width: 80%; height: auto; border: round $accent; }"

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical(id="ask"):
            yield Label(self._question, markup=False)
            yield Input(id="reason")

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip() or None)


class ReviewPage(App[None]):
    """Four tables, the row under the cursor in full, and the keys that decide."""

    TITLE = "Precedent: review"
    CSS = "DataTable { height: 1fr; } #details { height: 40%; border-top: solid $accent; padding: 0 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "accept", "Accept"),
        Binding("r", "reject", "Reject"),
        Binding("x", "retract", "Retract"),
        Binding("m", "merge(True)", "Merge into the first"),
        Binding("n", "merge(False)", "Merge into the second"),
        Binding("u", "reload", "Reload"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, desk: ReviewDesk) -> None:
        super().__init__()
        self._desk = desk
        self._drafts: dict[str, ReviewedDraft] = {}
        self._pairs: dict[str, SimilarPair] = {}
        self._details: dict[tuple[str, str], str] = {}

    def compose(self) -> ComposeResult:
        yield Header()
        with TabbedContent(initial="ready", id="tabs"):
            for tab, (title, columns) in _TABS.items():
                with TabPane(title, id=tab):
                    table: DataTable[Text] = DataTable(id=f"{tab}-table", cursor_type="row")
                    table.add_columns(*columns)
                    yield table
        with VerticalScroll(id="details"):
            yield Static("", id="text", markup=False)
        yield Footer()

    async def on_mount(self) -> None:
        await self.action_reload()
        self._get_table("ready").focus()

    async def action_reload(self) -> None:
        """Load everything again."""
        try:
            review, pairs = await self._desk.load(), await self._desk.list_similar()
        except PrecedentError as error:
            self._report(error.message, failed=True)
            return
        self._drafts = {draft.id: draft for draft in review.drafts}
        self._details = {}
        self._fill("ready", [(each.id, _list_draft(each), _describe_draft(each)) for each in review.ready])
        self._fill(
            "contradictions",
            [(each.id, _list_contradiction(each), _describe_draft(each)) for each in review.contradictions],
        )
        self._pairs = {f"{pair.name}\n{pair.other}": pair for pair in pairs}
        self._fill("duplicates", [(key, _list_pair(pair), key) for key, pair in self._pairs.items()])
        self._fill("stale", [(each.id, _list_stale(each), each.rationale) for each in review.stale])
        self._show_details()

    @work
    async def action_accept(self) -> None:
        """Accept the draft under the cursor."""
        if (draft := self._find_draft()) is not None:
            await self._decide(lambda: self._desk.accept(draft.id))

    @work
    async def action_reject(self) -> None:
        """Ask for a reason, and reject the draft under the cursor."""
        if (draft := self._find_draft()) is not None:
            await self._ask(f"Why is “{draft.title}” rejected?", lambda why: self._desk.reject(draft.id, why))

    @work
    async def action_retract(self) -> None:
        """Ask for a reason, and retract the draft or decision under the cursor."""
        key = self._get_key()
        if key is not None and self._get_tab() != "duplicates":
            await self._ask(f"Why is {key} wrong?", lambda why: self._desk.retract(key, why))

    @work
    async def action_merge(self, into_first: bool) -> None:
        """Ask for a reason, and merge the pair under the cursor."""
        pair = self._pairs.get(self._get_key() or "") if self._get_tab() == "duplicates" else None
        if pair is not None:
            keep, drop = (pair.name, pair.other) if into_first else (pair.other, pair.name)
            await self._ask(f"Why is “{drop}” the same as “{keep}”?", lambda why: self._desk.merge(keep, drop, why))

    @on(DataTable.RowHighlighted)
    @on(TabbedContent.TabActivated)
    def _show_details(self) -> None:
        tab, key = self._get_tab(), self._get_key()
        self.query_one("#text", Static).update(self._details.get((tab, key or ""), ""))

    async def _ask(self, question: str, action: Callable[[str], Awaitable[str]]) -> None:
        reason = await self.push_screen_wait(ReasonScreen(_clean(question)))
        if reason is not None:
            await self._decide(lambda: action(reason))

    async def _decide(self, action: Callable[[], Awaitable[str]]) -> None:
        try:
            message = await action()
        except PrecedentError as error:
            self._report(error.message, failed=True)
            return
        await self.action_reload()
        self._report(message)

    def _fill(self, tab: str, rows: Rows) -> None:
        table = self._get_table(tab)
        table.clear()
        for key, cells, text in rows:
            # As `Text`: a plain string would be read as markup.
            table.add_row(*(Text(_clean(cell)) for cell in cells), key=key)
            self._details[tab, key] = _clean(text, lines=True)
        title = f"{_TABS[tab][0]} ({len(rows)})"
        self.query_one("#tabs", TabbedContent).get_tab(tab).label = title

    def _find_draft(self) -> ReviewedDraft | None:
        return self._drafts.get(self._get_key() or "")

    def _get_tab(self) -> str:
        return self.query_one("#tabs", TabbedContent).active

    def _get_table(self, tab: str) -> "DataTable[Text]":
        return self.query_one(f"#{tab}-table", DataTable)

    def _get_key(self) -> str | None:
        table = self._get_table(self._get_tab() or "ready")
        if not table.row_count:
            return None
        return table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value

    def _report(self, message: str, *, failed: bool = False) -> None:
        self.notify(_clean(message), severity="error" if failed else "information", markup=False)


def _list_draft(draft: ReviewedDraft) -> tuple[str, ...]:
    return draft.title, draft.target, _format_confidence(draft), draft.by


def _list_contradiction(draft: ReviewedDraft) -> tuple[str, ...]:
    return ", ".join(draft.supersedes), draft.title, _format_confidence(draft), "yes" if draft.ready else "not yet"


def _list_pair(pair: SimilarPair) -> tuple[str, ...]:
    reasons = [
        *(["spelling"] if pair.name_similar else []),
        *([f"meaning {pair.meaning:.2f}"] if pair.meaning else []),
        *([f"neighbours {pair.shared_neighbors:.2f}"] if pair.shared_neighbors else []),
    ]
    return pair.name, pair.other, ", ".join(reasons)


def _list_stale(decision: StaleDecision) -> tuple[str, ...]:
    return decision.title, decision.target, decision.at[:10], decision.by


def _format_confidence(draft: ReviewedDraft) -> str:
    return "" if draft.confidence is None else f"{draft.confidence:.2f}"


def _describe_draft(draft: ReviewedDraft) -> str:
    parts = [draft.title, draft.rationale]
    for title, names in (
        ("Supersedes", draft.supersedes),
        ("Evidence", draft.evidence),
        ("Competes with", draft.rivals),
    ):
        if names:
            parts.append("\n".join([f"{title}:", *(f"  - {name}" for name in names)]))
    return "\n\n".join(parts)


def _clean(text: str, *, lines: bool = False) -> str:
    clean = remove_control_characters(text)
    return clean if lines else " ".join(clean.split())
