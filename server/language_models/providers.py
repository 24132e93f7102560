"""The providers of language models whose keys are settings of the service."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import SecretStr

from server.core.settings import Settings


@dataclass(frozen=True, slots=True)
class Provider:
    """The address and key of a provider, and the setting that has the key."""

    setting: str
    key: SecretStr | None
    url: str


Providers = Mapping[str, Provider]
"""By provider name, as in `provider:model`; other providers take their key from where pydantic-ai documents it."""


def list_providers(settings: Settings) -> Providers:
    """Return the providers that the settings configure."""
    return {
        "openai": Provider("OPENAI_API_KEY", settings.openai_api_key, settings.openai_url),
        "anthropic": Provider("ANTHROPIC_API_KEY", settings.anthropic_api_key, settings.anthropic_url),
    }


def parse_provider(model: str) -> str:
    """Return the provider of a `provider:model`; OpenAI's interfaces are providers to pydantic-ai and share one key."""
    provider = model.partition(":")[0]
    return "openai" if provider in {"openai-chat", "openai-responses"} else provider
