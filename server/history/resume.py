"""Where an agent or a session was, in one small answer. Source: HIS-16 to HIS-18."""

from typing import Any

from server.core.errors import InvalidArgument, NotFound
from server.core.fields import encode_json
from server.core.principals import Principal
from server.core.types import Row
from server.graph.graph import Graph
from server.history.resume_models import Resume, ResumeAnswer

SIZE_LIMIT = 8_000
"""Bytes of the JSON of an answer."""
_MOST = 5
_TEXT = 240
_LISTS = ("contexts", "messages", "memories", "dialogues", "corrections", "working_memory", "lessons", "decisions")
_ADVICE = (
    "get_context, get_conversation_history and get_decisions read these in full; log_correction closes nothing: "
    "apply what is open."
)


async def load_resume(graph: Graph, request: Resume, caller: Principal) -> ResumeAnswer:
    """Return the latest records of an agent, of a session, or of an agent in a session.

    Raises `InvalidArgument` without either, and `NotFound` where nothing is stored of them.
    """
    if request.agent_id is None and request.session_id is None:
        raise InvalidArgument("Give agent_id or session_id; get_agents lists agents.")
    row = await graph.row(
        "history/resume",
        namespace=caller.namespace,
        agent_id=request.agent_id,
        session_id=request.session_id,
        most=_MOST,
        text=_TEXT + 1,
    )
    if not row["known"]:
        named = [f"{name} {value!r}" for name, value in request.model_dump(exclude_none=True).items()]
        raise NotFound(f"Nothing is stored of {' and '.join(named)}; get_agents lists agents.")
    lists = {name: [_shorten(each) for each in row[name]] for name in _LISTS}
    return _fit(row["agent_id"], request.session_id, lists)


def _fit(agent_id: str | None, session_id: str | None, lists: dict[str, list[Row]]) -> ResumeAnswer:
    """Cut the answer to its size: the largest list loses its last, that is its oldest, item first."""
    left_out = 0
    while True:
        answer = ResumeAnswer.model_validate(
            {"agent_id": agent_id, "session_id": session_id, **lists, "left_out": left_out, "message": _ADVICE}
        )
        if _count_bytes(answer.model_dump(mode="json")) <= SIZE_LIMIT:
            return answer
        largest = max(lists, key=lambda name: _count_bytes({name: lists[name]}) if len(lists[name]) > 1 else 0)
        if not lists[largest]:
            return answer
        lists[largest].pop()
        left_out += 1


def _count_bytes(value: dict[str, Any]) -> int:
    return len(encode_json(value).encode())


def _shorten(row: Row) -> Row:
    return {
        name: f"{value[:_TEXT]}…" if isinstance(value, str) and len(value) > _TEXT else value
        for name, value in row.items()
    }
