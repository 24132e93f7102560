"""The lowest role that each tool, resource and endpoint requires. Both transports enforce these tables.

Reading requires viewer and writing agent. Accepting proposals, deleting, replacing many records and exporting require
admin.

Source: SVC-17, SVC-18.
"""

from collections.abc import Mapping

from server.core.principals import Role

TOOLS: Mapping[str, Role] = {
    # decisions
    "record_decision": Role.AGENT,
    "supersede_decision": Role.AGENT,
    "search_decisions": Role.VIEWER,
    "get_decisions": Role.VIEWER,
    "list_decisions": Role.VIEWER,
    "overview": Role.VIEWER,
    "propose_decision": Role.AGENT,
    "list_proposals": Role.VIEWER,
    "accept_proposal": Role.ADMIN,
    "reject_proposal": Role.ADMIN,
    # entities
    "graph_add_node": Role.AGENT,
    "graph_add_edge": Role.AGENT,
    "graph_query_neighbors": Role.VIEWER,
    "graph_list_entities": Role.VIEWER,
    "graph_find_path": Role.VIEWER,
    # entries
    "save_memory": Role.AGENT,
    "search": Role.VIEWER,
    "timeline": Role.VIEWER,
    "get_entries": Role.VIEWER,
    "ingest_docs": Role.AGENT,
    "retention_dry_run": Role.AGENT,
    "update_memory": Role.AGENT,
    # journal
    "store_conversation_message": Role.AGENT,
    "get_conversation_history": Role.VIEWER,
    "get_agents": Role.VIEWER,
    "get_conversations": Role.VIEWER,
    "search_conversations": Role.VIEWER,
    "store_context": Role.AGENT,
    "get_context": Role.VIEWER,
    "get_all_contexts": Role.VIEWER,
    "add_reference_key": Role.AGENT,
    "get_reference_keys": Role.VIEWER,
    "log_source_attribution": Role.AGENT,
    "get_source_attributions": Role.VIEWER,
    "log_correction": Role.AGENT,
    "get_correction_logs": Role.VIEWER,
    "log_success_metric": Role.AGENT,
    "get_success_metrics": Role.VIEWER,
    "tavily_web_search": Role.VIEWER,  # with an agent_id it also logs, and requires agent
    # cognition
    "store_raw_dialogue": Role.AGENT,
    "compress_to_l2_insight": Role.AGENT,
    "hybrid_search": Role.VIEWER,
    "update_working_memory": Role.AGENT,
    "archive_working_memory_item": Role.ADMIN,
    "store_episode": Role.AGENT,
    "get_working_memory": Role.VIEWER,
    "get_insights": Role.VIEWER,
    "get_episodes": Role.VIEWER,
    "get_dialogues": Role.VIEWER,
    "ping": Role.VIEWER,
    # evaluation
    "store_dual_judge_scores": Role.AGENT,
    "get_golden_test_results": Role.AGENT,  # it stores the result of the day
    # history
    "why": Role.VIEWER,
    "impact": Role.VIEWER,
    # curation
    "retract": Role.AGENT,  # what a human wrote: admin
    "rename_entity": Role.AGENT,
    "merge_entities": Role.AGENT,
    "similar_entities": Role.VIEWER,
    "erase": Role.ADMIN,
    "undo": Role.AGENT,  # what a human did: admin
    # history
    "changes": Role.VIEWER,
    "resume": Role.VIEWER,
}

RESOURCES: Mapping[str, Role] = {
    "memory://l2-insights": Role.VIEWER,
    "memory://working-memory": Role.VIEWER,
    "memory://episode-memory": Role.VIEWER,
    "memory://l0-raw": Role.VIEWER,
    "memory://stale-memory": Role.VIEWER,
}

ENDPOINTS: Mapping[str, Role | None] = {
    # No credential is required: neither health nor documentation shows stored data.
    "GET /healthcheck": None,
    "GET /docs": None,
    "GET /openapi.json": None,
    # It counts the records of all namespaces together.
    "GET /metrics": Role.ADMIN,
    "POST /mcp": Role.VIEWER,  # each tool and resource has its own role
    "POST /memories": Role.AGENT,
    "GET /memories": Role.VIEWER,
    "POST /memories/query": Role.VIEWER,
    "GET /summaries": Role.VIEWER,
    "DELETE /summaries": Role.ADMIN,
    "POST /summaries/query": Role.VIEWER,
    "POST /sessions/summarize": Role.AGENT,
    "POST /decisions": Role.AGENT,
    "POST /decisions/supersede": Role.AGENT,
    "POST /decisions/query": Role.VIEWER,
    "GET /decisions": Role.VIEWER,
    "GET /decisions/{decision_id}": Role.VIEWER,
    "GET /overview": Role.VIEWER,
    "GET /why": Role.VIEWER,
    "GET /impact": Role.VIEWER,
    "POST /decisions/proposals": Role.AGENT,
    "GET /decisions/proposals": Role.VIEWER,
    "POST /decisions/proposals/{proposal_id}/accept": Role.ADMIN,
    "POST /decisions/proposals/{proposal_id}/reject": Role.ADMIN,
    "POST /graph/entities": Role.AGENT,
    "POST /graph/relations": Role.AGENT,
    "GET /graph/entities": Role.VIEWER,
    "GET /graph/neighbors": Role.VIEWER,
    "GET /graph/paths": Role.VIEWER,
    "POST /entries": Role.AGENT,
    "POST /entries/query": Role.VIEWER,
    "GET /entries/{entry_id}": Role.VIEWER,
    "PATCH /entries/{entry_id}": Role.AGENT,
    "GET /entries/{entry_id}/timeline": Role.VIEWER,
    "GET /changes": Role.VIEWER,
    "GET /resume": Role.VIEWER,
    "POST /retract": Role.AGENT,  # what a human wrote: admin
    "POST /undo": Role.AGENT,
    "POST /erase": Role.ADMIN,
    "POST /graph/entities/rename": Role.AGENT,
    "POST /graph/entities/merge": Role.AGENT,
    "GET /graph/entities/similar": Role.VIEWER,
    "GET /db/export": Role.ADMIN,
    "POST /db/import": Role.AGENT,  # replacing requires admin
}


def get_tool_role(name: str) -> Role:
    """The least role for a tool; admin where the table does not know it."""
    return TOOLS.get(name, Role.ADMIN)


def get_resource_role(uri: str) -> Role:
    """The least role for a resource; admin where the table does not know it."""
    return RESOURCES.get(uri, Role.ADMIN)


def get_endpoint_role(route: str) -> Role | None:
    """The least role for an endpoint, as `GET /overview`: None where anybody may; admin where it is not known."""
    return ENDPOINTS.get(route, Role.ADMIN)
