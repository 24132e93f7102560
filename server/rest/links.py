"""OpenAPI links: the operations that accept an id from an answer (OpenAPI 3.1, "Link Object").

The API page shows them, and the fuzzing in `tests/interaction/test_fuzzing.py` follows them.
"""

from typing import Any

_MEMORY_SESSION = "$response.body#/sessionId"
_DECISION = "$response.body#/decision_id"
_PROPOSAL = "$response.body#/proposal_id"
_ENTRY = "$response.body#/id"
_ENTITY = "$response.body#/name"


def _link(operation: str, **parameters: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": parameters}


_ENTITY_LINKS = {"neighbors": _link("queryNeighbors", node_name=_ENTITY)}
_RELATION_LINKS = {
    "path": _link("findPath", start_node="$request.body#/source_name", end_node="$request.body#/target_name")
}
LINKS: dict[str, dict[str, dict[str, Any]]] = {
    "addMemory": {
        "201": {
            "session": _link("listMemories", sessionId=_MEMORY_SESSION),
            "summarize": {"operationId": "summarizeSessions", "requestBody": {"sessionId": _MEMORY_SESSION}},
        }
    },
    "recordDecision": {
        "201": {
            "decision": _link("getDecision", decision_id=_DECISION),
            "neighbors": _link("queryNeighbors", node_name=_DECISION),
            "supersede": {
                "operationId": "supersedeDecision",
                "requestBody": {
                    "title": "$request.body#/title",
                    "target": "$request.body#/target",
                    "rationale": "The old decision no longer works.",
                    "old_decision_ids": [_DECISION],
                },
            },
        }
    },
    "proposeDecision": {
        "201": {
            "accept": _link("acceptProposal", proposal_id=_PROPOSAL),
            "reject": _link("rejectProposal", proposal_id=_PROPOSAL),
        }
    },
    "addEntity": {"200": _ENTITY_LINKS, "201": _ENTITY_LINKS},
    "addRelation": {"200": _RELATION_LINKS, "201": _RELATION_LINKS},
    "saveEntry": {
        "201": {"entry": _link("getEntry", entry_id=_ENTRY), "timeline": _link("getTimeline", entry_id=_ENTRY)}
    },
}
"""Operation and status to links."""
