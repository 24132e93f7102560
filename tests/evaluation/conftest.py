"""The evaluation tools over MCP, on the real Neo4j. Scripted models replace the ones that cost money."""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pydantic_ai.models
import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from server.core.principals import Principal, Role
from server.evaluation.judges import Judge
from server.evaluation.model_judge import ModelJudge
from server.evaluation.service import EvaluationService
from server.evaluation.tools import TOOLS
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from tests import agents
from tests.agents import texts
from tests.conftest import Cypher

ScoreSource = Callable[[str, str], object]


@pytest.fixture(autouse=True)
def offline() -> Iterator[None]:
    """Refuse calls of models that cost money."""
    with pydantic_ai.models.override_allow_model_requests(False):
        yield


def asked(messages: list[ModelMessage]) -> tuple[str, str]:
    """Return the query and the document that a judge is asked about."""
    [content] = [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
    assert isinstance(content, str)
    question = json.loads(content)
    return question["query"], question["document"]


def scripted(name: str, score: ScoreSource) -> ModelJudge:
    """Return a judge whose model answers with the result of `score`; an exception is raised."""

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        answered = score(*asked(messages))
        [tool] = info.output_tools
        return ModelResponse(parts=[ToolCallPart(tool.name, {"score": answered})])

    return ModelJudge(FunctionModel(answer, model_name=name), name, pause=0.001)


@dataclass
class ScriptedPanel:
    """Two judges that read their scores from tables; `questions` has what they were asked, in order."""

    first: dict[str, object] = field(default_factory=dict)
    second: dict[str, object] = field(default_factory=dict)
    questions: list[tuple[str, str, str]] = field(default_factory=list)

    async def load_judges(self) -> tuple[Judge, Judge]:
        return self._judge("scripted:one", self.first), self._judge("scripted:two", self.second)

    def _judge(self, name: str, scores: dict[str, object]) -> Judge:
        def score(query: str, document: str) -> object:
            self.questions.append((name, query, document))
            outcome = scores[document]
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        return scripted(name, score)


@dataclass
class ScriptedSearch:
    """Finds for each query what a test defined. The real search is measured in tests/interaction."""

    finds: dict[str, list[int]] = field(default_factory=dict)
    asked: list[tuple[str, int, str]] = field(default_factory=list)
    error: Exception | None = None

    async def __call__(self, query: str, top_k: int, caller: Principal) -> Sequence[int]:
        self.asked.append((query, top_k, caller.namespace))
        if self.error:
            raise self.error
        return self.finds.get(query, [])


class Agent(agents.Agent):
    """A principal that uses the evaluation tools over MCP."""

    tools = TOOLS

    async def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the error of a call that must fail. Source: EVA-6."""
        result = await self.call(tool, **arguments)
        assert result.is_error, texts(result)
        answer = result.structured_content
        assert answer is not None
        assert {"error", "details", "tool", "code"} <= set(answer)
        assert answer["tool"] == tool
        return dict(answer)


@pytest.fixture
def panel() -> ScriptedPanel:
    return ScriptedPanel()


@pytest.fixture
def search() -> ScriptedSearch:
    return ScriptedSearch()


@pytest.fixture
def service(graph: Graph, sequence: IdSequence, panel: ScriptedPanel, search: ScriptedSearch) -> EvaluationService:
    return EvaluationService(graph, sequence, panel=panel, search=search, embedding_model=lambda: "model 1")


@pytest.fixture
async def agent(service: EvaluationService, namespace: str) -> AsyncIterator[Agent]:
    """An agent over MCP."""
    async with Agent(service, Principal("tester", "agent", Role.AGENT, namespace), "auto").connected() as connected:
        yield connected


@pytest.fixture
async def insights(cypher: Cypher) -> None:
    """Nine insights, 1 to 9."""
    await cypher(
        "UNWIND range(1, 9) AS id "
        "CREATE (:Insight {namespace: $namespace, id: id, name: 'i' + id, content: 'insight ' + id})"
    )
