"""The services of all families, as one typed value."""

from dataclasses import dataclass

from server.cognition.service import CognitionService
from server.curation.service import CurationService
from server.decisions.service import DecisionService
from server.entities.merging import NameCorrections
from server.entities.service import EntityService
from server.entries.service import EntryService
from server.evaluation.service import EvaluationService
from server.history.service import HistoryService
from server.journal.service import JournalService
from server.reflection.service import ReflectionService
from server.sessions.service import SessionService


@dataclass(frozen=True, slots=True)
class Services:
    """Every use case of Precedent, by family."""

    decisions: DecisionService
    entities: EntityService
    entries: EntryService
    journal: JournalService
    cognition: CognitionService
    evaluation: EvaluationService
    sessions: SessionService
    curation: CurationService
    names: NameCorrections
    history: HistoryService
    reflection: ReflectionService
