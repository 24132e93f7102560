"""A new client finds what was decided: in other words, by name and number, among 200 unrelated decisions in force."""

from collections.abc import Mapping
from secrets import token_hex
from typing import Any

import anyio
import pytest
from mcp import Client

from server.app import App
from server.core.principals import Principal, Role
from server.decisions.models import RecordDecision
from tests.interaction.tools import ask

pytestmark = pytest.mark.anyio

_AREAS = ["billing", "login", "search", "catalogue", "shipping", "returns", "email", "reports", "backups", "payments"]
_RULES = [
    ("Keep {area} logs for thirty days", "Auditors ask for a month of {area} history, and disks are cheap."),
    ("Test {area} in a browser before each release", "Two broken {area} pages reached customers in spring."),
    ("Name the {area} team as owner of its tables", "Nobody knew whom to ask about {area} when it failed at night."),
    ("Page the {area} team after five minutes", "Ten minutes of silence in {area} cost us a customer."),
    ("Write the {area} interface down in OpenAPI", "Partners generate their {area} clients from it."),
    ("Deploy {area} on Tuesdays", "Mondays are full, and {area} needs somebody who watches it."),
    ("Let {area} fail closed", "A wrong answer of {area} is worse than none."),
    ("Round {area} amounts to cents", "Fractions added up to wrong sums in {area}."),
    ("Show {area} errors with a number", "Support finds the {area} log line by it."),
    ("Translate {area} texts last", "Words in {area} change until the week of the release."),
    ("Ask before {area} data leaves the country", "Contracts of the {area} customers say so."),
    ("Cap {area} requests at a hundred a minute", "A script took {area} down twice."),
    ("Charge {area} hours to the platform", "Projects did not pay for {area}."),
    ("Draw {area} screens on paper first", "Half of the {area} prototypes were thrown away."),
    ("Store {area} times in UTC", "Summer time moved {area} records by an hour."),
    ("Sign {area} webhooks", "Anybody could have called {area}."),
    ("Keep {area} settings in the repository", "Nobody knew when {area} had been changed."),
    ("Review {area} changes by two people", "One reader missed what broke {area}."),
    ("Count {area} users by day", "Hours say nothing about {area}."),
    ("Hide {area} behind a flag for a week", "It was easier to take {area} back."),
]


@pytest.fixture(scope="module")
def namespace() -> str:
    """One for all tests of this file: two hundred decisions take seconds to record."""
    return f"two-hundred-{token_hex(4)}"


@pytest.fixture
def era() -> str:
    """Both eras answer alike."""
    return "2026-07-28"


@pytest.fixture(scope="module")
async def unrelated(app: App, namespace: str) -> int:
    """Two hundred decisions in force that have nothing to do with what is asked."""
    human = Principal("grace", "human", Role.ADMIN, namespace)
    limit = anyio.CapacityLimiter(8)

    async def record(request: RecordDecision) -> None:
        async with limit:
            await app.services.decisions.record(request, human)

    async with anyio.create_task_group() as tasks:
        for area in _AREAS:
            for number, (title, why) in enumerate(_RULES):
                target = f"{area} rule {number}"
                request = RecordDecision(title=title.format(area=area), target=target, rationale=why.format(area=area))
                tasks.start_soon(record, request)
    await app.parts.projector.drain()
    return len(_AREAS) * len(_RULES)


async def _record(client: Client, title: str, target: str, why: str, *consequences: str) -> str:
    answer = await ask(
        client, "record_decision", title=title, target=target, rationale=why, consequences=list(consequences)
    )
    return str(answer["decision_id"])


async def _search(client: Client, query: str, **more: Any) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = (await ask(client, "search_decisions", query=query, **more))["results"]
    return found


@pytest.mark.proves("DEC-28", "DEC-29", "RET-19", "RET-20")
async def test_among_200_decisions_in_force_the_one_that_was_asked_for_comes_first(
    app: App, client: Client, unrelated: int
) -> None:
    assert unrelated == 200
    storage = await _record(
        client,
        "Neo4j is the only authority",
        "graph store",
        "Relations are what we ask for, and one database that holds all the data cannot disagree with itself.",
        "Replication to the harbour office needs the enterprise licence",
    )
    queue = await _record(client, "Use NATS between services", "message queue", "It is one small binary.")
    language = await _record(client, "Write the services in Python", "language", "Everybody here reads it.")
    rfc = await _record(client, "RFC 560: messages carry a trace id", "tracing", "Nobody could follow a request.")
    await app.parts.projector.drain()

    for query, expected in {
        "which database holds the data?": storage,
        "which store is the authority for relations?": storage,
        "harbour office": storage,  # stands in a consequence alone
        "message queue": queue,
        "Message  Queue": queue,
        "language": language,
        "RFC 560": rfc,
        "rfc-0560": rfc,
        "what did we say in RFC 560?": rfc,
        queue: queue,
    }.items():
        assert (await _search(client, query))[0]["id"] == expected, query

    for query in ("vaccination of cats", "when did the Roman empire fall?", "sourdough starter"):
        answer = await ask(client, "search_decisions", query=query)
        assert answer["results"] == [], query
        assert "list_decisions" in answer["message"]


@pytest.mark.proves("DEC-33", "DEC-41")
async def test_an_exact_draft_is_not_drowned_by_decisions_in_force(app: App, client: Client, unrelated: int) -> None:
    evidence = [
        (await ask(client, "save_memory", text=f"The crane of dock {number} froze again."))["id"] for number in range(3)
    ]
    proposed = await ask(
        client,
        "propose_decision",
        title="Heat the crane cabins of the docks",
        target="crane cabins",
        rationale="Cranes of the docks freeze in winter, and ships wait.",
        confidence=0.9,
        evidence_ids=evidence,
    )
    await app.parts.projector.drain()
    hits = await _search(client, "heating for the crane cabins at the docks", limit=20)
    assert (hits[0]["id"], hits[0]["status"]) == (proposed["proposal_id"], "draft")
    assert all(sum(each["amount"] for each in hit["why"]) == pytest.approx(hit["score"]) for hit in hits)


@pytest.mark.proves("DEC-39", "DEC-40")
async def test_a_search_keeps_to_a_target_a_thing_a_status_and_a_time_and_goes_on_in_pages(
    app: App, client: Client, unrelated: int
) -> None:
    await app.parts.projector.drain()
    [hit] = await _search(client, "how long are logs kept", target="Billing  Rule 0")
    assert hit["title"] == "Keep billing logs for thirty days"
    assert await _search(client, "how long are logs kept", until="2020-01-01") == []
    assert await _search(client, "how long are logs kept", status="superseded") == []
    about = await _search(client, "logs", about="shipping rule 0")
    assert [hit["target"] for hit in about] == ["shipping rule 0"]

    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = await ask(client, "search_decisions", query="keep logs for thirty days", limit=4, offset=offset)
        seen += [hit["id"] for hit in page["results"]]
        offset = page.get("next_offset")
    assert len(seen) == len(set(seen)) == page["total"] >= 10
