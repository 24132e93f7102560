// Returns the principal that a token's digest stands for.
// read
// $digest STRING: SHA-256 of the token, hexadecimal
MATCH (token:Token {digest: $digest})
RETURN token.name AS name, token.kind AS kind, token.role AS role, token.namespace AS namespace
