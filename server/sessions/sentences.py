"""The sentences of a session that can stand by themselves: prose, without code, headings and list marks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from server.sessions.summarising import Turn

MOST = 240
"""Sentences of a session that are compared; of a longer one, as many of each part."""
_SHORTEST = 4
"""Words of a sentence that says something by itself."""
_LONGEST = 320
"""Characters of a sentence that is read in one go; a longer one is cut."""

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_MARKS = re.compile(r"^\s*(?:[-*+>#|]+|\d+[.)])\s*", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\[\[([^\]|]*)(?:\|([^\]]*))?\]\]")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`+)(?=\S)(.+?)(?<=\S)\1")
_WRAP = re.compile(r"(?<=[^\n]{50})\n(?=[^\s*+>#|\d-])")
"""The end of a line that is none of a sentence: the line is long, and what follows is no list."""
_END = re.compile(r"(?<=[.!?…])[\"'”)]*\s+(?=[\"'“(\[]?[A-Z0-9])|(?<=[\u3002\uff01\uff1f])|\n+")
_SPEAKER = re.compile(r"^\s*([A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,2}):\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, the number of its turn, whether it was asked (or else answered), and who said it where that is
    told."""

    text: str
    turn: int
    asked: bool
    speaker: str | None

    @property
    def told(self) -> str:
        """The sentence as a summary quotes it."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


def sentences(turns: Sequence[Turn]) -> list[Sentence]:
    """The sentences of a session in its order; of one with too many, evenly thinned out."""
    found: list[Sentence] = []
    seen: set[str] = set()
    for number, turn in enumerate(turns):
        for sentence in [
            *_of(turn.prompt, number, asked=True),
            *_of(turn.response or turn.thought, number, asked=False),
        ]:
            if (key := sentence.text.casefold()) not in seen:
                seen.add(key)
                found.append(sentence)
    if len(found) <= MOST:
        return found
    return [found[place * len(found) // MOST] for place in range(MOST)]


def plain(text: str) -> str:
    """A text without code, links, emphasis and list marks."""
    text = _CODE.sub("\n", text)
    text = _LINK.sub(lambda match: match[1] or match[3] or match[2] or "", text)
    return _EMPHASIS.sub(r"\2", _MARKS.sub("", _WRAP.sub(" ", text)))


def _of(text: str, turn: int, *, asked: bool) -> Iterator[Sentence]:
    speaker = _SPEAKER.match(text)
    prose = plain(text[speaker.end() :] if speaker else text)
    for part in _END.split(prose):
        said = " ".join(part.split())
        if len(said.split()) >= _SHORTEST and any(map(str.isalpha, said)):
            yield Sentence(_cut(said), turn, asked, speaker[1] if speaker else None)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"
