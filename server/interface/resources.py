"""What a resource is: a read-only address, its parameters, the items that it lists, and its family's error form.

The families declare their resources with this; `server/mcp` publishes them.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel

from server.core.errors import InvalidArgument
from server.core.principals import Principal
from server.interface.tools import Envelope, RequestT, ServiceT, ToolOutput, input_schema, output_schema

JSON_TYPE = "application/json"
_MOST_PARAMETERS = 50
ItemT = TypeVar("ItemT", bound=BaseModel)


class Contents(ToolOutput):
    """The answer of a resource: its address as requested, and the list."""

    resource: str
    uri: str
    mimeType: str = JSON_TYPE  # noqa: N815 - the contract's name
    contents: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Resource(Generic[ServiceT, RequestT, ItemT]):
    """One resource of a family: a method of the family's service, its request and the items that it lists.

    `run` is called with the service, the parsed request and the caller. The role is checked before.
    """

    uri: str
    name: str
    description: str
    request: type[RequestT]
    item: type[ItemT]
    run: Callable[[ServiceT, RequestT, Principal], Awaitable[list[ItemT]]]
    envelope: Envelope

    def bind(self, service: ServiceT) -> "BoundResource[RequestT, ItemT]":
        """Return the resource with the service that reads it."""
        return BoundResource(self, partial(self.run, service))

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters, in order."""
        return list(self.request.model_fields)

    @property
    def template(self) -> str:
        """The URI template (RFC 6570); without parameters, the address."""
        return f"{self.uri}{{?{','.join(self.parameters)}}}" if self.parameters else self.uri

    def parse(self, uri: str) -> RequestT:
        """Returns the request of an address; raises `InvalidArgument` that names every parameter at fault."""
        parts = urlsplit(uri)
        if parts.fragment:
            raise InvalidArgument(f"{self.uri} has no fragment; write # as %23 in a parameter.")
        try:
            given = parse_qsl(
                parts.query,
                keep_blank_values=True,
                strict_parsing=bool(parts.query),
                errors="strict",
                max_num_fields=_MOST_PARAMETERS,
            )
        except ValueError:
            raise InvalidArgument(
                f"The query string is invalid; write name=value in UTF-8, joined by &; {self._describe_parameters()}"
            ) from None
        known = self.parameters
        if unknown := [name for name, _ in given if name not in known]:
            raise InvalidArgument(
                f"{self.uri} has no parameter {unknown[0][:100]!r}; {self._describe_parameters()}",
                {"parameters": known},
            )
        if repeated := [name for name in known if sum(name == other for other, _ in given) > 1]:
            raise InvalidArgument(f"{repeated[0]} is given more than once; give it once.", {"parameters": known})
        return self.request.parse(dict(given))

    def answer(self, uri: str, items: Iterable[BaseModel]) -> dict[str, Any]:
        """Return the documented envelope of these items."""
        contents = [item.model_dump(mode="json") for item in items]
        return Contents(resource=self.uri, uri=uri, contents=contents).model_dump()

    def item_schema(self) -> dict[str, Any]:
        """The JSON schema of what it lists."""
        return output_schema(self.item)

    def parameter_schema(self) -> dict[str, Any]:
        """The JSON schema of its parameters."""
        return input_schema(self.request)

    def _describe_parameters(self) -> str:
        return f"its parameters are {', '.join(self.parameters)}." if self.parameters else "it has no parameters."


@dataclass(frozen=True, slots=True)
class BoundResource(Generic[RequestT, ItemT]):
    """A resource with the service that reads it."""

    resource: Resource[Any, RequestT, ItemT]
    run: Callable[[RequestT, Principal], Awaitable[list[ItemT]]]


AnyResource = Resource[Any, Any, Any]
"""One of several resources. A family's own tuple has no annotation, so that mypy checks each with its own types."""
AnyBoundResource = BoundResource[Any, Any]


def find(resources: Iterable[AnyResource], uri: str) -> AnyResource | None:
    """The resource that an address means, whatever its parameters; None where there is none."""
    address = uri.partition("?")[0].partition("#")[0].removesuffix("/")
    return next((resource for resource in resources if resource.uri == address), None)
