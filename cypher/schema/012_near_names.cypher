// One index for the names of entities and the titles of decisions, to find names that are similar to a given one.
DROP INDEX entity_names IF EXISTS;

// Only suggestions use this index, so it is eventually consistent: writes that create entities become faster.
CREATE FULLTEXT INDEX known_names IF NOT EXISTS
FOR (known:Entity|Decision|Proposal) ON EACH [known.name, known.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: true}};
