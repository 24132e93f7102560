"""What is never stored: secrets, by the patterns that the specification's implementation documents, private keys, and
our own tokens.

Source: entries.md "Error Behavior"; open-questions.md, "entries.md", Policy. What matched is never told, logged or
embedded: an error names the pattern alone.
"""

import re
from collections.abc import Iterator

from server.errors import PolicyBlocked

PATTERNS = {
    "openai_secret_key": re.compile(r"\bsk-[A-Za-z0-9_-]{10,}\b", re.ASCII),
    "aws_access_key": re.compile(r"\bAKIA[0-9A-Z]{16}\b", re.ASCII),
    "github_token": re.compile(r"\bghp_[A-Za-z0-9]{20,}\b", re.ASCII),
    "precedent_token": re.compile(r"\bprecedent_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])", re.ASCII),
    "private_key": re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"),
}


def require_no_secret(*values: object) -> None:
    """Raises `PolicyBlocked` where a string in these values, or a key of an object in them, looks like a secret."""
    for text in _strings(list(values)):
        for name, pattern in PATTERNS.items():
            if pattern.search(text):
                raise PolicyBlocked(
                    "Input blocked by sensitive-data policy: it holds what looks like a secret. Nothing was stored; "
                    "take the secret out and save again.",
                    {"pattern": name},
                )


def _strings(value: object) -> Iterator[str]:
    left: list[object] = [value]
    while left:
        match left.pop():
            case str() as text:
                yield text
            case list() as items:
                left += items
            case dict() as pairs:
                yield from pairs
                left += pairs.values()
