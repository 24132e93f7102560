"""Summaries without a language model: the session's own most central sentences, and rules over it.

Sentences that are like many others of the session say what it is about (TextRank: the rank of a sentence is what flows
to it over similarities, as of a page over links). The best ones that do not say the same twice are told in their order:
what it was about, what was asked, what was said, how it ended. Nothing is invented; a sentence may need its neighbours.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from server.embedding.embedder import Embedder
from server.ranking.terms import terms
from server.sessions import rules
from server.sessions.sentences import Sentence, plain, sentences
from server.sessions.summarising import Digest, Mention, Turn, short_title

Matrix = NDArray[np.floating[Any]]
_DAMPING = 0.85
_STEPS = 50
_STILL = 1e-6
_ALIKE = 0.25
"""Cosine below which two sentences do not speak for one another."""
_SAME = 0.8
"""Cosine above which two sentences say the same."""
_FEWEST, _MOST = 3, 8
_SHORTEST = 3
"""Letters of a word that may be a topic."""
_TOPICS = 5
_SMALL_TALK = frozenset(
    """
    able absolutely actually ago agree always amazing anything appreciate around away awesome back beautiful best
    better big bit call came care come cool couldn day days definitely different doesn don done enjoy even ever
    every everyone everything exactly excited exciting experience explain fantastic feel feeling feels felt find
    fine first forward fun gave get gets getting give glad goes going gonna good got gotta great guess guys happy
    hard hear heard hello help helped helping helps hey hope idea important impressive incredible inspiring
    interesting isn journey just keep keeping kind know last let life like line little long look looking looks lot
    lots love loved lovely luck lucky made make makes making many maybe mean means meant might moment much must need
    needs new next nice nothing often oh okay one ones part people perfect person pic picture place please point
    positive powerful pretty probably proud put quite ready really recently right said saw say says see seems seen
    share shared sharing show something soon sounds special start started stay stuff super supportive sure take
    taken taking talk tell thank thanks thing things think thinking though thought time times today together
    tomorrow tonight took totally tough truly try trying understand use used using want wanted wanting wasn way ways
    week weekend weeks well went while woah wonderful wondering word words work worked working works world worth
    would wow yeah year years yep yes yesterday
    """.split()  # noqa: SIM905 - as prose it can be read
)
"""What people say all the time when they talk; none of it says what a talk is about."""
_PRAISE = re.compile(r"\byou(?:r|'re|'ve|'ll)?\b|\bthat(?:'s| is| sounds)\b|\bthanks?\b", re.IGNORECASE)
_PARTICULAR = re.compile(r"(?<=[\w,;] )[A-Z][\w.+#-]*\w|\d[\d.,:]*|\w+[_./]\w+|\w+\(\)")


class ExtractiveSummariser:
    """A `Summariser` that quotes. Raises `EmbeddingUnavailable`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def summarise(self, turns: Sequence[Turn], mentions: Sequence[Mention]) -> Digest:
        said = await to_thread.run_sync(sentences, turns)
        vectors = (
            np.asarray(await self._embedder.embed_passages([one.text for one in said])) if said else np.zeros((0, 1))
        )
        return await to_thread.run_sync(_digest, turns, mentions, said, vectors)


def _digest(turns: Sequence[Turn], mentions: Sequence[Mention], said: Sequence[Sentence], vectors: Matrix) -> Digest:
    likeness = vectors @ vectors.T
    rank = central(likeness, _prior(said)) ** 0.5 * np.asarray([_telling(one) for one in said])
    known = rules.technologies(turns, mentions)
    scores = rules.scores(turns, _focus(said, vectors), known)
    return Digest(
        title=_title(turns, said, rank),
        summary=_told(turns, said, rank, likeness, mentions),
        category=rules.category(turns, known),
        technologies=known,
        method="extractive",
        quality=scores.quality,
        productivity=scores.productivity,
        impact=scores.impact,
        complexity=scores.complexity,
        signals=scores.signals,
    )


def central(likeness: Matrix, prior: Matrix) -> Matrix:
    """The rank of each sentence: where a walk over likenesses is found, which begins anew by the prior now and then."""
    count = len(likeness)
    if count == 0:
        return np.zeros(0)
    weights = np.where(likeness >= _ALIKE, likeness, 0.0)
    np.fill_diagonal(weights, 0.0)
    sums = weights.sum(axis=1, keepdims=True)
    # From a sentence that is like no other the walk begins anew.
    flow = np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), prior)
    rank = prior
    for _ in range(_STEPS):
        after = (1 - _DAMPING) * prior + _DAMPING * (rank @ flow)
        if float(np.abs(after - rank).sum()) < _STILL:
            break
        rank = after
    return rank


def chosen(order: Sequence[int], likeness: Matrix, most: int, taken: Sequence[int] = ()) -> list[int]:
    """The first `most` of an order that say something else than those before them, and than those taken already."""
    kept: list[int] = []
    for place in order:
        if len(kept) == most:
            break
        if all(likeness[place, other] < _SAME for other in [*taken, *kept]):
            kept.append(place)
    return kept


def _prior(said: Sequence[Sentence]) -> Matrix:
    """Where the walk begins: rather at what was asked, and at what opens a turn."""
    seen: set[tuple[int, bool]] = set()
    weights = []
    for one in said:
        weights.append((1.3 if one.asked else 1.0) * (1.0 if (one.turn, one.asked) in seen else 1.3))
        seen.add((one.turn, one.asked))
    given = np.asarray(weights)
    return given / given.sum() if len(given) else given


def _telling(sentence: Sentence) -> float:
    """How much a sentence tells by itself, 0 to 1.5: words with a meaning of their own, and names, numbers and code."""
    own = {word for word in terms(sentence.text) if word not in _SMALL_TALK and len(word) >= _SHORTEST}
    particular = len(set(_PARTICULAR.findall(sentence.text)))
    telling = min(len(own), 8) / 8 + min(particular, 4) / 8
    if _PRAISE.search(sentence.text) and not particular:
        telling *= 0.5
    return telling * (0.6 if sentence.text.endswith("?") and not sentence.asked else 1.0)


def _focus(said: Sequence[Sentence], vectors: Matrix) -> float:
    """The average cosine of the turns to their centre; of one turn it is whole."""
    numbers = sorted({one.turn for one in said})
    if not numbers:
        return 0.0
    turns = np.asarray(
        [vectors[[place for place, one in enumerate(said) if one.turn == turn]].mean(axis=0) for turn in numbers]
    )
    turns /= np.maximum(np.linalg.norm(turns, axis=1, keepdims=True), 1e-9)
    centre = turns.mean(axis=0)
    return float((turns @ centre).mean() / max(float(np.linalg.norm(centre)), 1e-9))


def _title(turns: Sequence[Turn], said: Sequence[Sentence], rank: Matrix) -> str:
    asked = [place for place, one in enumerate(said) if one.asked] or list(range(len(said)))
    if not asked:
        return short_title(plain(turns[0].prompt or turns[0].response)) or "Session"
    return short_title(_request(said[max(asked, key=lambda place: rank[place])].text)) or "Session"


_POLITE = (
    "hey", "hi", "hello", "please", "ok", "okay", "so", "and", "now", "great", "thanks", "well", "also", "then",
    "wow", "can you", "could you", "would you", "will you", "i want you to", "i would like you to",
    "i'd like you to", "i need you to", "i want to", "i would like to", "i'd like to", "i need to", "we need to",
    "let's", "let us", "help me to", "help me", "do you know", "tell me", "show me",
)  # fmt: skip


def _request(text: str) -> str:
    """A request without the words around it."""
    shorter = True
    while shorter:
        shorter = False
        for words in _POLITE:
            rest = text[len(words) :]
            if text.casefold().startswith(words) and rest[:1] in {" ", ",", "!", "."} and len(rest.split()) > 2:  # noqa: PLR2004
                text, shorter = rest.lstrip(" ,!."), True
    return text


def _told(
    turns: Sequence[Turn], said: Sequence[Sentence], rank: Matrix, likeness: Matrix, mentions: Sequence[Mention]
) -> str:
    order = sorted(range(len(said)), key=lambda place: -rank[place])
    talk = any(one.speaker for one in said)
    goal = [] if talk else chosen([place for place in order if said[place].asked], likeness, 1)
    late = [place for place in order if not said[place].asked and said[place].turn == len(turns) - 1]
    end = [] if talk or len(turns) == 1 else chosen(late, likeness, 1, goal)
    answers = [place for place in order if place not in end and (talk or not said[place].asked)]
    most = min(max(_FEWEST, len(turns) * 2 // 3), _MOST)
    main = sorted(chosen(answers, likeness, most, [*goal, *end]))
    parts = [_about(turns, said, mentions)]
    parts += [f"Asked: {said[place].told}" for place in goal]
    parts += [f"- {said[place].told}" for place in main]
    parts += [f"At the end: {said[place].told}" for place in end]
    return "\n".join(parts)


def _about(turns: Sequence[Turn], said: Sequence[Sentence], mentions: Sequence[Mention]) -> str:
    """How long it was, who spoke, and the words that come back most."""
    speakers = list(dict.fromkeys(one.speaker for one in said if one.speaker))
    between = f" between {' and '.join(speakers)}" if 1 < len(speakers) <= 3 else ""  # noqa: PLR2004 - a talk, not a list
    exchanges = f"{len(turns)} exchange{'s' if len(turns) != 1 else ''}{between}"
    topics = _topics(said, [mention.name for mention in mentions if mention.memories > 1], speakers)
    return f"{exchanges}, mostly about {', '.join(topics)}." if topics else f"{exchanges}."


def _topics(said: Sequence[Sentence], names: Sequence[str], speakers: Sequence[str]) -> list[str]:
    """Entities that come up again, then the words and pairs of words that most turns share, as they are written."""
    turns_of: dict[str, set[int]] = {}
    written: dict[str, Counter[str]] = {}
    own = {word for speaker in speakers for word in terms(speaker)}
    for one in said:
        words = [(form, word) for form in one.text.split() for word in terms(form)[:1]]
        kept = [
            (form.strip(".,;:!?\"'()[]\u201c\u201d\u2019\u2026"), word)
            for form, word in words
            if len(word) >= _SHORTEST and word not in _SMALL_TALK | own
        ]
        for form, word in kept:
            turns_of.setdefault(word, set()).add(one.turn)
            written.setdefault(word, Counter())[form] += 1
    topics = [name for name in names if not own & set(terms(name))][:_TOPICS]
    told = {word for name in topics for word in terms(name)}
    for word in sorted(turns_of, key=lambda word: (-len(turns_of[word]), -len(word), word)):
        if len(topics) == _TOPICS or len(turns_of[word]) < 2:  # noqa: PLR2004 - a word that comes back
            break
        if not any(word.startswith(other[:5]) for other in told):
            told.add(word)
            topics.append(written[word].most_common(1)[0][0])
    return topics
