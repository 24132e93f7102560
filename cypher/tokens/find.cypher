// Returns the principals of the tokens whose digest has this beginning; the caller compares the complete digest.
// read
// $beginning STRING: the first digits of the SHA-256 of a token, hexadecimal
MATCH (token:Token)
WHERE token.digest STARTS WITH $beginning
RETURN token.digest AS digest, token.name AS name, token.kind AS kind, token.role AS role,
       token.namespace AS namespace, token.expires_at.epochSeconds AS expires_at
