// Returns the principals of the tokens whose digest begins so: the caller compares the whole of it.
// read
// $beginning STRING: the first digits of the SHA-256 of a token, hexadecimal
MATCH (token:Token)
WHERE token.digest STARTS WITH $beginning
RETURN token.digest AS digest, token.name AS name, token.kind AS kind, token.role AS role,
       token.namespace AS namespace, token.expires_at.epochSeconds AS expires_at
