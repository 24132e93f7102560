// Unprojected.
// What is stored, or deleted, and not yet so in Qdrant: empty when all is well.
MATCH (node:Unprojected)
RETURN [label IN labels(node) WHERE label <> 'Unprojected'] AS what, node.name AS name, node.namespace AS namespace,
       node.revision AS revision, coalesce(node.superseded_at, node.created_at) AS since
LIMIT 100
UNION
MATCH (gone:Tombstone)
RETURN ['deleted', gone.kind] AS what, gone.key AS name, gone.namespace AS namespace, null AS revision, null AS since
LIMIT 100
