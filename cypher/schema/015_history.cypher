// History: what was retracted is found by its words and its target (docs/decisions/0025).
CREATE FULLTEXT INDEX retracted_words IF NOT EXISTS
FOR (record:Retracted) ON EACH [record.title, record.target, record.rationale, record.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};

CREATE INDEX retracted_name_key IF NOT EXISTS
FOR (record:Retracted) ON (record.namespace, record.name_key);
