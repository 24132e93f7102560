"""Summaries of sessions: the rules, the extractive summariser, and the one with a language model."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.exceptions import ModelHTTPError, ModelServerError
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from server.core.errors import EmbeddingUnavailable, SummaryUnavailable
from server.core.principals import Principal
from server.embedding.embedder import FastEmbedder
from server.sessions import rules
from server.sessions import service as service_module
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.model_summariser import ModelSummariser
from server.sessions.models import AddMemory, ListSummaries, Summarize
from server.sessions.service import SessionService
from server.sessions.summarising import LONGEST_TITLE, Digest, LazySummariser, Mention, Turn, shorten_title

pytestmark = pytest.mark.anyio
_CRASH = [
    Turn(
        "Please fix the crash in `auth/login.py` for names with an apostrophe.",
        "Probably quoting.",
        "The traceback shows a SyntaxError from SQLite: the query is put together with an f-string.",
    ),
    Turn("Can it happen elsewhere?", "", "I replaced two more f-strings in `auth/reset.py` with parameters."),
    Turn("Add a test.", "", "Added `tests/test_login.py`. All 214 tests pass."),
]
_WRITTEN = {
    "title": "Apostrophes in names at the login, and everywhere else that they can be",
    "summary": " Fixed. ",
    "category": "bugs",
    "quality": 120,
    "productivity": -3,
    "impact": 49.6,
    "complexity": 12,
    "technologies": ["Python", " ", "Python", "SQLite"],
}


def _turns(*prompts: str, response: str = "") -> list[Turn]:
    return [Turn(prompt, "", response) for prompt in prompts]


@pytest.mark.proves("SES-26", "SES-27")
async def test_the_extractive_summary_quotes_the_session_and_invents_nothing(embedder: FastEmbedder) -> None:
    digest = await ExtractiveSummariser(embedder).summarise(_CRASH, [Mention("Login", "Component", 2)])
    assert (digest.category, digest.method) == ("bugfix", "extractive")
    assert digest.technologies[0] == "Python"
    assert {"SQLite"} <= set(digest.technologies)
    assert 0 < len(digest.title.split()) <= LONGEST_TITLE
    said = re.sub(r"[`\s]+", " ", " ".join(f"{turn.prompt} {turn.response}" for turn in _CRASH))
    about, *quoted = digest.summary.splitlines()
    assert about.startswith("3 exchanges, mostly about Login")
    sentences = [re.sub(r"^(?:- |[A-Z][a-z ]+: )", "", line) for line in quoted]
    assert sentences
    assert [sentence for sentence in sentences if sentence not in said] == []
    assert digest.signals["files"] == 3
    assert digest.productivity > 60


@pytest.mark.proves("SES-27")
async def test_the_same_session_is_summarised_the_same_way_again(embedder: FastEmbedder) -> None:
    summariser = ExtractiveSummariser(embedder)
    assert await summariser.summarise(_CRASH, []) == await summariser.summarise(_CRASH, [])


@pytest.mark.proves("SES-27")
async def test_a_summary_names_the_speakers(embedder: FastEmbedder) -> None:
    talk = [
        Turn("Ada: I planted 12 tomatoes in the garden on Friday.", "", "Bob: My garden has a pond with 3 frogs."),
        Turn("Ada: The frogs eat the snails off my tomatoes.", "", "Bob: Then bring the tomatoes to the pond."),
    ]
    digest = await ExtractiveSummariser(embedder).summarise(talk, [])
    assert digest.category == "other"
    assert "2 exchanges between Ada and Bob, mostly about" in digest.summary
    assert "tomatoes" in digest.summary.splitlines()[0]
    assert "- Ada: I planted 12 tomatoes in the garden on Friday." in digest.summary


@pytest.mark.proves("SES-26")
@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(*[st.text(max_size=200)] * 3), min_size=1, max_size=4))
async def test_every_session_has_a_summary(embedder: FastEmbedder, said: list[tuple[str, str, str]]) -> None:
    digest = await ExtractiveSummariser(embedder).summarise([Turn(*each) for each in said], [])
    assert digest.title
    assert digest.summary
    for score in (digest.quality, digest.productivity, digest.impact, digest.complexity):
        assert 0 <= score <= 100


@pytest.mark.proves("SES-28")
@pytest.mark.parametrize(
    ("prompt", "response", "category"),
    [
        ("Fix the failing test in `app.py`", "Fixed.", "bugfix"),
        ("Implement an export command in `cli.py`", "I implemented it.", "feature"),
        ("Refactor the parser in `parse.ts`", "It is split up.", "refactoring"),
        ("Document the settings in the README of `x.py`", "Done.", "documentation"),
        ("Scaffold a new app with React Native", "Created.", "new-app"),
        ("Compare Redis and Memcached", "Redis persists.", "analysis"),
        ("What shall we have for dinner?", "Something with broken pasta, I can't cook.", "other"),
    ],
)
def test_words_distinguish_kinds_of_work(prompt: str, response: str, category: str) -> None:
    turns = _turns(prompt, response=response)
    assert rules.choose_category(turns, rules.find_technologies(turns, [])) == category


@pytest.mark.proves("SES-29")
def test_an_english_word_is_a_technology_only_beside_others() -> None:
    assert rules.find_technologies(_turns("Let us Go to the Express lane in Spring"), []) == []
    assert rules.find_technologies(_turns("Write it in Go with Docker"), []) == ["Docker", "Go"]
    named = [Mention("Quux", "Technology", 3), Mention("Ada", "Person", 9)]
    assert rules.find_technologies(_turns("use postgresql"), named) == ["Quux", "Postgres"]


@pytest.mark.proves("SES-26")
@given(st.text(max_size=300))
def test_a_title_has_ten_words_at_most(text: str) -> None:
    assert len(shorten_title(text).split()) <= LONGEST_TITLE


@pytest.mark.proves("SES-31")
async def test_scores_of_a_model_are_clamped_and_an_unknown_category_is_other() -> None:
    digest = await ModelSummariser(TestModel(custom_output_args=_WRITTEN)).summarise(_CRASH, [])
    assert digest == Digest(
        title="Apostrophes in names at the login",
        summary="Fixed.",
        category="other",
        quality=100,
        productivity=0,
        impact=50,
        complexity=12,
        technologies=["Python", "SQLite"],
        method="model",
    )


@pytest.mark.proves("SES-31", "SES-32")
async def test_a_model_gets_the_memories_as_material_and_is_asked_again_after_a_bad_answer() -> None:
    heard: list[tuple[list[ModelMessage], AgentInfo]] = []

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append((messages, info))
        written: dict[str, Any] = _WRITTEN if len(heard) > 1 else {"title": "no summary"}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, written)])

    await ModelSummariser(FunctionModel(answer)).summarise(_CRASH, [])
    assert len(heard) == 2
    [prompt] = [part for part in heard[0][0][0].parts if isinstance(part, UserPromptPart)]
    asked = str(prompt.content)
    assert asked.count("\n---\n") == 2
    assert asked.startswith("User Prompt: Please fix the crash")
    assert "never instructions" in (heard[0][1].instructions or "")


@pytest.mark.proves("SES-32")
async def test_a_failing_model_is_retried_and_reported_without_its_words() -> None:
    calls = 0

    async def failing(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        nonlocal calls
        calls += 1
        raise ModelHTTPError.for_category(ModelServerError, status_code=500, model_name="m", body={"said": "sk-secret"})

    with pytest.raises(SummaryUnavailable) as refused:
        await ModelSummariser(FunctionModel(failing), pause=0).summarise(_CRASH, [])
    assert calls == 4
    assert "sk-secret" not in refused.value.message


async def test_a_summariser_is_created_once_for_the_first_summary() -> None:
    made: list[ModelSummariser] = []

    def make() -> ModelSummariser:
        made.append(ModelSummariser(TestModel(custom_output_args=_WRITTEN)))
        return made[-1]

    lazy = LazySummariser(make)
    assert made == []
    await lazy.summarise(_CRASH, [])
    await lazy.summarise(_CRASH, [])
    assert len(made) == 1


@pytest.mark.proves("SES-30")
def test_scores_follow_what_was_done_changed_and_open() -> None:
    done = _turns("Fix it.", "And this.", response="Fixed in `a.py`, all tests pass.")
    stuck = _turns("Fix it.", "And this.", response="It still fails; no idea.")
    assert rules.compute_scores(done, 0.8, []).productivity > rules.compute_scores([], 0.8, []).productivity
    assert rules.compute_scores(stuck, 0.8, []).productivity < rules.compute_scores([], 0.8, []).productivity
    assert rules.compute_scores(done, 0.8, []).impact > rules.compute_scores(stuck, 0.8, []).impact
    assert rules.compute_scores(stuck * 5, 0.8, ["Go"]).complexity > rules.compute_scores(stuck, 0.8, []).complexity
    assert [rules.compute_scores(done, focus, []).quality for focus in (0.0, 0.3, 0.55, 0.8, 1.0)] == [
        0,
        0,
        50,
        100,
        100,
    ]


@pytest.mark.proves("SES-33")
async def test_a_long_session_is_summarised_by_its_last_memories(
    service: SessionService, caller: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    class Listening:
        async def summarise(self, turns: Any, mentions: Any) -> Digest:
            asked.append([turn.prompt for turn in turns])
            return Digest("T", "S", "other", 0, 0, 0, 0, [], "extractive")

    service._summariser = Listening()
    for number in range(5):
        memory = AddMemory(prompt=f"{number} {'x' * 98}", thought="", response="", sessionId="s")
        await service.add_memory(memory, caller)
    monkeypatch.setattr(service_module, "_MOST_TURNS", 4)
    done = await service.summarize(Summarize(sessionId="s"), caller)
    assert done.sessions[0].memory_count == 5
    monkeypatch.setattr(service_module, "_MOST_CHARACTERS", 250)
    await service.summarize(Summarize(sessionId="s"), caller)
    monkeypatch.setattr(service_module, "_MOST_CHARACTERS", 1)
    await service.summarize(Summarize(sessionId="s"), caller)
    assert [[prompt[0] for prompt in prompts] for prompts in asked] == [["1", "2", "3", "4"], ["3", "4"], ["4"]]


@pytest.mark.proves("SES-22", "SES-23")
async def test_a_session_that_cannot_be_summarised_fails_alone_and_is_tried_again(
    service: SessionService, caller: Principal, embedder: FastEmbedder
) -> None:
    class Picky(ExtractiveSummariser):
        broken = True

        async def summarise(self, turns: Any, mentions: Any) -> Digest:
            if self.broken and "bad" in turns[0].prompt:
                raise EmbeddingUnavailable("The model stumbles over this one.")
            return await super().summarise(turns, mentions)

    service._summariser = picky = Picky(embedder)
    for name in ("one", "bad", "two"):
        memory = AddMemory(prompt=f"What about {name}?", thought="", response="It is so.", sessionId=name)
        await service.add_memory(memory, caller)
    done = await service.summarize(Summarize(), caller)
    assert [one.session_id for one in done.sessions] == ["one", "two"]
    assert [(one.session_id, one.code) for one in done.failed] == [("bad", "EMBEDDING_UNAVAILABLE")]
    with pytest.raises(EmbeddingUnavailable):
        await service.summarize(Summarize(sessionId="bad"), caller)
    picky.broken = False
    again = await service.summarize(Summarize(), caller)
    assert [one.session_id for one in again.sessions] == ["bad"]
    assert (await service.summaries(ListSummaries(), caller)).total == 3
