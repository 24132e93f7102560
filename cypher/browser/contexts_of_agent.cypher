// An agent's contexts.
// Every version of the contexts of an agent, by type, and the records that they were derived from.
WITH 'default' AS namespace, 'ada' AS agent
MATCH versions = (:JournalAgent {namespace: namespace, id: agent})<-[:IN]-(:ContextSeries)<-[:IN]-(context:Context)
OPTIONAL MATCH derived = (context)-[:CHILD_OF]->(:Context)
RETURN versions, derived
LIMIT 300
