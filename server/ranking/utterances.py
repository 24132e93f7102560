"""What somebody said in a conversation: who, how much, and whether it asks something.

A text that begins with a name and a colon, as in "Caroline: I moved here in May.", is an utterance. Three things are
known about it without reading it:

- A question that names a speaker is mostly answered by that speaker. "I" in a question is the user of an assistant.
- A short utterance says little: "Wow, that is great!" resembles many questions and answers none.
- A short question is answered by what follows it.

Pure functions. The constants were chosen on conversations of people and of users with an assistant together. Source:
RET-27 to RET-30; docs/decisions/0031.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, log2

from server.ranking.naming import split_words
from server.ranking.terms import extract_terms

SHORT = 150
"""The characters from which on an utterance is not short."""
PER_HALVING = 0.1
"""What a short utterance loses of its share for each halving of its length."""
OTHERS = 0.8
"""The share of an utterance in a conversation with the speaker that the question names, by somebody else."""

_LABEL = re.compile(r"([^\W\d_][^\n:]{0,39}): ")
_MOST_WORDS = 3
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our"})
_USERS = frozenset({"user", "human"})


@dataclass(frozen=True, slots=True)
class Utterance:
    """The speaker in lower case, the length in characters up to `SHORT`, and whether it is a short question."""

    speaker: str
    length: int
    asks: bool


def parse_utterance(text: str, *, is_long: bool) -> Utterance | None:
    """Return what is known about a text, or about one that is long and begins so; None if nobody said it."""
    found = _LABEL.match(text)
    if found is None or len(found[1].split()) > _MOST_WORDS:
        return None
    is_short = not is_long and len(text) <= SHORT
    return Utterance(found[1].casefold(), len(text) if is_short else SHORT, is_short and text.rstrip().endswith("?"))


def compute_shares(query: str, utterances: Mapping[int, Utterance], sessions: Mapping[int, str]) -> dict[int, float]:
    """Return the share of its relevance that each record of a conversation keeps, above 0 to 1.

    `sessions` has the session of each record that is a candidate. A record whose utterance is not known keeps what the
    others do on average.
    """
    said = {record: each for record, each in utterances.items() if record in sessions}
    asked, is_user = frozenset(extract_terms(query)), not _FIRST_PERSON.isdisjoint(split_words(query))
    named = {record for record, each in said.items() if _names(each.speaker, asked, is_user=is_user)}
    conversations = {sessions[record] for record in named}
    shares = {
        record: (1 + PER_HALVING * log2(max(each.length, 1) / SHORT))
        * (OTHERS if record not in named and sessions[record] in conversations else 1.0)
        for record, each in said.items()
    }
    average = fsum(shares.values()) / len(shares) if shares else 1.0
    return {record: shares.get(record, average) for record in sessions}


def _names(speaker: str, asked: frozenset[str], *, is_user: bool) -> bool:
    words = _split_label(speaker)
    return (bool(words) and words <= asked) or (is_user and speaker in _USERS)


@lru_cache(maxsize=1_000)
def _split_label(speaker: str) -> frozenset[str]:
    return frozenset(extract_terms(speaker))
