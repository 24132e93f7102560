"""Who judges: two language models, named in the settings, loaded when the first judgement is asked for.

Source: cognitive.md "store_dual_judge_scores"; open-questions.md "cognitive.md". pydantic-ai and the
providers' SDKs take a second and 80 MB to load: a service that judges nothing does not load them.
"""

from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import anyio

from server.errors import ApiKeyMissing, SetupError
from server.providers import Providers, provider_of

if TYPE_CHECKING:
    from server.evaluation.model_judge import ModelJudge


class Judge(Protocol):
    """Somebody who scores documents."""

    @property
    def name(self) -> str:
        """Who it is, as `provider:model`."""

    async def score(self, query: str, document: str) -> float:
        """Returns how relevant the document is to the query, 0..1.

        Raises `SetupError`, `JudgeUnavailable`, or `InvalidArgument` where the document is too long for it.
        """


class Panel(Protocol):
    """Where the two judges come from."""

    async def judges(self) -> tuple[Judge, Judge]:
        """Returns both, the first one first; raises `SetupError` where one cannot be had."""


@dataclass(slots=True)
class ModelPanel:
    """Two language models; `models` are `provider:model`, as pydantic-ai names them."""

    models: tuple[str, str]
    providers: Providers
    _judges: tuple[Judge, Judge] | None = None
    _lock: anyio.Lock = field(default_factory=anyio.Lock)
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def judges(self) -> tuple[Judge, Judge]:
        """Raises `ApiKeyMissing`, or `SetupError` where a model is unknown or both are the same."""
        self._require_keys()
        async with self._lock:
            if self._judges is None:
                # In a thread: the service goes on answering while a second's worth of modules is loaded.
                made = await anyio.to_thread.run_sync(self._make)
                for judge in made:
                    await self._open.enter_async_context(judge)
                self._judges = made
            return self._judges

    async def close(self) -> None:
        await self._open.aclose()

    def _require_keys(self) -> None:
        if self.models[0] == self.models[1]:
            raise SetupError(
                f"Both judges are {self.models[0]}: they have to be two. Whoever runs the service can set "
                "PRECEDENT_JUDGE1_MODEL and PRECEDENT_JUDGE2_MODEL."
            )
        for model in self.models:
            provider = self.providers.get(provider_of(model))
            if provider is not None and provider.key is None:
                raise ApiKeyMissing(
                    f"API key not configured: the judge {model} needs {provider.setting}. "
                    "Nothing was judged; whoever runs the service can set it."
                )

    def _make(self) -> "tuple[ModelJudge, ModelJudge]":
        from server.evaluation.model_judge import ModelJudge  # noqa: PLC0415 - see the head of this file

        first, second = self.models
        return ModelJudge.named(first, self.providers), ModelJudge.named(second, self.providers)
