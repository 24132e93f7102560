"""Who may come in: tokens, the credential of a request, the hosts it may name."""
