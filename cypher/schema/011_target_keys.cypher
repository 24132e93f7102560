// Targets and names are compared by a key, without case, width and spacing (docs/decisions/0017).
CREATE INDEX decision_target_key IF NOT EXISTS
FOR (decision:Decision) ON (decision.namespace, decision.target_key);

CREATE INDEX proposal_target_key IF NOT EXISTS
FOR (proposal:Proposal) ON (proposal.namespace, proposal.target_key);

// Finds the targets in force that are similar to a new one; a decision that is not in force has no `active_target`.
CREATE FULLTEXT INDEX targets_in_force IF NOT EXISTS
FOR (decision:Decision) ON EACH [decision.active_target, decision.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};

// The same as `comparison_key` in server/graph/keys.py.
MATCH (n:Decision|Proposal)
WITH n, reduce(
  text = replace(normalize(toLower(normalize(toStringOrNull(n.target), NFKC)), NFKC), 'ς', 'σ'),
  space IN ['\t', '\n', '\u000b', '\f', '\r', '\u001c', '\u001d', '\u001e', '\u001f', '\u0085', '\u1680', '\u2028',
    '\u2029'] | replace(text, space, ' ')
) AS spaced
WITH n, reduce(
  key = '', word IN [word IN split(spaced, ' ') WHERE word <> ''] | key + CASE key WHEN '' THEN '' ELSE ' ' END + word
) AS key
WITH n, CASE WHEN size(key) > 1000 THEN n.target ELSE key END AS key
WHERE n.target IS NOT NULL AND (n.target_key IS NULL OR n.target_key <> key)
SET n.target_key = key;

MATCH (entity:Entity)
WITH entity, reduce(
  text = replace(normalize(toLower(normalize(toStringOrNull(entity.name), NFKC)), NFKC), 'ς', 'σ'),
  space IN ['\t', '\n', '\u000b', '\f', '\r', '\u001c', '\u001d', '\u001e', '\u001f', '\u0085', '\u1680', '\u2028',
    '\u2029'] | replace(text, space, ' ')
) AS spaced
WITH entity, reduce(
  key = '', word IN [word IN split(spaced, ' ') WHERE word <> ''] | key + CASE key WHEN '' THEN '' ELSE ' ' END + word
) AS key
WITH entity, CASE WHEN size(key) > 1000 THEN entity.name ELSE key END AS key
WHERE entity.name IS NOT NULL AND (entity.name_key IS NULL OR entity.name_key <> key)
SET entity.name_key = key;

// A decision in force has the key. Of several with the same key, the oldest gets it, unless another has it; the others
// stay in force without it, because a migration cannot decide which of them is right.
MATCH (decision:Decision)
WHERE decision.active_target IS NOT NULL AND decision.target_key IS NOT NULL
WITH decision ORDER BY decision.created_at, decision.id
WITH decision.namespace AS namespace, decision.target_key AS key, head(collect(decision)) AS oldest
WHERE NOT EXISTS { MATCH (:Decision {namespace: namespace, active_target: key}) }
SET oldest.active_target = key;
