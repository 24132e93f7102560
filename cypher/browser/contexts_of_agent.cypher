// An agent's contexts.
// Every version of what an agent knew, by type, and what it was derived from.
WITH 'default' AS namespace, 'ada' AS agent
MATCH versions = (:JournalAgent {namespace: namespace, id: agent})<-[:IN]-(:ContextSeries)<-[:IN]-(context:Context)
OPTIONAL MATCH derived = (context)-[:CHILD_OF]->(:Context)
RETURN versions, derived
LIMIT 300
