"""The client of Tavily's web search: `POST /search` with the key as a bearer token.

Source: JRN-53, JRN-57, JRN-59; Tavily's API reference, "Search".
"""

import hashlib
from typing import Annotated, Any, Literal

import anyio
import httpx2
from pydantic import BaseModel, BeforeValidator, Field, SecretStr, ValidationError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from server.core.errors import InvalidArgument, PrecedentError, SetupError, WebSearchUnavailable
from server.interface.tools import ToolInput, ToolOutput
from server.journal.fields import AgentId
from server.journal.models import ItemList

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
_SERVER_ERROR = 500

Domain = Annotated[str, Field(min_length=1, max_length=253)]
TextOrEmpty = Annotated[str, BeforeValidator(lambda text: "" if text is None else text)]
PageText = Annotated[str, BeforeValidator(lambda text: text[:_LONGEST_PAGE] if isinstance(text, str) else text)]


class SearchWeb(ToolInput):
    query: Annotated[str, Field(min_length=1, max_length=1_000)]
    search_depth: Literal["basic", "advanced"] = "basic"
    topic: Literal["general", "news"] = "general"
    days: Annotated[int, Field(ge=1, le=3_650)] = Field(3, description="For topic news")
    time_range: Literal["day", "week", "month", "year", "d", "w", "m", "y"] | None = None
    max_results: Annotated[int, Field(ge=5, le=20)] = 10
    include_images: bool = False
    include_image_descriptions: bool = False
    include_raw_content: bool = Field(False, description="The text of each page")
    include_domains: Annotated[list[Domain], Field(max_length=300)] = Field([])
    exclude_domains: Annotated[list[Domain], Field(max_length=150)] = Field([])
    agent_id: AgentId | None = Field(None, description="Logs an attribution for this agent")

    def to_body(self) -> dict[str, Any]:
        """Return the body of the call, with `days` only for news and where it does not narrow a given `time_range`."""
        body = self.model_dump(exclude={"agent_id"}, exclude_none=True)
        if self.topic != "news" or (self.time_range and "days" not in self.model_fields_set):
            del body["days"]
        return body


class WebResult(ToolOutput):
    title: TextOrEmpty = ""
    url: str
    content: TextOrEmpty = ""
    score: float | None = None
    published_date: str | None = None
    raw_content: PageText | None = None


class Image(ToolOutput):
    url: str
    description: str | None = None


class WebResults(ItemList[WebResult]):
    images: list[Image]
    attribution_id: str | None = None

    def compute_digest(self) -> str:
        """Return the SHA-256 hash of the results and images, in hexadecimal."""
        return hashlib.sha256(self.model_dump_json(include={"items", "images"}).encode()).hexdigest()


class _TavilyAnswer(BaseModel):
    results: list[WebResult]
    images: list[
        Annotated[Image, BeforeValidator(lambda image: {"url": image} if isinstance(image, str) else image)]
    ] = []


class _RetryableFailure(Exception):
    """A failure that another attempt may not have; `error` is raised after the last attempt."""

    def __init__(self, error: PrecedentError, seconds: float = 0.0) -> None:
        super().__init__(error.message)
        self.error = error
        self.seconds = seconds


class Tavily:
    """A client of Tavily's search. The key is sent in one header and nowhere else."""

    def __init__(self, key: SecretStr | None, url: str, *, timeout: float = 10.0, pause: float = 0.5) -> None:
        """`timeout` limits an attempt, `pause` is the first of the growing pauses between attempts; both in seconds."""
        self._key = key
        self._url = f"{url.rstrip('/')}/search"
        self._timeout = timeout
        self._pause = wait_exponential_jitter(multiplier=pause, max=_LONGEST_PAUSE, jitter=pause)
        self._http = httpx2.AsyncClient(timeout=timeout, follow_redirects=False)

    async def search(self, request: SearchWeb) -> WebResults:
        """Return the results of a web search.

        Raises `SetupError` (no key, a refused key or a used-up plan), `InvalidArgument` (Tavily refuses the search) or
        `WebSearchUnavailable` (still failing after 3 attempts, no answer in time, or an unreadable answer).
        """
        if self._key is None:
            raise SetupError(
                "Tavily API key is not configured. Cannot perform search. "
                "The operator of the service can set TAVILY_API_KEY."
            )
        try:
            async for attempt in AsyncRetrying(
                retry=retry_if_exception_type(_RetryableFailure),
                stop=stop_after_attempt(_ATTEMPTS),
                wait=self._pause_before_retry,
                sleep=anyio.sleep,
                reraise=True,
            ):
                with attempt:
                    return _parse_results(await self._post(self._key, request.to_body()))
        except _RetryableFailure as last:
            raise last.error from last
        raise AssertionError("tenacity ends with an answer or an error")

    async def close(self) -> None:
        await self._http.aclose()

    async def _post(self, key: SecretStr, body: dict[str, Any]) -> bytes:
        """Make one attempt; raise `_RetryableFailure` where another attempt may succeed."""
        headers = {"Authorization": f"Bearer {key.get_secret_value()}"}
        try:
            with anyio.fail_after(self._timeout):
                async with self._http.stream("POST", self._url, json=body, headers=headers) as response:
                    content = await _read_bounded(response)
        except (TimeoutError, httpx2.TimeoutException) as error:
            message = f"Tavily did not answer within {self._timeout:g} s; try again later or with search_depth basic."
            raise WebSearchUnavailable(message) from error
        except httpx2.TransportError as error:
            raise _RetryableFailure(WebSearchUnavailable("Tavily cannot be reached; try again later.")) from error
        if response.status_code != _OK:
            raise self._to_error(response, content, key)
        return content

    def _to_error(self, response: httpx2.Response, content: bytes, key: SecretStr) -> Exception:
        status = response.status_code
        if status in _KEY_REFUSED:
            return SetupError("Tavily refuses the API key; the operator of the service can check TAVILY_API_KEY.")
        if status in _PLAN_EXHAUSTED:
            return SetupError("The limit of the Tavily plan is reached; its owner can raise it.")
        if status in _REQUEST_REFUSED:
            reason = _parse_reason(content).replace(key.get_secret_value(), "…")
            return InvalidArgument(f"Tavily refuses this search{reason and f': {reason[:_LONGEST_REASON]}'}")
        if status == _TOO_MANY:
            limited = WebSearchUnavailable("Tavily's rate limit is reached; try again in a minute.")
            return _RetryableFailure(limited, _parse_seconds(response.headers.get("retry-after", "")))
        failed = WebSearchUnavailable(f"Tavily failed (HTTP {status}); try again later.")
        return _RetryableFailure(failed) if status >= _SERVER_ERROR else failed

    def _pause_before_retry(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        requested = error.seconds if isinstance(error, _RetryableFailure) else 0.0
        return min(max(requested, self._pause(state)), _LONGEST_PAUSE)


async def _read_bounded(response: httpx2.Response) -> bytes:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > _LARGEST_ANSWER:
            raise WebSearchUnavailable("Tavily's answer is too large; ask for fewer results or without raw content.")
    return bytes(content)


def _parse_results(content: bytes) -> WebResults:
    try:
        answer = _TavilyAnswer.model_validate_json(content)
    except ValidationError as error:
        raise WebSearchUnavailable("Tavily's answer cannot be read; try again later.") from error
    return WebResults(items=answer.results, images=answer.images)


class _Detail(BaseModel):
    error: str


class _Refusal(BaseModel):
    detail: _Detail | str


def _parse_reason(content: bytes) -> str:
    """Return the reason of a refusal, or "" where it is not in Tavily's documented form."""
    try:
        detail = _Refusal.model_validate_json(content).detail
    except ValidationError:
        return ""
    return detail if isinstance(detail, str) else detail.error


def _parse_seconds(header: str) -> float:
    return float(header) if header.isascii() and header.isdigit() and len(header) < 4 else 0.0  # noqa: PLR2004
