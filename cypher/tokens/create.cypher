// Creates a token; the token itself is never stored, only its digest.
// write
// $digest STRING: SHA-256 of the token, hexadecimal
// $name STRING: the principal's name
// $kind STRING: human or agent
// $role STRING: viewer, agent or admin
// $namespace STRING: the namespace it sees
CREATE (token:Token {digest: $digest, name: $name, kind: $kind, role: $role, namespace: $namespace, created_at: datetime()})
