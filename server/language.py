"""Language models by name: how a provider is reached, and what is wrong where it cannot be.

Import it where a model is first needed: pydantic-ai and the providers' SDKs take a second and 80 MB to load.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from server.errors import SetupError


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a provider's API answers, and with which key."""

    key: SecretStr | None
    url: str


def language_model(name: str, reaches: Mapping[str, Reach]) -> Model:
    """The model of a name such as `openai:gpt-5`; `reaches` are of `openai` and `anthropic`, where a key is set.

    Any other provider takes its key from where pydantic-ai's documentation says. Raises `SetupError`.
    """

    def provided(provider: str) -> Provider[Any]:
        # OpenAI's interfaces, each a provider to pydantic-ai, share one key.
        family = "openai" if provider in {"openai-chat", "openai-responses"} else provider
        reach = reaches.get(family)
        if reach is None or reach.key is None:
            return infer_provider(provider)
        made = AnthropicProvider if family == "anthropic" else OpenAIProvider
        return made(api_key=reach.key.get_secret_value(), base_url=reach.url)

    try:
        return infer_model(name, provided)
    except (UserError, ImportError, ValueError) as error:
        raise SetupError(f"The model {name} cannot be used. Whoever runs the service can look: {error}") from error
