"""Language models by name: how a provider is reached, and what is wrong where it cannot be.

Import it where a model is first needed: pydantic-ai and the providers' SDKs take a second and 80 MB to load.
"""

from typing import Any

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider as ModelProvider
from pydantic_ai.providers import infer_provider
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from server.errors import SetupError
from server.providers import Providers, provider_of


def language_model(name: str, providers: Providers) -> Model:
    """The model of a name such as `openai:gpt-5`. Raises `SetupError` where it cannot be used."""

    def provided(provider: str) -> ModelProvider[Any]:
        family = provider_of(provider)
        known = providers.get(family)
        if known is None or known.key is None:
            return infer_provider(provider)
        made = AnthropicProvider if family == "anthropic" else OpenAIProvider
        return made(api_key=known.key.get_secret_value(), base_url=known.url)

    try:
        return infer_model(name, provided)
    except (UserError, ImportError, ValueError) as error:
        raise SetupError(f"The model {name} cannot be used. Whoever runs the service can look: {error}") from error
