"""Whose language models can be asked: the providers whose keys are settings of ours."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import SecretStr

from server.settings import Settings


@dataclass(frozen=True, slots=True)
class Provider:
    """How a provider of models is reached, and which setting has its key."""

    setting: str
    key: SecretStr | None
    url: str


Providers = Mapping[str, Provider]
"""By the name that stands before a model's; any other provider takes its key from where pydantic-ai says."""


def providers(settings: Settings) -> Providers:
    """The providers as the settings say them."""
    return {
        "openai": Provider("OPENAI_API_KEY", settings.openai_api_key, settings.openai_url),
        "anthropic": Provider("ANTHROPIC_API_KEY", settings.anthropic_api_key, settings.anthropic_url),
    }


def provider_of(model: str) -> str:
    """The provider of a `provider:model`; OpenAI's interfaces, each a provider to pydantic-ai, share one key."""
    provider = model.partition(":")[0]
    return "openai" if provider in {"openai-chat", "openai-responses"} else provider
