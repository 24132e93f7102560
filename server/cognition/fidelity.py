"""The fidelity of an insight: the share of its words that carry information.

A word carries information when it has more than three characters, without the punctuation around it, and is not a stop
word of English or German. A low share warns and never blocks.

Source: COG-17, COG-18.
"""

_PUNCTUATION = '.,!?;:"'
_LONGEST_FILLER = 3
_STOP_WORDS = frozenset(
    """
    about after also because been before being could does done from have having here into just like more most much only
    other over really should some such than that their them then there these they this those very were what when where
    which while will with would your
    aber alle auch dann dass dein denn diese dieser dieses durch eine einem einen einer haben hatte immer kann mein mich
    mehr nach nicht noch oder ohne schon sein sich sind über unter viel weil wenn werden wird wurde
    """.split()  # noqa: SIM905 - readable as prose
)


def compute_fidelity(text: str) -> float:
    """Return the share of words that carry information, 0.0 to 1.0; 0.0 for a text without words."""
    words = [word.lower().strip(_PUNCTUATION) for word in text.split()]
    informative = [word for word in words if len(word) > _LONGEST_FILLER and word not in _STOP_WORDS]
    return round(len(informative) / len(words), 4) if words else 0.0


def build_warning(score: float, threshold: float) -> str | None:
    """Return the warning for an insight of this fidelity; None at the threshold or above."""
    if score >= threshold:
        return None
    return (
        f"Stored, but only {score:.0%} of the words carry information. Below {threshold:.0%} an insight is hard to "
        "find and to understand alone; name who, what and when in fewer words."
    )
