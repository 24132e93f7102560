"""Long conversations as a memory sees them, and questions with the turns that answer them: LoCoMo and BEAM."""

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.bench import DATA

_CATEGORIES = {1, 2, 3, 4}
"""The fifth asks for what was never said."""
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said, as a user would save it: the speaker's name in front, a picture's caption behind."""

    id: str
    session: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the ids of the turns that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in the order in which they were said, and what is asked about them."""

    id: str
    turns: Sequence[Turn]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A file of conversations; `aim` is the recall@10 that `search` is to reach on it."""

    name: str
    file: Path
    aim: str


LOCOMO = Corpus("LoCoMo", DATA / "locomo-3.json", "≥ 79.5")
"""People who chat in short turns."""
BEAM = Corpus("BEAM", DATA / "beam-5.json.gz", "≥ 63")
"""A user and an assistant who write at length: 2,100 characters on average."""


def conversations(file: Path) -> list[Conversation]:
    """Every conversation of the file; of LoCoMo the questions of categories 1 to 4 that name their evidence."""
    raw = file.read_bytes()
    if file.suffix == ".gz":
        return [_plain_conversation(told) for told in json.loads(gzip.decompress(raw))]
    return [_conversation(told) for told in json.loads(raw)]


def _plain_conversation(told: dict[str, Any]) -> Conversation:
    """BEAM as it is kept: a list of turns, and questions with the ids of turns."""
    turns = [
        Turn(turn["id"], turn["session"], turn["date"], f"{turn['speaker']}: {turn['text']}") for turn in told["turns"]
    ]
    return Conversation(
        told["id"], turns, [Question(each["text"], frozenset(each["evidence"])) for each in told["questions"]]
    )


def _conversation(told: dict[str, object]) -> Conversation:
    said = told["conversation"]
    asked = told["qa"]
    assert isinstance(said, dict)
    assert isinstance(asked, list)
    sessions = sorted(
        (found[0] for name in said if (found := _SESSION.fullmatch(name))), key=lambda name: int(name[8:])
    )
    turns = [
        Turn(_ids(turn["dia_id"])[0], session, said[f"{session}_date_time"], _text(turn))
        for session in sessions
        for turn in said[session]
    ]
    questions = [
        Question(each["question"], frozenset(evidence))
        for each in asked
        if each["category"] in _CATEGORIES and (evidence := _ids("; ".join(each["evidence"])))
    ]
    return Conversation(str(told["sample_id"]), turns, questions)


def _ids(text: str) -> list[str]:
    """They are written in several ways, with leading zeros or without."""
    return [f"D{int(session)}:{int(turn)}" for session, turn in _TURN.findall(text)]


def _text(turn: dict[str, str]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f" [{caption}]" if caption else "")
