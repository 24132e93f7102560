// Completes some imported nodes and returns how many.
// write
// $namespace STRING: the namespace
// $limit INTEGER: how many at most
MATCH (n:Arriving {namespace: $namespace})
WITH n
LIMIT $limit
REMOVE n:Arriving
RETURN count(n) AS settled
