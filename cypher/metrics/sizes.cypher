// Returns the number of records of each kind in all namespaces; Neo4j maintains these counts.
// read
RETURN {
  Entity: COUNT { (:Entity) },
  Decision: COUNT { (:Decision) },
  Proposal: COUNT { (:Proposal) },
  Entry: COUNT { (:Entry) },
  Passage: COUNT { (:Passage) },
  Message: COUNT { (:Message) },
  Dialogue: COUNT { (:Dialogue) },
  Insight: COUNT { (:Insight) },
  Episode: COUNT { (:Episode) },
  Interaction: COUNT { (:Interaction) },
  Summary: COUNT { (:Summary) },
  Session: COUNT { (:Session) },
  Source: COUNT { (:Source) },
  Change: COUNT { (:Change) }
} AS records, COUNT { ()-->() } AS relationships
