// Reflection: who reflects on a namespace at the moment, and the order in which corrections and metrics are read.
CREATE CONSTRAINT reflection_namespace IF NOT EXISTS
FOR (state:Reflection) REQUIRE state.namespace IS UNIQUE;

CREATE INDEX correction_time IF NOT EXISTS
FOR (correction:Correction) ON (correction.namespace, correction.created_at, correction.node_id);

CREATE INDEX metric_time IF NOT EXISTS
FOR (metric:Metric) ON (metric.namespace, metric.created_at, metric.node_id);

// A new memory that repeats a rejected or retracted text is recognised by the key of the text.
CREATE INDEX proposal_content_key IF NOT EXISTS
FOR (proposal:Proposal) ON (proposal.namespace, proposal.content_key);

CREATE INDEX retracted_content_key IF NOT EXISTS
FOR (record:Retracted) ON (record.namespace, record.content_key);

// This label is now reserved: agents' own entities with this label lose the native label.
MATCH (entity:Entity:Reflection)
SET entity.label = coalesce(entity.label, 'Reflection')
REMOVE entity:Reflection;
