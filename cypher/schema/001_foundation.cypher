// Foundation: bookkeeping of the service, decisions and entities.
CREATE CONSTRAINT migration_version IF NOT EXISTS
FOR (migration:Migration) REQUIRE migration.version IS UNIQUE;

CREATE CONSTRAINT sequence_namespace IF NOT EXISTS
FOR (sequence:Sequence) REQUIRE sequence.namespace IS UNIQUE;

CREATE CONSTRAINT principal_name IF NOT EXISTS
FOR (principal:Principal) REQUIRE (principal.namespace, principal.name) IS UNIQUE;

CREATE CONSTRAINT token_digest IF NOT EXISTS
FOR (token:Token) REQUIRE token.digest IS UNIQUE;

CREATE CONSTRAINT token_name IF NOT EXISTS
FOR (token:Token) REQUIRE token.name IS UNIQUE;

CREATE CONSTRAINT entity_name IF NOT EXISTS
FOR (entity:Entity) REQUIRE (entity.namespace, entity.name) IS UNIQUE;

CREATE CONSTRAINT entity_node_id IF NOT EXISTS
FOR (entity:Entity) REQUIRE (entity.namespace, entity.node_id) IS UNIQUE;

CREATE CONSTRAINT decision_id IF NOT EXISTS
FOR (decision:Decision) REQUIRE (decision.namespace, decision.id) IS UNIQUE;

CREATE CONSTRAINT decision_node_id IF NOT EXISTS
FOR (decision:Decision) REQUIRE (decision.namespace, decision.node_id) IS UNIQUE;

CREATE CONSTRAINT decision_in_force IF NOT EXISTS
FOR (decision:Decision) REQUIRE (decision.namespace, decision.active_target) IS UNIQUE;

CREATE INDEX decision_target IF NOT EXISTS
FOR (decision:Decision) ON (decision.namespace, decision.target);

CREATE INDEX decision_created_at IF NOT EXISTS
FOR (decision:Decision) ON (decision.created_at);

CREATE CONSTRAINT insight_id IF NOT EXISTS
FOR (insight:Insight) REQUIRE (insight.namespace, insight.id) IS UNIQUE;

CREATE CONSTRAINT tombstone_key IF NOT EXISTS
FOR (tombstone:Tombstone) REQUIRE (tombstone.namespace, tombstone.kind, tombstone.key) IS UNIQUE;

CREATE CONSTRAINT embedding_model_purpose IF NOT EXISTS
FOR (model:EmbeddingModel) REQUIRE model.purpose IS UNIQUE;

CREATE CONSTRAINT source_uri IF NOT EXISTS
FOR (source:Source) REQUIRE (source.namespace, source.uri) IS UNIQUE;

CREATE CONSTRAINT ingest_run_id IF NOT EXISTS
FOR (run:IngestRun) REQUIRE (run.namespace, run.id) IS UNIQUE;

CREATE FULLTEXT INDEX decision_words IF NOT EXISTS
FOR (decision:Decision) ON EACH [decision.id, decision.title, decision.rationale, decision.target, decision.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};

// Only suggestions use this index, so it is eventually consistent: writes that create entities become faster.
CREATE FULLTEXT INDEX entity_names IF NOT EXISTS
FOR (entity:Entity) ON EACH [entity.name, entity.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: true}};
