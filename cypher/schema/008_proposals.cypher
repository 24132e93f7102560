// Proposals: drafts of decisions, found together with decisions.
CREATE CONSTRAINT proposal_id IF NOT EXISTS
FOR (proposal:Proposal) REQUIRE (proposal.namespace, proposal.id) IS UNIQUE;

CREATE CONSTRAINT proposal_node_id IF NOT EXISTS
FOR (proposal:Proposal) REQUIRE (proposal.namespace, proposal.node_id) IS UNIQUE;

CREATE INDEX proposal_status IF NOT EXISTS
FOR (proposal:Proposal) ON (proposal.namespace, proposal.status);

// One index for both, so that a search needs one query; the labels of an index cannot be changed.
DROP INDEX decision_words IF EXISTS;

CREATE FULLTEXT INDEX decided_words IF NOT EXISTS
FOR (n:Decision|Proposal) ON EACH [n.id, n.title, n.rationale, n.target, n.scope]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
