"""Summaries without a language model: the most central sentences of a session, with rules for category and scores.

A sentence that is similar to many others is central (TextRank: a random walk over similarities, as PageRank over
links). The summary quotes the best sentences that do not repeat each other, in their order: the subject, the request,
the answers, the end. Nothing is invented; a quoted sentence may need its context.

Source: SES-27.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from server.embedding.embedder import Embedder
from server.ranking.terms import extract_terms
from server.sessions import rules
from server.sessions.sentences import Sentence, split_sentences, strip_markup
from server.sessions.summarising import Digest, Mention, Turn, shorten_title

Matrix = NDArray[np.floating[Any]]
_DAMPING = 0.85
_STEPS = 50
_CONVERGED = 1e-6
_LEAST_SIMILARITY = 0.25
"""Cosine below which two sentences do not support each other."""
_DUPLICATE = 0.8
"""Cosine from which two sentences have the same meaning."""
_FEWEST, _MOST = 3, 8
_SHORTEST = 3
"""Fewest letters of a word that may be a topic."""
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
    """.split()  # noqa: SIM905 - readable as prose
)
"""Frequent words of conversations; none of them is a topic."""
_PRAISE = re.compile(r"\byou(?:r|'re|'ve|'ll)?\b|\bthat(?:'s| is| sounds)\b|\bthanks?\b", re.IGNORECASE)
_PARTICULAR = re.compile(r"(?<=[\w,;] )[A-Z][\w.+#-]*\w|\d[\d.,:]*|\w+[_./]\w+|\w+\(\)")


class ExtractiveSummariser:
    """A `Summariser` that quotes the session. Raises `EmbeddingUnavailable`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def summarise(self, turns: Sequence[Turn], mentions: Sequence[Mention]) -> Digest:
        sentences = await to_thread.run_sync(split_sentences, turns)
        texts = [sentence.text for sentence in sentences]
        vectors = np.asarray(await self._embedder.embed_passages(texts)) if texts else np.zeros((0, 1))
        return await to_thread.run_sync(_digest, turns, mentions, sentences, vectors)


def _digest(
    turns: Sequence[Turn], mentions: Sequence[Mention], sentences: Sequence[Sentence], vectors: Matrix
) -> Digest:
    similarity = vectors @ vectors.T
    content = np.asarray([_score_content(sentence) for sentence in sentences])
    rank = rank_sentences(similarity, _compute_prior(sentences)) ** 0.5 * content
    technologies = rules.find_technologies(turns, mentions)
    scores = rules.compute_scores(turns, _compute_focus(sentences, vectors), technologies)
    return Digest(
        title=_choose_title(turns, sentences, rank),
        summary=_compose_summary(turns, sentences, rank, similarity, mentions),
        category=rules.choose_category(turns, technologies),
        technologies=technologies,
        method="extractive",
        quality=scores.quality,
        productivity=scores.productivity,
        impact=scores.impact,
        complexity=scores.complexity,
        signals=scores.signals,
    )


def rank_sentences(similarity: Matrix, prior: Matrix) -> Matrix:
    """Return the rank of each sentence: its probability in a random walk with restarts by the prior."""
    count = len(similarity)
    if count == 0:
        return np.zeros(0)
    weights = np.where(similarity >= _LEAST_SIMILARITY, similarity, 0.0)
    np.fill_diagonal(weights, 0.0)
    sums = weights.sum(axis=1, keepdims=True)
    # From a sentence that is similar to no other the walk restarts.
    flow = np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), prior)
    rank = prior
    for _ in range(_STEPS):
        after = (1 - _DAMPING) * prior + _DAMPING * (rank @ flow)
        if float(np.abs(after - rank).sum()) < _CONVERGED:
            break
        rank = after
    return rank


def choose_distinct(order: Sequence[int], similarity: Matrix, most: int, taken: Sequence[int] = ()) -> list[int]:
    """Return the first `most` sentences of an order that repeat none before them and none of those already taken."""
    kept: list[int] = []
    for index in order:
        if len(kept) == most:
            break
        if all(similarity[index, other] < _DUPLICATE for other in [*taken, *kept]):
            kept.append(index)
    return kept


def _compute_prior(sentences: Sequence[Sentence]) -> Matrix:
    """Return the start probabilities of the walk: higher for prompts and for the first sentence of a text."""
    seen: set[tuple[int, bool]] = set()
    weights = []
    for sentence in sentences:
        key = sentence.turn, sentence.is_prompt
        weights.append((1.3 if sentence.is_prompt else 1.0) * (1.0 if key in seen else 1.3))
        seen.add(key)
    prior = np.asarray(weights)
    return prior / prior.sum() if len(prior) else prior


def _score_content(sentence: Sentence) -> float:
    """Return how much content a sentence has, 0 to 1.5: meaningful words, and names, numbers and code."""
    meaningful = {word for word in extract_terms(sentence.text) if word not in _SMALL_TALK and len(word) >= _SHORTEST}
    particular = len(set(_PARTICULAR.findall(sentence.text)))
    score = min(len(meaningful), 8) / 8 + min(particular, 4) / 8
    if _PRAISE.search(sentence.text) and not particular:
        score *= 0.5
    return score * (0.6 if sentence.text.endswith("?") and not sentence.is_prompt else 1.0)


def _compute_focus(sentences: Sequence[Sentence], vectors: Matrix) -> float:
    """Return the average cosine of the turns to their centre; 1 for a single turn."""
    numbers = sorted({sentence.turn for sentence in sentences})
    if not numbers:
        return 0.0
    turns = np.asarray(
        [
            vectors[[index for index, sentence in enumerate(sentences) if sentence.turn == turn]].mean(axis=0)
            for turn in numbers
        ]
    )
    turns /= np.maximum(np.linalg.norm(turns, axis=1, keepdims=True), 1e-9)
    centre = turns.mean(axis=0)
    return float((turns @ centre).mean() / max(float(np.linalg.norm(centre)), 1e-9))


def _choose_title(turns: Sequence[Turn], sentences: Sequence[Sentence], rank: Matrix) -> str:
    prompts = [index for index, sentence in enumerate(sentences) if sentence.is_prompt] or list(range(len(sentences)))
    if not prompts:
        return shorten_title(strip_markup(turns[0].prompt or turns[0].response)) or "Session"
    return shorten_title(_strip_politeness(sentences[max(prompts, key=lambda index: rank[index])].text)) or "Session"


_POLITE = (
    "hey", "hi", "hello", "please", "ok", "okay", "so", "and", "now", "great", "thanks", "well", "also", "then",
    "wow", "can you", "could you", "would you", "will you", "i want you to", "i would like you to",
    "i'd like you to", "i need you to", "i want to", "i would like to", "i'd like to", "i need to", "we need to",
    "let's", "let us", "help me to", "help me", "do you know", "tell me", "show me",
)  # fmt: skip


def _strip_politeness(text: str) -> str:
    """Return a request without the polite words before it."""
    shorter = True
    while shorter:
        shorter = False
        for words in _POLITE:
            rest = text[len(words) :]
            if text.casefold().startswith(words) and rest[:1] in {" ", ",", "!", "."} and len(rest.split()) > 2:  # noqa: PLR2004
                text, shorter = rest.lstrip(" ,!."), True
    return text


def _compose_summary(
    turns: Sequence[Turn], sentences: Sequence[Sentence], rank: Matrix, similarity: Matrix, mentions: Sequence[Mention]
) -> str:
    order = sorted(range(len(sentences)), key=lambda index: -rank[index])
    has_speakers = any(sentence.speaker for sentence in sentences)
    prompts = [index for index in order if sentences[index].is_prompt]
    goal = [] if has_speakers else choose_distinct(prompts, similarity, 1)
    late = [index for index in order if not sentences[index].is_prompt and sentences[index].turn == len(turns) - 1]
    end = [] if has_speakers or len(turns) == 1 else choose_distinct(late, similarity, 1, goal)
    answers = [index for index in order if index not in end and (has_speakers or not sentences[index].is_prompt)]
    most = min(max(_FEWEST, len(turns) * 2 // 3), _MOST)
    main = sorted(choose_distinct(answers, similarity, most, [*goal, *end]))
    parts = [_describe_session(turns, sentences, mentions)]
    parts += [f"Asked: {sentences[index].quotation}" for index in goal]
    parts += [f"- {sentences[index].quotation}" for index in main]
    parts += [f"At the end: {sentences[index].quotation}" for index in end]
    return "\n".join(parts)


def _describe_session(turns: Sequence[Turn], sentences: Sequence[Sentence], mentions: Sequence[Mention]) -> str:
    """Return a line with the length, the speakers and the main topics."""
    speakers = list(dict.fromkeys(sentence.speaker for sentence in sentences if sentence.speaker))
    between = f" between {' and '.join(speakers)}" if 1 < len(speakers) <= 3 else ""  # noqa: PLR2004 - more make a long list
    exchanges = f"{len(turns)} exchange{'s' if len(turns) != 1 else ''}{between}"
    topics = _find_topics(sentences, [mention.name for mention in mentions if mention.memories > 1], speakers)
    return f"{exchanges}, mostly about {', '.join(topics)}." if topics else f"{exchanges}."


def _find_topics(sentences: Sequence[Sentence], names: Sequence[str], speakers: Sequence[str]) -> list[str]:
    """Return the repeated entities, then the words that most turns share, in their most frequent spelling."""
    turns_of: dict[str, set[int]] = {}
    spellings: dict[str, Counter[str]] = {}
    speaker_words = {word for speaker in speakers for word in extract_terms(speaker)}
    for sentence in sentences:
        words = [(form, word) for form in sentence.text.split() for word in extract_terms(form)[:1]]
        kept = [
            (form.strip(".,;:!?\"'()[]\u201c\u201d\u2019\u2026"), word)
            for form, word in words
            if len(word) >= _SHORTEST and word not in _SMALL_TALK | speaker_words
        ]
        for form, word in kept:
            turns_of.setdefault(word, set()).add(sentence.turn)
            spellings.setdefault(word, Counter())[form] += 1
    topics = [name for name in names if not speaker_words & set(extract_terms(name))][:_TOPICS]
    used = {word for name in topics for word in extract_terms(name)}
    for word in sorted(turns_of, key=lambda word: (-len(turns_of[word]), -len(word), word)):
        if len(topics) == _TOPICS or len(turns_of[word]) < 2:  # noqa: PLR2004 - a repeated word
            break
        if not any(word.startswith(other[:5]) for other in used):
            used.add(word)
            topics.append(spellings[word].most_common(1)[0][0])
    return topics
