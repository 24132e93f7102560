// Everything.
// The whole graph of a namespace, up to 300 relations.
WITH 'default' AS namespace
MATCH relation = (one:Entity|Decision {namespace: namespace})-->(:Entity|Decision)
RETURN relation
LIMIT 300
