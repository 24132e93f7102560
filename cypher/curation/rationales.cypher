// Returns the rationales of decisions and proposals, without the mark of agents.
// read
// $records LIST<STRING>: element ids of records
UNWIND $records AS element
MATCH (record) WHERE elementId(record) = element AND (record:Decision OR record:Proposal) AND record.rationale IS NOT NULL
RETURN
  element,
  CASE
    WHEN record.rationale STARTS WITH '[via MCP] ' THEN substring(record.rationale, size('[via MCP] '))
    ELSE record.rationale
  END AS rationale
