"""Who may do what: the least role for each tool, resource and endpoint. The doors enforce this table and nothing else.

Source: design.md section 6; decisions.md "Permission Denied". Reading needs viewer, writing agent; accepting proposals,
deleting and replacing much at once, and taking everything away need admin.
"""

from collections.abc import Mapping

from server.principals import Principal, Role

TOOLS: Mapping[str, Role] = {
    # decisions
    "record_decision": Role.AGENT,
    "supersede_decision": Role.AGENT,
    "search_decisions": Role.VIEWER,
    "propose_decision": Role.AGENT,
    "list_proposals": Role.VIEWER,
    "accept_proposal": Role.ADMIN,
    "reject_proposal": Role.ADMIN,
    # entities
    "graph_add_node": Role.AGENT,
    "graph_add_edge": Role.AGENT,
    "graph_query_neighbors": Role.VIEWER,
    "graph_find_path": Role.VIEWER,
    # entries
    "save_memory": Role.AGENT,
    "search": Role.VIEWER,
    "timeline": Role.VIEWER,
    "get_entries": Role.VIEWER,
    "ingest_docs": Role.AGENT,
    "retention_dry_run": Role.AGENT,
    # journal
    "store_conversation_message": Role.AGENT,
    "get_conversation_history": Role.VIEWER,
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
    "tavily_web_search": Role.VIEWER,  # with an agent_id it logs, and needs agent
    # cognition
    "store_raw_dialogue": Role.AGENT,
    "compress_to_l2_insight": Role.AGENT,
    "hybrid_search": Role.VIEWER,
    "update_working_memory": Role.AGENT,
    "store_episode": Role.AGENT,
    "ping": Role.VIEWER,
    # evaluation
    "store_dual_judge_scores": Role.AGENT,
    "get_golden_test_results": Role.AGENT,  # it keeps the day's result
}

RESOURCES: Mapping[str, Role] = {
    "memory://l2-insights": Role.VIEWER,
    "memory://working-memory": Role.VIEWER,
    "memory://episode-memory": Role.VIEWER,
    "memory://l0-raw": Role.VIEWER,
    "memory://stale-memory": Role.VIEWER,
}

ENDPOINTS: Mapping[str, Role | None] = {
    # Whoever reaches the port may ask whether it is well and what it offers: neither tells what is stored.
    "GET /healthcheck": None,
    "GET /docs": None,
    "GET /openapi.json": None,
    # It counts what all namespaces hold together.
    "GET /metrics": Role.ADMIN,
    "POST /mcp": Role.VIEWER,  # each tool and resource then has its own
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
    "POST /decisions/proposals": Role.AGENT,
    "GET /decisions/proposals": Role.VIEWER,
    "POST /decisions/proposals/{proposal_id}/accept": Role.ADMIN,
    "POST /decisions/proposals/{proposal_id}/reject": Role.ADMIN,
    "POST /graph/entities": Role.AGENT,
    "POST /graph/relations": Role.AGENT,
    "GET /graph/neighbors": Role.VIEWER,
    "GET /graph/paths": Role.VIEWER,
    "POST /entries": Role.AGENT,
    "POST /entries/query": Role.VIEWER,
    "GET /entries/{entry_id}": Role.VIEWER,
    "GET /entries/{entry_id}/timeline": Role.VIEWER,
    "GET /db/export": Role.ADMIN,
    "POST /db/import": Role.AGENT,  # to replace needs admin
}


def require(what: str, caller: Principal) -> None:
    """Raises `PermissionDenied` unless the caller may use the tool, resource or endpoint; unknown ones need admin."""
    table: Mapping[str, Role | None] = ENDPOINTS if " " in what else RESOURCES if "://" in what else TOOLS
    role = table.get(what, Role.ADMIN)
    if role is not None:
        caller.require(role)
