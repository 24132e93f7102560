"""Decisions as tables and text on a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

Decision = Mapping[str, Any]
_DAY = len("2026-11-21")
_MINUTE = len("2026-11-21T10:15")
_PARTS = (("In force", "in_force"), ("Planned", "planned"), ("Earlier", "earlier"), ("Proposal", "proposals"))
_TIMES = (("from", "effective_at"), ("until", "valid_until"))
_LISTS = (
    ("Consequences", "consequences"),
    ("Alternatives", "alternatives"),
    ("Replaced", "replaced"),
    ("Replaced by", "replaced_by"),
    ("Proposed as", "proposals"),
    ("About", "about"),
    ("Mentions", "mentions"),
    ("Requires", "requires"),
    ("Required by", "required_by"),
    ("Related", "related"),
    ("Evidence", "evidence"),
)


def print_list(out: Console, decisions: Sequence[Decision], *, with_ids: bool) -> None:
    """Print one row for each decision, with ids if `with_ids`."""
    names = ("target", "title", "status", "origin", "decided", "by", *(("id",) if with_ids else ()))
    table = Table(*(Column(name, overflow="fold") for name in names))
    for each in decisions:
        cells = [
            each["target"],
            each["title"],
            each["status"],
            each["origin"],
            _format_day(each),
            each.get("created_by"),
        ]
        table.add_row(*map(_to_text, [*cells, each["id"]] if with_ids else cells))
    out.print(table)


def print_results(out: Console, hits: Sequence[Decision]) -> None:
    """Print the results of a search, best first."""
    table = Table(Column("score", justify="right"), *(Column(name, overflow="fold") for name in ("status", "title")))
    table.add_column("target", overflow="fold")
    for hit in hits:
        status = hit["status"] if hit["kind"] == "decision" else f"{hit['status']} proposal"
        table.add_row(f"{hit['score']:.2f}", *map(_to_text, (status, hit["title"], hit["target"])))
    out.print(table)


def print_decision(out: Console, decision: Decision) -> None:
    """Print one complete decision or proposal."""
    out.print(Text(remove_control_characters(decision["title"]), style="bold"), soft_wrap=True)
    facts = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in _list_facts(decision):
        facts.add_row(name, _to_text(value))
    out.print(facts)
    out.print()
    out.print(Text(remove_control_characters(decision["rationale"])), soft_wrap=True)
    for heading, name in _LISTS:
        if items := decision.get(name):
            out.print()
            out.print(Text(heading, style="bold"))
            for item in items:
                out.print(Text(f"- {remove_control_characters(_format_item(name, item))}"), soft_wrap=True)
            if rest := (decision.get("more") or {}).get(name):
                out.print(Text(f"- and {rest} more"))


def print_why(out: Console, answer: Mapping[str, Any]) -> None:
    """Print what is in force for a target, and what led to it."""
    out.print(Text(remove_control_characters(f"{answer['target']}: {answer['message']}"), style="bold"), soft_wrap=True)
    for heading, name in _PARTS:
        for each in answer.get(name, ()):
            out.print()
            out.print(Text(f"{heading}: {remove_control_characters(each['title'])}", style="bold"), soft_wrap=True)
            for line in _list_lines(each):
                out.print(Text(remove_control_characters(line)), soft_wrap=True)
        if rest := answer.get("more", {}).get(name):
            out.print(f"and {rest} more")


def remove_control_characters(text: str) -> str:
    """Replace control characters, which would steer the terminal: any agent may have written the text."""
    return "".join(each if each.isprintable() or each in "\n\t" else "\N{REPLACEMENT CHARACTER}" for each in text)


def _list_facts(decision: Decision) -> Iterator[tuple[str, Any]]:
    proposal = decision.get("proposal") or {}
    kind = "" if decision["kind"] == "decision" else " proposal"
    yield "target", decision["target"]
    yield "status", decision["status"] + kind
    yield "decided" if not kind else "proposed", _format_time(decision.get("created_at"))
    for word, name in _TIMES:
        if decision.get(name):
            yield word, _format_time(decision[name])
    yield "by", f"{decision.get('created_by') or 'unknown'} ({decision['origin']})"
    for label, name in (("confidence", "confidence"), ("became", "became"), ("closed by", "decided_by")):
        if proposal.get(name) is not None:
            yield label, str(proposal[name])
    if proposal.get("acceptable_from"):
        yield "acceptable from", _format_time(proposal["acceptable_from"])
    if proposal.get("rejection_reason"):
        yield "rejected because", proposal["rejection_reason"]
    yield "id", decision["id"]


def _list_lines(each: Mapping[str, Any]) -> Iterator[str]:
    times = [f"{word} {_format_time(each[name])}" for word, name in _TIMES if each.get(name)]
    who = f"{each['status']}, {_format_time(each.get('at'))} by {each.get('by') or 'unknown'} ({each['origin']})"
    yield ", ".join([who, *times, each["id"]])
    yield each["why"]
    for option in each.get("alternatives", ()):
        yield f"- not {option['option']}: {option.get('why_not', '')}"
    for record in each.get("evidence", ()):
        yield f"- evidence: {record['kind']} {record['name']} ({record['id']})"
    if end := each.get("replaced_by"):
        who = f"{end['id']} ({end.get('by') or 'unknown'})"
        yield f"- replaced {_format_time(end.get('at'))} by {who}: {end.get('why', '')}"
    if each.get("rejected"):
        yield f"- rejected: {each['rejected']}"


def _format_item(name: str, item: Any) -> str:
    """Format an item of a list as one paragraph."""
    if isinstance(item, str):
        return item
    match name:
        case "alternatives":
            return f"{item['option']}: {item['why_not']}" if item["why_not"] else str(item["option"])
        case "replaced" | "replaced_by":
            when = f", {_format_time(item.get('at'))} by {item.get('by') or 'unknown'}"
            why = f": {item['reason']}" if item["reason"] else ""
            return f"{item['title']} ({item['id']}, {item['status']}{when}){why}"
        case "evidence":
            return f"{item['kind']} {item['name']} ({item['id']})"
        case "proposals":
            return f"{item['title']} ({item['id']}, by {item.get('by') or 'unknown'})"
        case "related":
            arrow = "->" if item["direction"] == "outgoing" else "<-"
            return f"{item['relation']} {arrow} {item['title']} ({item['id']}, {item['status']})"
        case _:
            return f"{item['title']} ({item['id']}, {item['status']})"


def _to_text(value: Any) -> Text:
    return Text(remove_control_characters(str(value or "")))


def _format_day(decision: Decision) -> str:
    return (decision.get("created_at") or "")[:_DAY]


def _format_time(text: str | None) -> str:
    return f"{text[:_MINUTE].replace('T', ' ')} UTC" if text else "at an unknown time"
