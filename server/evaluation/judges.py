"""The two judges: language models that the settings name, loaded for the first judgement.

pydantic-ai and the providers' SDKs are slow and large to load; a service that judges nothing does not load them.
Source: EVA-15, EVA-25.
"""

from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import anyio

from server.core.errors import ApiKeyMissing, SetupError
from server.language_models.providers import Providers, parse_provider

if TYPE_CHECKING:
    from server.evaluation.model_judge import ModelJudge


class Judge(Protocol):
    """Scores documents."""

    @property
    def name(self) -> str:
        """The judge's name, as `provider:model`."""

    async def score(self, query: str, document: str) -> float:
        """Return how relevant the document is to the query, 0..1.

        Raises `SetupError`, `JudgeUnavailable`, or `InvalidArgument` where the document is too long for the judge.
        """


class Panel(Protocol):
    """Provides the two judges."""

    async def load_judges(self) -> tuple[Judge, Judge]:
        """Return both judges in order; raise `SetupError` where one cannot be loaded."""


@dataclass(slots=True)
class ModelPanel:
    """Two language models; `models` are names as in pydantic-ai, `provider:model`."""

    models: tuple[str, str]
    providers: Providers
    _judges: tuple[Judge, Judge] | None = None
    _lock: anyio.Lock = field(default_factory=anyio.Lock)
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def load_judges(self) -> tuple[Judge, Judge]:
        """Return both judges. Raises `ApiKeyMissing`, or `SetupError` where a model is unknown or both are equal."""
        self._require_keys()
        async with self._lock:
            if self._judges is None:
                # In a thread, because loading the modules would block the event loop.
                loaded = await anyio.to_thread.run_sync(self._load)
                for judge in loaded:
                    await self._open.enter_async_context(judge)
                self._judges = loaded
            return self._judges

    async def close(self) -> None:
        await self._open.aclose()

    def _require_keys(self) -> None:
        if self.models[0] == self.models[1]:
            raise SetupError(
                f"Both judges are {self.models[0]}, but they must be two different models. The operator of the service "
                "can set PRECEDENT_JUDGE1_MODEL and PRECEDENT_JUDGE2_MODEL."
            )
        for model in self.models:
            provider = self.providers.get(parse_provider(model))
            if provider is not None and provider.key is None:
                raise ApiKeyMissing(
                    f"API key not configured: the judge {model} needs {provider.setting}. "
                    "Nothing was judged; the operator of the service can set it."
                )

    def _load(self) -> "tuple[ModelJudge, ModelJudge]":
        from server.evaluation.model_judge import ModelJudge  # noqa: PLC0415 - see the docstring of this module

        first, second = self.models
        return ModelJudge.from_name(first, self.providers), ModelJudge.from_name(second, self.providers)
