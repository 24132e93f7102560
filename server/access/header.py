"""The header that names a caller; a module of its own, so that commands import it fast."""

CALLER_HEADER = "precedent-caller"
"""With AGENT_MEMORY_SECRET as the token, this header names the caller: JSON with name, kind, role, namespace."""
