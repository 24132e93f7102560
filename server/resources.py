"""What a resource is: an address that only reads, its parameters, what it lists, and how its family tells errors.

The families declare their resources with this; `server/mcp` publishes them. Source: cognitive.md "MCP Resources".
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel

from server.errors import InvalidArgument
from server.tools import Envelope, Tool, ToolInput, ToolOutput

JSON_TYPE = "application/json"
_MOST_PARAMETERS = 50
T = TypeVar("T", bound=BaseModel)


class Contents(ToolOutput):
    """The answer of a resource: what was asked, word by word, and the list."""

    resource: str
    uri: str
    mimeType: str = JSON_TYPE  # noqa: N815 - the specification's word
    contents: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of a family.

    `run` is called with the family's service, the parsed request and the calling `Principal`, and returns a list of
    `item`. The role is checked before.
    """

    uri: str
    name: str
    description: str
    request: type[ToolInput]
    item: type[BaseModel]
    run: Callable[[Any, Any, Any], Awaitable[list[Any]]]
    envelope: Envelope

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters, in the order in which they are told."""
        return list(self.request.model_fields)

    @property
    def template(self) -> str:
        """The address with its parameters (RFC 6570); without parameters, the address."""
        return f"{self.uri}{{?{','.join(self.parameters)}}}" if self.parameters else self.uri

    def parse(self, uri: str) -> Any:
        """Returns the request of an address; raises `InvalidArgument` that names every parameter at fault."""
        parts = urlsplit(uri)
        if parts.fragment:
            raise InvalidArgument(f"{self.uri} has no part after a #; write # as %23 within a parameter.")
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
                f"What follows the ? has to be parameters in UTF-8, name=value, with & between; {self._takes()}"
            ) from None
        known = self.parameters
        if unknown := [name for name, _ in given if name not in known]:
            raise InvalidArgument(
                f"{self.uri} has no parameter {unknown[0][:100]!r}; {self._takes()}", {"parameters": known}
            )
        if twice := [name for name in known if sum(name == other for other, _ in given) > 1]:
            raise InvalidArgument(f"{twice[0]} is given more than once; give it once.", {"parameters": known})
        return self.request.parse(dict(given))

    def answer(self, uri: str, items: Iterable[BaseModel]) -> dict[str, Any]:
        """The documented envelope of what was read."""
        contents = [item.model_dump(mode="json") for item in items]
        return Contents(resource=self.uri, uri=uri, contents=contents).model_dump()

    def item_schema(self) -> dict[str, Any]:
        """The JSON schema of what it lists."""
        return self._as_tool().output_schema()

    def parameter_schema(self) -> dict[str, Any]:
        """The JSON schema of its parameters."""
        return self._as_tool().input_schema()

    def _takes(self) -> str:
        return f"it takes {', '.join(self.parameters)}." if self.parameters else "it takes none."

    def _as_tool(self) -> Tool:
        return Tool(self.name, self.description, self.request, self.item, self.run, self.envelope)  # type: ignore[arg-type]


def find(resources: Iterable[Resource], uri: str) -> Resource | None:
    """The resource that an address means, whatever its parameters; None where there is none."""
    address = uri.partition("?")[0].partition("#")[0].removesuffix("/")
    return next((resource for resource in resources if resource.uri == address), None)
