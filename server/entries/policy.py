"""The policy for secrets: texts with API keys, private keys or this service's tokens are never stored.

An error names the pattern only. The matched text is never answered, logged or embedded.

Source: MEM-14, MEM-15, MEM-16.
"""

import re
from collections.abc import Iterator

from server.core.errors import PolicyBlocked

PATTERNS = {
    "openai_secret_key": re.compile(r"\bsk-[A-Za-z0-9_-]{10,}\b", re.ASCII),
    "aws_access_key": re.compile(r"\bAKIA[0-9A-Z]{16}\b", re.ASCII),
    "github_token": re.compile(r"\bghp_[A-Za-z0-9]{20,}\b", re.ASCII),
    "precedent_token": re.compile(r"\bprecedent_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])", re.ASCII),
    "private_key": re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"),
}


def require_no_secret(*values: object) -> None:
    """Raise `PolicyBlocked` if a string or an object key in these values matches a pattern of a secret."""
    for text in _iterate_strings(list(values)):
        for name, pattern in PATTERNS.items():
            if pattern.search(text):
                raise PolicyBlocked(
                    "Input blocked by sensitive-data policy: it contains what looks like a secret. Nothing was stored; "
                    "remove the secret and repeat the call.",
                    {"pattern": name},
                )


def _iterate_strings(value: object) -> Iterator[str]:
    remaining: list[object] = [value]
    while remaining:
        match remaining.pop():
            case str() as text:
                yield text
            case list() as items:
                remaining += items
            case dict() as pairs:
                yield from pairs
                remaining += pairs.values()
