// Unprojected.
// Records and deletions that wait to be indexed in Qdrant; normally empty.
MATCH (node:Unprojected)
RETURN [label IN labels(node) WHERE label <> 'Unprojected'] AS what, node.name AS name, node.namespace AS namespace,
       node.revision AS revision, coalesce(node.superseded_at, node.created_at) AS since
LIMIT 100
UNION
MATCH (gone:Tombstone)
RETURN ['deleted', gone.kind] AS what, gone.key AS name, gone.namespace AS namespace, null AS revision, null AS since
LIMIT 100
