"""Retraction of decisions in plain Cypher, in the form that the graph stores them afterwards."""

from datetime import datetime

from tests.conftest import Cypher

_RETRACT = """
MATCH (n:Decision|Proposal {namespace: $namespace, id: $id})
CALL (n) {
  MATCH (n)<-[:PASSAGE_OF]-(passage:Passage)
  MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: passage.id})
  REMOVE passage:Passage:Unprojected SET passage:Retracted
}
CALL (n) {
  MATCH (n)-[edge]-()
  WHERE NOT type(edge) IN ['PASSAGE_OF', 'CHANGED', 'FORMER', 'FROM']
  WITH DISTINCT edge, startNode(edge) AS a, endNode(edge) AS b
  CREATE (a)-[former:FORMER]->(b)
  SET former = properties(edge), former.former_type = type(edge), former.former_until = $at
  DELETE edge
}
WITH n, labels(n) AS labels
REMOVE n.active_target
SET n.retracted_from = labels, n.retracted_at = $at, n.retracted_by = 'grace', n.retracted_reason = 'It was wrong.'
REMOVE n:$(labels)
SET n:Retracted
"""


async def retract(cypher: Cypher, id_: str, at: datetime, namespace: str | None = None) -> None:
    """Retract a decision or proposal."""
    given = {} if namespace is None else {"namespace": namespace}
    await cypher(_RETRACT, id=id_, at=at, **given)
