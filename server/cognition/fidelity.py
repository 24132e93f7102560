"""How much of an insight says something: the share of its words that are no filling.

Source: cognitive.md "Semantic Fidelity"; open-questions.md "cognitive.md". A word says something where, without the
punctuation around it, it has more than three letters and is none of the words that English and German texts are full
of. A low share warns, and never blocks.
"""

_PUNCTUATION = '.,!?;:"'
_LONGEST_FILLING = 3
_STOP_WORDS = frozenset(
    """
    about after also because been before being could does done from have having here into just like more most much only
    other over really should some such than that their them then there these they this those very were what when where
    which while will with would your
    aber alle auch dann dass dein denn diese dieser dieses durch eine einem einen einer haben hatte immer kann mein mich
    mehr nach nicht noch oder ohne schon sein sich sind über unter viel weil wenn werden wird wurde
    """.split()  # noqa: SIM905 - as prose it can be read
)


def fidelity(text: str) -> float:
    """The share of words that say something, 0.0 to 1.0; 0.0 of a text without words."""
    words = [word.lower().strip(_PUNCTUATION) for word in text.split()]
    telling = [word for word in words if len(word) > _LONGEST_FILLING and word not in _STOP_WORDS]
    return round(len(telling) / len(words), 4) if words else 0.0


def warning(score: float, threshold: float) -> str | None:
    """What the caller is told of an insight of this fidelity, where it is below the threshold."""
    if score >= threshold:
        return None
    return (
        f"Only {score:.0%} of the words say something by themselves; below {threshold:.0%} an insight is hard to find "
        "and to understand alone. It is stored; say who, what and when in fewer words."
    )
