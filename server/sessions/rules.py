"""What can be said of a session without understanding it: its category, technologies and scores.

Every rule is written out here, and the numbers that scores come from are kept with the summary (`signals`):

- category: words that tell kinds of work apart, three times as much in the first words of what was asked. Without any
  sign of technical work only what was asked for counts, so that a talk among friends is `other`.
- technologies: entities that the session mentions, of a label that means one; names of `technologies.txt`; languages of
  the files that are named.
- quality, how much it stayed with its subject: the average similarity of its turns to their centre.
- productivity, how far it got: turns that say that something is done, against those that say that it is not.
- impact, how much it changed: words of change in the answers, and files that are named.
- complexity: turns, length, files, technologies and troubles together.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import exp
from typing import NamedTuple

from server.sessions.models import Category
from server.sessions.summarising import MOST_TECHNOLOGIES, Mention, Turn

TECHNICAL_LABELS = frozenset(
    {"Technology", "Language", "Library", "Framework", "Tool", "Database", "Standard", "Platform", "Package"}
)
_FIRST = 6
"""Words of a request that say what is to be done."""
_ASKED = 3
_ENOUGH = 2.0
"""What a category has to gather, for each ten turns and at least once."""
_OPENING = 2
"""How much more the first request says of a session than the ones that follow."""

_KINDS: Mapping[Category, str] = {
    "bugfix": r"bugs?|bugfix\w*|fix(?:es|ed|ing)?|errors?|exceptions?|crash\w*|tracebacks?|broken"
    r"|fail(?:s|ed|ing|ures?)?|problems?|wrong|regressions?|debug\w*|hotfix\w*|race condition"
    r"|leak(?:s|ed|ing)?|returns? 5\d\d|(?:does not|doesn't) work",
    "feature": r"add(?:s|ed|ing)?(?! (?:an? |the |some |more )?tests?)|implement\w*|features?|introduc\w*"
    r"|integrat\w*|support for|extend\w*|enabl\w*",
    "refactoring": r"refactor\w*|renam\w*|restructur\w*|clean(?:ed|ing)?[ -]?up|simplif\w*|de-?duplicat\w*"
    r"|moderni[sz]\w*|extract(?:s|ed|ing)? (?:a|the|into)|split (?:up|the)|tid(?:y|ied)",
    "documentation": r"documentation|docs?|readme|docstrings?|changelog|tutorials?|how-to"
    r"|document (?:the|this|how|our)",
    "new-app": r"new (?:app|application|project|service|site|website|repo(?:sitory)?)|from scratch|scaffold\w*"
    r"|bootstrap\w*|prototyp\w*|starter|greenfield|skeleton|where (?:do|should) (?:we|i) start",
    "analysis": r"analy[sz]\w*|investigat\w*|compar\w*|explain\w*|understand\w*|research\w*|review\w*|evaluat\w*"
    r"|measur\w*|benchmark\w*|profil(?:e|es|ed|ing)|audit\w*|trade-?offs?|root cause|look into",
}
_PATTERNS = {kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for kind, words in _KINDS.items()}
_WEIGHTS: Mapping[Category, float] = {"new-app": 2.0, "refactoring": 1.5, "documentation": 1.2}
"""Where one word says more than a word of other kinds does."""

_DONE = re.compile(
    r"\b(?:done|fixed|solved|resolved|works|working now|pass(?:es|ed|ing)?|succe(?:ss|ed)\w*|completed?"
    r"|finished|merged|deployed|released|implemented|green|agreed|decided)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:still (?:fails?|broken|open|not)|does(?: not|n't) work|cannot|can't|couldn't|unable|failed|failing|stuck"
    r"|blocked|to ?do|unresolved|not yet|no idea|gave up|timed? out)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:added|changed|removed|deleted|renamed|fixed|implemented|created|updated|migrated|replaced|refactored|moved"
    r"|introduced|upgraded|deployed|merged|released|wrote|rewrote|decided|configured|installed|switched)\b",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"(?<![\w@])[\w./-]*\w\.(py|tsx?|jsx?|mjs|rs|go|java|kt|rb|css|html|sql|cypher|sh|ya?ml|toml|cpp|cs|php)\b"
)
_LANGUAGES = {
    "py": "Python", "ts": "TypeScript", "tsx": "TypeScript", "js": "JavaScript", "jsx": "JavaScript",
    "mjs": "JavaScript", "rs": "Rust", "go": "Go", "java": "Java", "kt": "Kotlin", "rb": "Ruby", "css": "CSS",
    "html": "HTML", "sql": "SQL", "cypher": "Cypher", "sh": "Bash", "cpp": "C++", "cs": "C#", "php": "PHP",
}  # fmt: skip
_CODE = re.compile(r"```|\bdef \w+\(|\bfunction \w*\(|\bimport \w+|</\w+>|\$ \w+|\w+\(\)|\w+::\w+")


class Scores(NamedTuple):
    """The four scores, 0 to 100, and the signals that they come from."""

    quality: int
    productivity: int
    impact: int
    complexity: int
    signals: dict[str, float]


def technologies(turns: Sequence[Turn], mentions: Sequence[Mention]) -> list[str]:
    """What a session works with, most often named first."""
    text = "\n".join(f"{turn.prompt}\n{turn.thought}\n{turn.response}" for turn in turns)
    counts: dict[str, int] = {}
    for mention in mentions:
        if mention.label in TECHNICAL_LABELS:
            counts[mention.name] = counts.get(mention.name, 0) + mention.memories
    for match in _FILE.finditer(text):
        if language := _LANGUAGES.get(match[1]):
            counts[language] = counts.get(language, 0) + 1
    clear, unclear = _named(text)
    for name, number in clear.items():
        counts[name] = counts.get(name, 0) + number
    if counts or _CODE.search(text):
        # "Go" and "Swift" are words of English too: they count where other signs say that this is about technology.
        for name, number in unclear.items():
            counts[name] = counts.get(name, 0) + number
    ranked = sorted(counts, key=lambda name: (-counts[name], name.casefold()))
    unique = {name.casefold(): name for name in reversed(ranked)}
    return [name for name in ranked if unique[name.casefold()] == name][:MOST_TECHNOLOGIES]


def category(turns: Sequence[Turn], known: Sequence[str]) -> Category:
    """The kind of work that most words speak for, or `other`; `known` are the session's technologies."""
    technical = bool(known) or any(_CODE.search(f"{turn.prompt}\n{turn.response}") for turn in turns)
    gathered = dict.fromkeys(_PATTERNS, 0.0)
    for number, turn in enumerate(turns):
        first = " ".join(turn.prompt.split()[:_FIRST])
        for kind, pattern in _PATTERNS.items():
            found = _ASKED * len(pattern.findall(first))
            if technical:
                found += min(len(pattern.findall(turn.prompt)), _ASKED) + min(len(pattern.findall(turn.response)), 1)
            gathered[kind] += found * _WEIGHTS.get(kind, 1.0) * (1 if number else _OPENING)
    best = max(gathered, key=lambda kind: gathered[kind])
    return best if gathered[best] >= _ENOUGH * max(1.0, len(turns) / 10) else "other"


def scores(turns: Sequence[Turn], focus: float, known: Sequence[str]) -> Scores:
    """The scores of a session; `focus` is the average cosine of its turns to their centre."""
    done = sum(bool(_DONE.search(turn.response)) for turn in turns)
    still_open = sum(bool(_OPEN.search(turn.response)) for turn in turns)
    ended = bool(turns and _DONE.search(turns[-1].response) and not _OPEN.search(turns[-1].response))
    changes = sum(len(_CHANGE.findall(turn.response)) for turn in turns)
    named = {match[0] for turn in turns for match in _FILE.finditer(f"{turn.prompt}\n{turn.response}")}
    words = sum(len(turn.prompt.split()) + len(turn.response.split()) for turn in turns)
    load = len(turns) / 20 + words / 4_000 + len(named) / 10 + len(known) / 8 + still_open / 8
    return Scores(
        quality=_percent((focus - 0.3) / 0.5),
        productivity=_percent(0.5 + 0.4 * (done - still_open) / (done + still_open + 1) + (0.1 if ended else 0.0)),
        impact=_percent(1 - exp(-(changes + len(named)) / 12)),
        complexity=_percent(1 - exp(-load)),
        signals={
            "turns": len(turns),
            "words": words,
            "focus": round(focus, 4),
            "done": done,
            "open": still_open,
            "ended_done": int(ended),
            "changes": changes,
            "files": len(named),
            "technologies": len(known),
        },
    )


def _percent(share: float) -> int:
    return round(100 * min(max(share, 0.0), 1.0))


def _named(text: str) -> tuple[dict[str, int], dict[str, int]]:
    """How often technologies are named: those whose names are no other words, and those whose names are."""
    names, pattern, exact = _technologies()
    clear: dict[str, int] = {}
    unclear: dict[str, int] = {}
    for match in pattern.finditer(text):
        name, ambiguous = names[match[0].casefold()]
        if not ambiguous:
            clear[name] = clear.get(name, 0) + 1
    for match in exact.finditer(text):
        unclear[match[0]] = unclear.get(match[0], 0) + 1
    return clear, unclear


@cache
def _technologies() -> tuple[dict[str, tuple[str, bool]], re.Pattern[str], re.Pattern[str]]:
    """Spelling to name and whether it is an English word too; what finds the former in any case, the latter as
    written."""
    names: dict[str, tuple[str, bool]] = {}
    for line in files("server.sessions").joinpath("technologies.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            ambiguous = line.startswith("!")
            spellings = [part.strip() for part in line.removeprefix("!").split("=")]
            names |= {spelling.casefold(): (spellings[0], ambiguous) for spelling in spellings}
    clear = [spelling for spelling, (_, ambiguous) in names.items() if not ambiguous]
    unclear = [name for name, ambiguous in names.values() if ambiguous]
    return names, _any_of(clear, re.IGNORECASE), _any_of(unclear, re.NOFLAG)


def _any_of(words: Sequence[str], flags: re.RegexFlag) -> re.Pattern[str]:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<![\w.#+-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w#+-])", flags)
