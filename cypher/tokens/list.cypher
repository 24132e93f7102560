// Returns the principal of every token, ordered by name.
// read
MATCH (token:Token)
RETURN token.name AS name, token.kind AS kind, token.role AS role, token.namespace AS namespace,
       toString(token.created_at) AS created_at, toString(token.expires_at) AS expires_at
ORDER BY name
