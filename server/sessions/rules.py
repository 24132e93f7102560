"""Rules for the category, technologies and scores of a session, without a language model.

All rules are in this file, and the numbers that scores come from are stored with the summary (`signals`):

- category: words that are typical of a kind of work; they count three times in the first words of a prompt. Without a
  sign of technical work only prompts count, so that a private conversation is `other`.
- technologies: mentioned entities with a technical label, names from `technologies.txt`, and the languages of files.
- quality (it stayed with its subject): the average similarity of its turns to their centre.
- productivity (it reached its goals): answers that report something done, against those that report a problem.
- impact (it changed something): words of change in the answers, and files.
- complexity: turns, length, files, technologies and problems together.

Source: SES-28, SES-29, SES-30.
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
_FIRST_WORDS = 6
"""Words at the beginning of a prompt that name the task."""
_FIRST_WEIGHT = 3
_MOST_IN_PROMPT = 3
"""Words of one kind that count in a whole prompt."""
_LEAST_POINTS = 2.0
"""Points that a category needs, for each ten turns and at least once."""
_OPENING_WEIGHT = 2
"""Weight of the first prompt of a session against the later ones."""

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
"""Weights of kinds whose words are more reliable than those of others."""

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


def find_technologies(turns: Sequence[Turn], mentions: Sequence[Mention]) -> list[str]:
    """Return the technologies of a session, most often named first."""
    text = "\n".join(f"{turn.prompt}\n{turn.thought}\n{turn.response}" for turn in turns)
    counts: dict[str, int] = {}
    for mention in mentions:
        if mention.label in TECHNICAL_LABELS:
            counts[mention.name] = counts.get(mention.name, 0) + mention.memories
    for match in _FILE.finditer(text):
        if language := _LANGUAGES.get(match[1]):
            counts[language] = counts.get(language, 0) + 1
    clear, ambiguous = _count_names(text)
    for name, number in clear.items():
        counts[name] = counts.get(name, 0) + number
    if counts or _CODE.search(text):
        # "Go" and "Swift" are also English words: they count only beside other signs of technology.
        for name, number in ambiguous.items():
            counts[name] = counts.get(name, 0) + number
    ranked = sorted(counts, key=lambda name: (-counts[name], name.casefold()))
    unique = {name.casefold(): name for name in reversed(ranked)}
    return [name for name in ranked if unique[name.casefold()] == name][:MOST_TECHNOLOGIES]


def choose_category(turns: Sequence[Turn], technologies: Sequence[str]) -> Category:
    """Return the kind of work with the most points, or `other`."""
    technical = bool(technologies) or any(_CODE.search(f"{turn.prompt}\n{turn.response}") for turn in turns)
    points = dict.fromkeys(_PATTERNS, 0.0)
    for number, turn in enumerate(turns):
        first = " ".join(turn.prompt.split()[:_FIRST_WORDS])
        for kind, pattern in _PATTERNS.items():
            found = _FIRST_WEIGHT * len(pattern.findall(first))
            if technical:
                found += min(len(pattern.findall(turn.prompt)), _MOST_IN_PROMPT)
                found += min(len(pattern.findall(turn.response)), 1)
            points[kind] += found * _WEIGHTS.get(kind, 1.0) * (1 if number else _OPENING_WEIGHT)
    best = max(points, key=lambda kind: points[kind])
    return best if points[best] >= _LEAST_POINTS * max(1.0, len(turns) / 10) else "other"


def compute_scores(turns: Sequence[Turn], focus: float, technologies: Sequence[str]) -> Scores:
    """Compute the scores of a session; `focus` is the average cosine of its turns to their centre."""
    done = sum(bool(_DONE.search(turn.response)) for turn in turns)
    unsolved = sum(bool(_OPEN.search(turn.response)) for turn in turns)
    ended = bool(turns and _DONE.search(turns[-1].response) and not _OPEN.search(turns[-1].response))
    changes = sum(len(_CHANGE.findall(turn.response)) for turn in turns)
    files_named = {match[0] for turn in turns for match in _FILE.finditer(f"{turn.prompt}\n{turn.response}")}
    words = sum(len(turn.prompt.split()) + len(turn.response.split()) for turn in turns)
    load = len(turns) / 20 + words / 4_000 + len(files_named) / 10 + len(technologies) / 8 + unsolved / 8
    return Scores(
        quality=_to_percent((focus - 0.3) / 0.5),
        productivity=_to_percent(0.5 + 0.4 * (done - unsolved) / (done + unsolved + 1) + (0.1 if ended else 0.0)),
        impact=_to_percent(1 - exp(-(changes + len(files_named)) / 12)),
        complexity=_to_percent(1 - exp(-load)),
        signals={
            "turns": len(turns),
            "words": words,
            "focus": round(focus, 4),
            "done": done,
            "open": unsolved,
            "ended_done": int(ended),
            "changes": changes,
            "files": len(files_named),
            "technologies": len(technologies),
        },
    )


def _to_percent(share: float) -> int:
    return round(100 * min(max(share, 0.0), 1.0))


def _count_names(text: str) -> tuple[dict[str, int], dict[str, int]]:
    """Count the names of technologies: clear names, and names that are also English words."""
    names, clear_pattern, ambiguous_pattern = _load_technologies()
    clear: dict[str, int] = {}
    ambiguous: dict[str, int] = {}
    for match in clear_pattern.finditer(text):
        name, is_ambiguous = names[match[0].casefold()]
        if not is_ambiguous:
            clear[name] = clear.get(name, 0) + 1
    for match in ambiguous_pattern.finditer(text):
        ambiguous[match[0]] = ambiguous.get(match[0], 0) + 1
    return clear, ambiguous


@cache
def _load_technologies() -> tuple[dict[str, tuple[str, bool]], re.Pattern[str], re.Pattern[str]]:
    """Load the names by spelling, and patterns for clear names in any case and for ambiguous ones as written.

    The bool of a name says whether it is also an English word.
    """
    names: dict[str, tuple[str, bool]] = {}
    for line in files("server.sessions").joinpath("technologies.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            is_ambiguous = line.startswith("!")
            spellings = [part.strip() for part in line.removeprefix("!").split("=")]
            names |= {spelling.casefold(): (spellings[0], is_ambiguous) for spelling in spellings}
    clear = [spelling for spelling, (_, is_ambiguous) in names.items() if not is_ambiguous]
    ambiguous = [name for name, is_ambiguous in names.values() if is_ambiguous]
    return names, _compile_names(clear, re.IGNORECASE), _compile_names(ambiguous, re.NOFLAG)


def _compile_names(names: Sequence[str], flags: re.RegexFlag) -> re.Pattern[str]:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w.#+-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w#+-])", flags)
