"""Keys that recognise a memory: hashes of its text and of its source. Source: MEM-7, MEM-72."""

import hashlib
import unicodedata


def compute_text_key(text: str) -> str:
    """Return a hash that texts share which differ in white space only, or in the composition of characters."""
    return _hash(" ".join(unicodedata.normalize("NFC", text).split()))


def compute_source_key(source_ref: str | None) -> str | None:
    """Return a hash of a source; None where there is none."""
    return _hash(source_ref) if source_ref else None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
