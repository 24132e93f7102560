"""Language models by name.

Import this module where a model is first needed: pydantic-ai and the providers' SDKs are slow and large to load.
"""

from typing import Any

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider as ModelProvider
from pydantic_ai.providers import infer_provider
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from server.core.errors import SetupError
from server.language_models.providers import Providers, parse_provider


def load_language_model(name: str, providers: Providers) -> Model:
    """Return the model of a name such as `openai:gpt-5`. Raises `SetupError` where it cannot be used."""

    def load_provider(provider: str) -> ModelProvider[Any]:
        family = parse_provider(provider)
        known = providers.get(family)
        if known is None or known.key is None:
            return infer_provider(provider)
        kind = AnthropicProvider if family == "anthropic" else OpenAIProvider
        return kind(api_key=known.key.get_secret_value(), base_url=known.url)

    try:
        return infer_model(name, load_provider)
    except (UserError, ImportError, ValueError) as error:
        raise SetupError(
            f"The model {name} cannot be used; the operator of the service can check its name and key: {error}"
        ) from error
