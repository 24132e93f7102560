// Stores the digest of a new token; the token itself is never stored.
// write
// $digest STRING: SHA-256 of the token, hexadecimal
// $name STRING: the principal's name
// $kind STRING: human or agent
// $role STRING: viewer, agent or admin
// $namespace STRING: the namespace that it may use
// $expires_at ZONED DATETIME: when it expires, or null
// $change MAP<ANY>: who does what, for the audit trail
CREATE (token:Token {
  digest: $digest,
  name: $name,
  kind: $kind,
  role: $role,
  namespace: $namespace,
  expires_at: $expires_at,
  created_at: datetime()
})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(token)
