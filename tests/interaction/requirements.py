"""What the contract promises, each promise with an id, its source and one sentence.

`@pytest.mark.proves("id", …)` on a test says which promise it proves; `test_promises.py` holds the two together.
"""

REQUIREMENTS = {
    # decisions.md
    "decisions:record:stored": ("decisions.md 1", "A recorded decision is found as active, with a DecisionResponse."),
    "decisions:record:conflict": ("issue 3.5", "A second one for the target is an error that names the one in force."),
    "decisions:record:schema": ("decisions.md 1", "Its input schema is that of the page."),
    "decisions:supersede:replaces": ("decisions.md 2", "The new one is in force, the old keeps who, when and why."),
    "decisions:supersede:checks": (
        "issue 3.5",
        "Every old id exists, is active and has the target.",
    ),
    "decisions:supersede:isolation": (
        "decisions.md Errors",
        "An agent cannot supersede a human's decision.",
    ),
    "decisions:supersede:schema": ("decisions.md 2", "Its input schema has the fields and limits of the page."),
    "decisions:search:strict": ("decisions.md Guarantees 1", "Strict mode never returns one that is not active."),
    "decisions:search:balanced": ("decisions.md Guarantees 2-3", "Active ones come first, one result for each target."),
    "decisions:search:audit": ("design.md 5", "Audit shows all of history, each with its status, unpenalised."),
    "decisions:search:successor": ("design.md 5", "The old words find the decision that is in force now."),
    "decisions:search:authority": ("decisions.md Guarantees 4", "A human's decision outranks an agent's by 0.1."),
    "decisions:search:schema": ("decisions.md 3", "Its input schema has the limits, modes and defaults of the page."),
    "decisions:role:viewer": ("decisions.md Errors", "A viewer may search, and is denied every write."),
    "decisions:cooldown": ("decisions.md Errors", "A second write too early is refused and told how long to wait."),
    # cognitive.md, Graph Tools
    "entities:add-node:idempotent": ("cognitive.md graph_add_node", "The same name is the same node, created once."),
    "entities:add-node:round-trip": ("issue 3.6", "Any label, key and value that JSON holds comes back exactly."),
    "entities:add-node:vector-id": ("cognitive.md graph_add_node", "A vector_id that does not exist is an error."),
    "entities:add-edge:upsert": (
        "cognitive.md graph_add_edge",
        "Missing nodes are created, an existing edge updated.",
    ),
    "entities:neighbors:both": ("issue 3.6", "Neighbours in both directions, every parallel relation, in order."),
    "entities:neighbors:depth": ("cognitive.md graph_query_neighbors", "Depth 1 to 5, each at its shortest distance."),
    "entities:neighbors:unknown": ("open-questions.md", "An unknown start node is an error that suggests near names."),
    "entities:path:shortest": ("cognitive.md graph_find_path", "The fewest hops, then the greatest summed weight."),
    "entities:path:decision": ("design.md 3", "A path may run through the decision that connects two things."),
    "entities:path:none": ("open-questions.md", "No path is an answer; the same node is a path of length 0."),
    "entities:schemas": ("cognitive.md", "The four input schemas have the fields and limits of the page."),
    "entities:errors": ("cognitive.md Error Handling", "Errors carry error, details and tool."),
    # journal.md
    "journal:schemas": ("journal.md", "The input schemas have the fields, defaults and nullable ones of the page."),
    "journal:texts": ("journal.md", "Stores confirm in the documented words; arrays are one JSON array in one block."),
    "journal:round-trip": ("issue 4 Journal", "What was stored comes back exactly: JSON, numbers, empty values."),
    "journal:order": ("open-questions.md", "History oldest first, the others newest first, one order, in pages."),
    "journal:conversations": ("open-questions.md", "Each message is its own conversation unless it names one."),
    "journal:contexts": ("open-questions.md", "Without a version the latest; an unknown one is null, no error."),
    "journal:versions": ("issue 4 Journal", "Versions are 1, 2, 3 … per agent and type, also for 16 writers at once."),
    "journal:parents": ("issue 4 Journal", "A context's parent exists, and parents form no cycle."),
    "journal:references": ("issue 4 Journal", "An unknown id is InvalidParams and names its field; nothing is stored."),
    "journal:connected": ("issue 4 Journal", "Records are connected to agent, user, session, context, source, record."),
    "journal:search": ("issue 4 Journal", "What was said to and by an agent is found by meaning and by words."),
    "journal:errors": ("journal.md Error Handling", "isError, with the error code's name in the content."),
    "journal:bad-input": ("issue 4 Bad input", "Every fault of every argument is refused; the store stays as it was."),
    "journal:web": ("issue 4 Journal", "Tavily's options, key in the header only, time limit, retries, clear errors."),
    "journal:web:attribution": ("issue 4 Journal", "A web search logs an attribution only for a named agent."),
    # MCP
    "mcp:eras": ("issue 3.7", "The same tools work for clients of both protocol eras."),
    "mcp:structured": ("design.md 6", "Structured content fits the output schema and stands beside the same text."),
    "mcp:small": ("issue 3.7", "The seven tools of decisions and entities take at most 10 kB."),
    "mcp:annotations": ("design.md 6", "Annotations are honest about reading, destroying and repeating."),
    "mcp:unknown-tool": ("journal.md Error Handling", "An unknown tool is an error that names those there are."),
    "mcp:bad-arguments": ("issue 3.7", "Bad arguments get the family's error form, and nothing is stored."),
    "mcp:crowd": ("issue 3.7", "Twenty calls at once on one session, and eight clients, lose and double nothing."),
    "mcp:stdio": ("issue 3.7", "The bridge lists tools at once and starts the service when none runs."),
    "mcp:toolsets": ("issue 3.7", "A part of the families can be published alone."),
    # the service
    "service:kill": ("issue 3.4", "After kill -9 every acknowledged write is there, and projected."),
    "service:restart": (
        "issue 3.2",
        "A dead Neo4j is restarted; meanwhile tools say to retry.",
    ),
    "service:stop": ("issue 3.1", "Interrupting stops everything, cleanly."),
    "service:namespace": ("design.md 3", "A caller sees its own namespace and no other."),
}
