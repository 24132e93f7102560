"""Addresses of documents, short enough for an index."""

import hashlib

_LONGEST_URI = 1_000
DIGEST = "#"
"""Separates the digest of the removed end; the address of a file always contains it as %23."""


def shorten_uri(uri: str) -> str:
    """Return the address; the end of a very long one is replaced by a digest."""
    if len(uri) <= _LONGEST_URI:
        return uri
    return f"{uri[: _LONGEST_URI - 65]}{DIGEST}{hashlib.sha256(uri.encode()).hexdigest()}"
