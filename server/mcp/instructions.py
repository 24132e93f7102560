"""The instructions that an agent gets when it connects: which tool is for what.

A paragraph is included where all tools that it names are published.
"""

from collections.abc import Collection

_PARAGRAPHS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        (),
        "Precedent is a shared memory: of decisions, of things and their relations, and of what was said and learned.",
    ),
    (
        ("search_decisions", "record_decision", "supersede_decision"),
        "Decisions in force bind you. Call search_decisions before you decide. Call record_decision after you have "
        "decided; use one stable target name for each question. CONFLICT means that another decision is in force for "
        "the target: follow it, or replace it with supersede_decision and give the reason.",
    ),
    (
        ("overview", "search_decisions", "get_decisions"),
        "If you are new here, call overview first. get_decisions returns decisions in full. An empty answer of "
        "search_decisions means that nothing is decided about it.",
    ),
    (("list_decisions",), "list_decisions lists the decisions in force, page by page."),
    (
        ("propose_decision",),
        "Call propose_decision, with evidence, where you may not decide yourself: an admin then decides.",
    ),
    (
        ("search", "get_entries", "save_memory"),
        "Memories inform you. Call search before you ask a person or start from nothing; get_entries returns results "
        "in full. Call save_memory for a fact, a wish or an outcome that a later session needs: state who, what and "
        "when, write [[Name]] for each thing, and use one session_id for what belongs together.",
    ),
    (
        ("graph_add_edge", "graph_query_neighbors", "graph_find_path"),
        "Things are connected. graph_add_edge relates two things. graph_query_neighbors lists what is related to a "
        "thing, decisions included. graph_find_path shows how two things are connected.",
    ),
    (
        ("store_conversation_message", "search_conversations", "store_context", "log_correction"),
        "The journal is the record of one agent. store_conversation_message stores what was said, and "
        "search_conversations finds it. store_context stores the agent's state in versions. log_correction stores "
        "what was wrong.",
    ),
    (
        ("store_raw_dialogue", "compress_to_l2_insight", "hybrid_search", "update_working_memory", "store_episode"),
        "The layers distil experience. store_raw_dialogue stores what was said; compress_to_l2_insight stores what you "
        "concluded from it; hybrid_search finds insights. update_working_memory holds ten items while you work. "
        "store_episode stores what you tried and its lesson; before you try, read memory://episode-memory?query=….",
    ),
    (
        ("retract", "undo", "changes", "why"),
        "Correct what is wrong: retract it, or undo a change that changes lists. why explains a decision; as_of "
        "answers from the past.",
    ),
    (
        (),
        "A list that continues has next_offset: call again with it as offset. A score orders the results of one "
        "answer; a low score is a weak match. An error says what to do; after an error nothing is stored. To "
        "repeat a write safely, repeat its idempotency_key.",
    ),
)


def instructions(tools: Collection[str]) -> str:
    """Return the paragraphs about these tools."""
    return "\n".join(text for names, text in _PARAGRAPHS if set(names) <= set(tools))
