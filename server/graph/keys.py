"""Keys to compare names, targets and texts without case, width and spacing (docs/decisions/0017)."""

import hashlib
import unicodedata

_LONGEST = 1_000
"""Characters of a key, as of every indexed property; compatibility forms can make a text up to 18 times longer."""


def comparison_key(text: str) -> str:
    """Return a key that is the same for all spellings of a name: its letters in lower case, with single spaces.

    `cypher/schema/011_target_keys.cypher` does the same for records of earlier releases.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    # Lower case may create letters and marks that have a composed form, so the text is composed again. Python and Neo4j
    # have different rules for the final sigma of Greek (the first of these two letters), so it becomes the other sigma.
    lower = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
    key = " ".join(lower.replace("\u03c2", "\u03c3").split())
    return key if len(key) <= _LONGEST else text


def content_key(text: str) -> str:
    """Return a short key that is the same for all spellings of a text, and different for different texts.

    A text is longer than an index allows, so it is compared by a digest of its `comparison_key`.
    """
    return hashlib.sha256(comparison_key(text).encode(errors="surrogatepass")).hexdigest()[:32]
