// Journal: messages, contexts, references, attributions, corrections and metrics of agents.
CREATE CONSTRAINT journal_agent_id IF NOT EXISTS
FOR (agent:JournalAgent) REQUIRE (agent.namespace, agent.id) IS UNIQUE;

CREATE CONSTRAINT journal_user_id IF NOT EXISTS
FOR (user:JournalUser) REQUIRE (user.namespace, user.id) IS UNIQUE;

CREATE CONSTRAINT session_id IF NOT EXISTS
FOR (session:Session) REQUIRE (session.namespace, session.id) IS UNIQUE;

CREATE CONSTRAINT message_id IF NOT EXISTS
FOR (message:Message) REQUIRE (message.namespace, message.id) IS UNIQUE;

CREATE CONSTRAINT context_id IF NOT EXISTS
FOR (context:Context) REQUIRE (context.namespace, context.id) IS UNIQUE;

CREATE CONSTRAINT context_series IF NOT EXISTS
FOR (series:ContextSeries) REQUIRE (series.namespace, series.agent_id, series.context_type) IS UNIQUE;

CREATE CONSTRAINT context_version IF NOT EXISTS
FOR (context:Context)
REQUIRE (context.namespace, context.agent_id, context.context_type, context.version) IS UNIQUE;

CREATE CONSTRAINT reference_id IF NOT EXISTS
FOR (reference:Reference) REQUIRE (reference.namespace, reference.id) IS UNIQUE;

CREATE CONSTRAINT attribution_id IF NOT EXISTS
FOR (attribution:Attribution) REQUIRE (attribution.namespace, attribution.id) IS UNIQUE;

CREATE CONSTRAINT correction_id IF NOT EXISTS
FOR (correction:Correction) REQUIRE (correction.namespace, correction.id) IS UNIQUE;

CREATE CONSTRAINT metric_id IF NOT EXISTS
FOR (metric:Metric) REQUIRE (metric.namespace, metric.id) IS UNIQUE;

// Pages are read in the order of these indexes; node_id orders records of the same millisecond.
CREATE INDEX message_order IF NOT EXISTS
FOR (message:Message) ON (message.namespace, message.agent_id, message.created_at, message.node_id);

CREATE INDEX message_conversation IF NOT EXISTS
FOR (message:Message)
ON (message.namespace, message.agent_id, message.conversation_id, message.created_at, message.node_id);

CREATE INDEX context_order IF NOT EXISTS
FOR (context:Context) ON (context.namespace, context.agent_id, context.created_at, context.node_id);

CREATE INDEX reference_order IF NOT EXISTS
FOR (reference:Reference) ON (reference.namespace, reference.agent_id, reference.created_at, reference.node_id);

CREATE INDEX attribution_order IF NOT EXISTS
FOR (attribution:Attribution)
ON (attribution.namespace, attribution.agent_id, attribution.retrieval_timestamp, attribution.node_id);

CREATE INDEX correction_order IF NOT EXISTS
FOR (correction:Correction) ON (correction.namespace, correction.agent_id, correction.created_at, correction.node_id);

CREATE INDEX metric_order IF NOT EXISTS
FOR (metric:Metric) ON (metric.namespace, metric.agent_id, metric.created_at, metric.node_id);

CREATE FULLTEXT INDEX message_words IF NOT EXISTS
FOR (message:Message) ON EACH [message.message_content, message.speaker, message.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
