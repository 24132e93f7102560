"""What an answer leads to: the operations that take an id which it has, as OpenAPI's links.

Source: OpenAPI 3.1 "Link Object". Docs pages show them, and the fuzzing of `tests/interaction/test_fuzzing.py` follows
them.
"""

from typing import Any

_MEMORY_SESSION = "$response.body#/sessionId"
_DECISION = "$response.body#/decision_id"
_PROPOSAL = "$response.body#/proposal_id"
_ENTRY = "$response.body#/id"
_ENTITY = "$response.body#/name"


def _with(operation: str, **parameters: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": parameters}


_ENTITY_LINKS = {"neighbors": _with("queryNeighbors", node_name=_ENTITY)}
_RELATION_LINKS = {
    "path": _with("findPath", start_node="$request.body#/source_name", end_node="$request.body#/target_name")
}
LINKS: dict[str, dict[str, dict[str, Any]]] = {
    "addMemory": {
        "201": {
            "session": _with("listMemories", sessionId=_MEMORY_SESSION),
            "summarize": {"operationId": "summarizeSessions", "requestBody": {"sessionId": _MEMORY_SESSION}},
        }
    },
    "recordDecision": {
        "201": {
            "neighbors": _with("queryNeighbors", node_name=_DECISION),
            "supersede": {
                "operationId": "supersedeDecision",
                "requestBody": {
                    "title": "$request.body#/title",
                    "target": "$request.body#/target",
                    "rationale": "The old one no longer holds, as was seen.",
                    "old_decision_ids": [_DECISION],
                },
            },
        }
    },
    "proposeDecision": {
        "201": {
            "accept": _with("acceptProposal", proposal_id=_PROPOSAL),
            "reject": _with("rejectProposal", proposal_id=_PROPOSAL),
        }
    },
    "addEntity": {"200": _ENTITY_LINKS, "201": _ENTITY_LINKS},
    "addRelation": {"200": _RELATION_LINKS, "201": _RELATION_LINKS},
    "saveEntry": {
        "201": {"entry": _with("getEntry", entry_id=_ENTRY), "timeline": _with("getTimeline", entry_id=_ENTRY)}
    },
}
"""By operation and status."""
