"""Access: hosts, credentials, roles and rate limits."""
