"""Summaries of sessions: what the rules say, what the extractive one quotes, what a language model's becomes."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.exceptions import ModelHTTPError, ModelServerError
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from server.embedding.embedder import FastEmbedder
from server.errors import EmbeddingUnavailable, SummaryUnavailable
from server.principals import Principal
from server.sessions import rules
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.model_summariser import ModelSummariser
from server.sessions.models import AddMemory, ListSummaries, Summarize
from server.sessions.service import SessionService
from server.sessions.summarising import LONGEST_TITLE, Digest, LazySummariser, Mention, Turn, short_title

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


@pytest.mark.proves("sessions:summaries")
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


async def test_the_same_session_is_summarised_the_same_way_again(embedder: FastEmbedder) -> None:
    summariser = ExtractiveSummariser(embedder)
    assert await summariser.summarise(_CRASH, []) == await summariser.summarise(_CRASH, [])


async def test_speakers_of_a_talk_are_told(embedder: FastEmbedder) -> None:
    talk = [
        Turn("Ada: I planted 12 tomatoes in the garden on Friday.", "", "Bob: My garden has a pond with 3 frogs."),
        Turn("Ada: The frogs eat the snails off my tomatoes.", "", "Bob: Then bring the tomatoes to the pond."),
    ]
    digest = await ExtractiveSummariser(embedder).summarise(talk, [])
    assert digest.category == "other"
    assert "2 exchanges between Ada and Bob, mostly about" in digest.summary
    assert "tomatoes" in digest.summary.splitlines()[0]
    assert "- Ada: I planted 12 tomatoes in the garden on Friday." in digest.summary


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(*[st.text(max_size=200)] * 3), min_size=1, max_size=4))
async def test_whatever_was_said_there_is_a_summary(embedder: FastEmbedder, said: list[tuple[str, str, str]]) -> None:
    digest = await ExtractiveSummariser(embedder).summarise([Turn(*each) for each in said], [])
    assert digest.title
    assert digest.summary
    for score in (digest.quality, digest.productivity, digest.impact, digest.complexity):
        assert 0 <= score <= 100


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
def test_words_tell_the_kinds_of_work_apart(prompt: str, response: str, category: str) -> None:
    turns = _turns(prompt, response=response)
    assert rules.category(turns, rules.technologies(turns, [])) == category


def test_a_word_of_english_is_a_technology_only_among_others() -> None:
    assert rules.technologies(_turns("Let us Go to the Express lane in Spring"), []) == []
    assert rules.technologies(_turns("Write it in Go with Docker"), []) == ["Docker", "Go"]
    named = [Mention("Quux", "Technology", 3), Mention("Ada", "Person", 9)]
    assert rules.technologies(_turns("use postgresql"), named) == ["Quux", "Postgres"]


@given(st.text(max_size=300))
def test_a_title_has_ten_words_at_most(text: str) -> None:
    assert len(short_title(text).split()) <= LONGEST_TITLE


async def test_what_a_model_writes_is_clamped_and_an_unknown_category_is_other() -> None:
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


async def test_a_model_that_fails_is_tried_again_and_then_told_without_its_words() -> None:
    calls = 0

    async def failing(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        nonlocal calls
        calls += 1
        raise ModelHTTPError.for_category(ModelServerError, status_code=500, model_name="m", body={"said": "sk-secret"})

    with pytest.raises(SummaryUnavailable) as refused:
        await ModelSummariser(FunctionModel(failing), pause=0).summarise(_CRASH, [])
    assert calls == 4
    assert "sk-secret" not in refused.value.message


async def test_a_summariser_is_made_once_and_when_it_is_first_asked() -> None:
    made: list[ModelSummariser] = []

    def make() -> ModelSummariser:
        made.append(ModelSummariser(TestModel(custom_output_args=_WRITTEN)))
        return made[-1]

    lazy = LazySummariser(make)
    assert made == []
    await lazy.summarise(_CRASH, [])
    await lazy.summarise(_CRASH, [])
    assert len(made) == 1


@pytest.mark.proves("sessions:summaries")
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
