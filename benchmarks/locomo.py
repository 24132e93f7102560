"""LoCoMo as a memory sees it: long conversations, and questions with the turns that answer them."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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


def conversations(file: Path) -> list[Conversation]:
    """Every conversation of the file, with the questions of categories 1 to 4 that name their evidence."""
    return [_conversation(told) for told in json.loads(file.read_text(encoding="utf-8"))]


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
