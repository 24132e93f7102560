"""The statuses of decision records, and what each means. Source: ING-26, ING-27.

| standing | words | status of the :Decision |
|---|---|---|
| in force | accepted, active, final, provisional, approved, adopted, implemented, decided … | `active` |
| replaced | superseded, replaced | `superseded` |
| retired | deprecated, obsolete, retired … | `deprecated` |
| dropped | rejected, withdrawn, abandoned, declined, "April Fool!" … | `deprecated` |
| pending | proposed, draft, deferred, in review … | `draft` |

Only `active` answers as current, so a word that is not in this table means `draft` and is reported: a guess never puts
a decision in force. A record without a status, as MADR's minimal template allows, states a decision that was made: it
is in force, and that is reported too. The original text is stored as `source_status`.
"""

import re

from ingest.records import Standing

_WORDS: dict[Standing, tuple[str, ...]] = {
    Standing.IN_FORCE: (
        "accepted", "active", "final", "provisional", "approved", "adopted", "agreed", "implemented", "decided",
        "done", "in force", "effective", "valid", "current", "completed",
    ),
    Standing.REPLACED: ("superseded", "superceded", "replaced"),
    Standing.RETIRED: ("deprecated", "obsolete", "obsoleted", "retired", "archived", "expired", "discontinued"),
    Standing.DROPPED: (
        "rejected", "withdrawn", "abandoned", "declined", "cancelled", "canceled", "dropped", "discarded",
        "april fool",
    ),
    Standing.PENDING: (
        "proposed", "proposal", "draft", "drafted", "deferred", "pending", "in review", "review", "open",
        "in progress", "in discussion", "under discussion", "under review", "on hold", "postponed", "wip",
    ),
}  # fmt: skip
_STANDINGS = {word: standing for standing, words in _WORDS.items() for word in words}
_FIRST = re.compile(
    r"^[^a-z]*(" + "|".join(sorted(map(re.escape, _STANDINGS), key=len, reverse=True)) + r")\b", re.IGNORECASE
)
_UNFILLED = re.compile(r"[|{}]|\baccepted\s*/", re.IGNORECASE)


def parse_status(words: str) -> Standing | None:
    """The standing that a status begins with, or None for an unknown one.

    A template that nobody filled in ("proposed | accepted | rejected") has none.
    """
    if _UNFILLED.search(words):
        return None
    match = _FIRST.match(words)
    return _STANDINGS[match[1].lower()] if match else None


NO_DATE = "it has no date that can be read: the time of its first ingestion is used"
NO_STATUS = "it has no status: it counts as accepted"


def describe_unknown_status(words: str) -> str:
    """The note about a status that is not in the table."""
    return f"the status {words[:60]!r} is not known: it counts as a draft"
