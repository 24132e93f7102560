"""The sentences of a session that are understandable alone: prose, without code, headings and list marks.

Source: SES-27.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from server.sessions.summarising import Turn

MOST = 240
"""Sentences of a session that are compared; a longer session is thinned out evenly."""
_SHORTEST = 4
"""Fewest words of a sentence that is understandable alone."""
_LONGEST = 320
"""Most characters of a sentence; a longer one is cut."""

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_MARKS = re.compile(r"^\s*(?:[-*+>#|]+|\d+[.)])\s*", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\[\[([^\]|]*)(?:\|([^\]]*))?\]\]")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`+)(?=\S)(.+?)(?<=\S)\1")
_WRAP = re.compile(r"(?<=[^\n]{50})\n(?=[^\s*+>#|\d-])")
"""The end of a line within a sentence: the line is long, and no list follows."""
_END = re.compile(r"(?<=[.!?…])[\"'”)]*\s+(?=[\"'“(\[]?[A-Z0-9])|(?<=[\u3002\uff01\uff1f])|\n+")
_SPEAKER = re.compile(r"^\s*([A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,2}):\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, the number of its turn, whether it is from the prompt, and its speaker where the text names one."""

    text: str
    turn: int
    is_prompt: bool
    speaker: str | None

    @property
    def quotation(self) -> str:
        """The sentence as a summary quotes it."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


def split_sentences(turns: Sequence[Turn]) -> list[Sentence]:
    """Return the sentences of a session in its order; a session with too many is thinned out evenly."""
    found: list[Sentence] = []
    seen: set[str] = set()
    for number, turn in enumerate(turns):
        for sentence in [
            *_split_text(turn.prompt, number, is_prompt=True),
            *_split_text(turn.response or turn.thought, number, is_prompt=False),
        ]:
            if (key := sentence.text.casefold()) not in seen:
                seen.add(key)
                found.append(sentence)
    if len(found) <= MOST:
        return found
    return [found[index * len(found) // MOST] for index in range(MOST)]


def strip_markup(text: str) -> str:
    """Return a text without code, links, emphasis and list marks."""
    text = _CODE.sub("\n", text)
    text = _LINK.sub(lambda match: match[1] or match[3] or match[2] or "", text)
    return _EMPHASIS.sub(r"\2", _MARKS.sub("", _WRAP.sub(" ", text)))


def _split_text(text: str, turn: int, *, is_prompt: bool) -> Iterator[Sentence]:
    speaker = _SPEAKER.match(text)
    prose = strip_markup(text[speaker.end() :] if speaker else text)
    for part in _END.split(prose):
        sentence = " ".join(part.split())
        if len(sentence.split()) >= _SHORTEST and any(map(str.isalpha, sentence)):
            yield Sentence(_shorten(sentence), turn, is_prompt, speaker[1] if speaker else None)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"
