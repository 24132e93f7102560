"""Searching the web with Tavily.

Source: journal.md "tavily_web_search"; open-questions.md "journal.md", "tavily_web_search"; Tavily's API reference,
"Search" (`POST /search`, the key as a bearer token, `results` with title, url, content and score).
"""

import hashlib
from typing import Annotated, Any, Literal

import anyio
import httpx2
from pydantic import BaseModel, BeforeValidator, Field, SecretStr, ValidationError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from server.errors import InvalidArgument, PrecedentError, SetupError, WebSearchUnavailable
from server.journal.fields import AgentId
from server.journal.models import Items
from server.tools import ToolInput, ToolOutput

_ATTEMPTS = 3
_LONGEST_PAUSE = 8.0
_LARGEST_ANSWER = 10 * 1_048_576
_LONGEST_PAGE = 100_000
_LONGEST_REASON = 200
_KEY_REFUSED = frozenset({401, 403})
_PLAN_EXHAUSTED = frozenset({432, 433})
_REQUEST_REFUSED = frozenset({400, 422})
_TOO_MANY = 429
_OK = 200
_FAULT = 500

Domain = Annotated[str, Field(min_length=1, max_length=253)]
Written = Annotated[str, BeforeValidator(lambda text: "" if text is None else text)]
Page = Annotated[str, BeforeValidator(lambda text: text[:_LONGEST_PAGE] if isinstance(text, str) else text)]


class SearchWeb(ToolInput):
    query: Annotated[str, Field(min_length=1, max_length=1_000)] = Field(description="Search query")
    search_depth: Literal["basic", "advanced"] = "basic"
    topic: Literal["general", "news"] = "general"
    days: Annotated[int, Field(ge=1, le=3_650)] = Field(3, description="How many days back; only for topic news")
    time_range: Literal["day", "week", "month", "year", "d", "w", "m", "y"] | None = Field(
        None, description="How far back"
    )
    max_results: Annotated[int, Field(ge=5, le=20)] = 10
    include_images: bool = False
    include_image_descriptions: bool = False
    include_raw_content: bool = Field(False, description="Include the parsed content of each page")
    include_domains: Annotated[list[Domain], Field(max_length=300)] = Field([], description="Only these domains")
    exclude_domains: Annotated[list[Domain], Field(max_length=150)] = Field([], description="None of these domains")
    agent_id: AgentId | None = Field(None, description="Log an attribution (tavily_search) for this agent")

    def body(self) -> dict[str, Any]:
        """The body of the call: `days` only where it has a meaning, and does not narrow a chosen `time_range`."""
        body = self.model_dump(exclude={"agent_id"}, exclude_none=True)
        if self.topic != "news" or (self.time_range and "days" not in self.model_fields_set):
            del body["days"]
        return body


class WebResult(ToolOutput):
    title: Written = ""
    url: str
    content: Written = ""
    score: float | None = None
    published_date: str | None = None
    raw_content: Page | None = None


class Image(ToolOutput):
    url: str
    description: str | None = None


class WebResults(Items[WebResult]):
    images: list[Image]
    attribution_id: str | None = None

    def digest(self) -> str:
        """SHA-256 of what was found, hexadecimal."""
        return hashlib.sha256(self.model_dump_json(include={"items", "images"}).encode()).hexdigest()


class _Answer(BaseModel):
    results: list[WebResult]
    images: list[
        Annotated[Image, BeforeValidator(lambda image: {"url": image} if isinstance(image, str) else image)]
    ] = []


class _Again(Exception):
    """A failure that may pass; `error` is what the caller hears if it does not."""

    def __init__(self, error: PrecedentError, seconds: float = 0.0) -> None:
        super().__init__(error.message)
        self.error = error
        self.seconds = seconds


class Tavily:
    """A client of Tavily's search. The key goes into one header, and into nothing else."""

    def __init__(self, key: SecretStr | None, url: str, *, timeout: float = 10.0, pause: float = 0.5) -> None:
        """`timeout` ends an attempt, `pause` is the first of the growing ones between attempts; both in seconds."""
        self._key = key
        self._url = f"{url.rstrip('/')}/search"
        self._timeout = timeout
        self._pause = wait_exponential_jitter(multiplier=pause, max=_LONGEST_PAUSE, jitter=pause)
        self._http = httpx2.AsyncClient(timeout=timeout, follow_redirects=False)

    async def search(self, request: SearchWeb) -> WebResults:
        """Returns what the web has.

        Raises `SetupError` (no key, or one that is refused or used up), `InvalidArgument` (Tavily refuses the search)
        or `WebSearchUnavailable` (still failing after 3 attempts, no answer in time, or one that cannot be read).
        """
        if self._key is None:
            raise SetupError(
                "Tavily API key is not configured. Cannot perform search. "
                "Whoever runs the service can set TAVILY_API_KEY."
            )
        try:
            async for attempt in AsyncRetrying(
                retry=retry_if_exception_type(_Again),
                stop=stop_after_attempt(_ATTEMPTS),
                wait=self._wait,
                sleep=anyio.sleep,
                reraise=True,
            ):
                with attempt:
                    return _read(await self._post(self._key, request.body()))
        except _Again as last:
            raise last.error from last
        raise AssertionError("tenacity ends with an answer or an error")

    async def close(self) -> None:
        await self._http.aclose()

    async def _post(self, key: SecretStr, body: dict[str, Any]) -> bytes:
        """One attempt; raises `_Again` where another one may do better."""
        headers = {"Authorization": f"Bearer {key.get_secret_value()}"}
        try:
            with anyio.fail_after(self._timeout):
                async with self._http.stream("POST", self._url, json=body, headers=headers) as response:
                    content = await _bounded(response)
        except (TimeoutError, httpx2.TimeoutException) as error:
            told = f"Tavily did not answer within {self._timeout:g} s; try again later or with search_depth basic."
            raise WebSearchUnavailable(told) from error
        except httpx2.TransportError as error:
            raise _Again(WebSearchUnavailable("Tavily cannot be reached; try again later.")) from error
        if response.status_code != _OK:
            raise self._refused(response, content, key)
        return content

    def _refused(self, response: httpx2.Response, content: bytes, key: SecretStr) -> Exception:
        status = response.status_code
        if status in _KEY_REFUSED:
            return SetupError("Tavily refuses the API key; whoever runs the service can check TAVILY_API_KEY.")
        if status in _PLAN_EXHAUSTED:
            return SetupError("The limit of the Tavily plan is reached; its owner can raise it.")
        if status in _REQUEST_REFUSED:
            reason = _reason(content).replace(key.get_secret_value(), "…")
            return InvalidArgument(f"Tavily refuses this search{reason and f': {reason[:_LONGEST_REASON]}'}")
        if status == _TOO_MANY:
            told = WebSearchUnavailable("Tavily's rate limit is reached; try again in a minute.")
            return _Again(told, _seconds(response.headers.get("retry-after", "")))
        failed = WebSearchUnavailable(f"Tavily failed (HTTP {status}); try again later.")
        return _Again(failed) if status >= _FAULT else failed

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.seconds if isinstance(error, _Again) else 0.0
        return min(max(asked, self._pause(state)), _LONGEST_PAUSE)


async def _bounded(response: httpx2.Response) -> bytes:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > _LARGEST_ANSWER:
            raise WebSearchUnavailable("Tavily's answer is too large; ask for fewer results or without raw content.")
    return bytes(content)


def _read(content: bytes) -> WebResults:
    try:
        answer = _Answer.model_validate_json(content)
    except ValidationError as error:
        raise WebSearchUnavailable("Tavily's answer cannot be read; try again later.") from error
    return WebResults(items=answer.results, images=answer.images)


class _Detail(BaseModel):
    error: str


class _Refusal(BaseModel):
    detail: _Detail | str


def _reason(content: bytes) -> str:
    """What Tavily says is wrong with a request, where it says so in its documented form."""
    try:
        detail = _Refusal.model_validate_json(content).detail
    except ValidationError:
        return ""
    return detail if isinstance(detail, str) else detail.error


def _seconds(header: str) -> float:
    return float(header) if header.isascii() and header.isdigit() and len(header) < 4 else 0.0  # noqa: PLR2004
