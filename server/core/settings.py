"""The settings, read once from the environment; no other module reads the environment."""

import os
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal

from limits import parse_many
from platformdirs import user_cache_path, user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from server.core.types import Pooling, Precision

Family = Literal["decisions", "entities", "entries", "journal", "cognition", "evaluation", "curation"]
Toolset = Family | Literal["core"]
Port = Annotated[int, Field(ge=1, le=65535)]
Model = Annotated[str, Field(min_length=1, max_length=200)]


def _split(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _limits(value: str | None) -> str | None:
    if value is None or value.casefold() == "none":
        return None
    parse_many(value)
    return value


CommaSeparated = BeforeValidator(_split)
SpaceSeparated = BeforeValidator(lambda value: tuple(value.split()) if isinstance(value, str) else value)
Folder = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]


class Settings(BaseSettings):
    """All settings, each an environment variable.

    Raises pydantic's `ValidationError` for an invalid value.
    """

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    home: Folder = Field(
        default_factory=lambda: user_data_path("precedent", appauthor=False),
        validation_alias="PRECEDENT_HOME",
        description="Folder of the local profile: graph, vectors, secrets, logs, lock.",
    )
    cache: Folder = Field(
        default_factory=lambda: user_cache_path("precedent", appauthor=False),
        validation_alias="PRECEDENT_CACHE",
        description="Folder of downloads (Neo4j's jars, the embedding model); shared by all homes.",
    )
    host: str = Field(
        default="127.0.0.1",
        validation_alias="PRECEDENT_HOST",
        description="Address that the service binds to; unless it is loopback, every caller needs a credential.",
    )
    port: Port = Field(
        default=8001, validation_alias="PRECEDENT_PORT", description="Port of REST, MCP, docs and metrics."
    )
    bolt_port: Port = Field(
        default=7687, validation_alias="PRECEDENT_BOLT_PORT", description="Bolt port of the local Neo4j."
    )
    browser_port: Port = Field(
        default=7474, validation_alias="PRECEDENT_BROWSER_PORT", description="Port of Neo4j Browser."
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode, CommaSeparated] = Field(
        default=(),
        validation_alias="PRECEDENT_ALLOWED_HOSTS",
        description="Host headers to accept besides those of loopback, comma-separated; `name:*` allows any port.",
    )
    allowed_origins: Annotated[tuple[str, ...], NoDecode, CommaSeparated] = Field(
        default=(),
        validation_alias="PRECEDENT_ALLOWED_ORIGINS",
        description="Browser origins to accept besides those of loopback, comma-separated.",
    )

    rate_limit: Annotated[str | None, AfterValidator(_limits)] = Field(
        default="500/second",
        validation_alias="PRECEDENT_RATE_LIMIT",
        description="Requests of one caller to one service process: `500/second`, `50/second;1000/minute`, "
        "`none` for no limit.",
    )

    requests_at_once: Annotated[int, Field(ge=1)] = Field(
        default=100,
        validation_alias="PRECEDENT_REQUESTS_AT_ONCE",
        description="Requests that one service process carries out at once; others wait for a second, then they are "
        "refused with `OVERLOADED` and a time to retry.",
    )

    statements_at_once: Annotated[int | None, Field(ge=1)] = Field(
        default=None,
        validation_alias="PRECEDENT_STATEMENTS_AT_ONCE",
        description="Quick statements that one service process runs in Neo4j at once; others wait for their turn. By "
        "default two for each processor of this machine, at least 4, in the local Neo4j, and 32 in another one.",
    )

    neo4j_jvm: Annotated[tuple[str, ...], NoDecode, SpaceSeparated] = Field(
        default=(),
        validation_alias="PRECEDENT_NEO4J_JVM",
        description="More options for the Java of the local Neo4j, separated by spaces, for example `-Xmx4g` "
        "for a large graph (512 MiB of heap by default).",
    )
    neo4j_page_cache: Annotated[int, Field(ge=16)] = Field(
        default=128,
        validation_alias="PRECEDENT_NEO4J_PAGE_CACHE",
        description="Page cache of the local Neo4j in MiB: how much of the graph and its indexes stays in memory.",
    )

    neo4j_uri: str | None = Field(
        default=None,
        validation_alias="NEO4J_URI",
        description="A Neo4j to use instead of the local one, for example `neo4j://host:7687`.",
    )
    neo4j_username: str = Field(default="neo4j", validation_alias="NEO4J_USERNAME", description="Its user.")
    neo4j_password: SecretStr | None = Field(
        default=None, validation_alias="NEO4J_PASSWORD", description="Its password."
    )
    neo4j_database: str = Field(default="neo4j", validation_alias="NEO4J_DATABASE", description="Its database.")
    qdrant_url: str | None = Field(
        default=None,
        validation_alias="QDRANT_URL",
        description="A Qdrant server to use instead of the engine in the process; nodes of one cluster are separated "
        "by commas, and the next one is used where one does not answer.",
    )
    qdrant_api_key: SecretStr | None = Field(
        default=None, validation_alias="QDRANT_API_KEY", description="Its key, where it asks for one."
    )
    qdrant_collection: str = Field(
        default="precedent", validation_alias="QDRANT_COLLECTION", description="Its collection."
    )
    qdrant_grpc_port: Port | None = Field(
        default=None,
        validation_alias="QDRANT_GRPC_PORT",
        description="Its gRPC port, usually 6334: searches and writes take less time than over HTTP.",
    )
    qdrant_shards: Annotated[int | None, Field(ge=1)] = Field(
        default=None,
        validation_alias="QDRANT_SHARDS",
        description="Shards of a collection that is created, for a cluster; by default as many as it has nodes.",
    )
    qdrant_replicas: Annotated[int, Field(ge=1)] = Field(
        default=1,
        validation_alias="QDRANT_REPLICAS",
        description="Copies of each shard of a collection that is created; with 2, a node of a cluster may fail.",
    )
    qdrant_write_consistency: Annotated[int, Field(ge=1)] = Field(
        default=1,
        validation_alias="QDRANT_WRITE_CONSISTENCY",
        description="Copies that have to confirm a write before it counts as stored.",
    )

    embedding_model: str | None = Field(
        default=None,
        validation_alias="PRECEDENT_EMBEDDING_MODEL",
        description="The embedding model of a new graph: a name that fastembed knows, or a folder with `model.onnx` "
        "and `tokenizer.json`; by default all-MiniLM-L6-v2. An existing graph goes over to another one with `precedent "
        "rebuild --model`.",
    )
    embedding_precision: Precision | None = Field(
        default=None,
        validation_alias="PRECEDENT_EMBEDDING_PRECISION",
        description="Its weights: `float32`, as its files have them, or `int8`, which takes less processor time. "
        "By default `int8` for all-MiniLM-L6-v2 and `float32` for any other model.",
    )
    embedding_query_prefix: str | None = Field(
        default=None,
        validation_alias="PRECEDENT_EMBEDDING_QUERY_PREFIX",
        description="Text before each question, `none` for no text; by default what the model's family documents.",
    )
    embedding_passage_prefix: str | None = Field(
        default=None,
        validation_alias="PRECEDENT_EMBEDDING_PASSAGE_PREFIX",
        description="Text before each stored text, likewise.",
    )
    embedding_pooling: Pooling | None = Field(
        default=None,
        validation_alias="PRECEDENT_EMBEDDING_POOLING",
        description="How a model of a folder makes one vector of those of its tokens: `mean`, `cls`, `last`, or `none` "
        "where the model does it; by default what its files and its family say.",
    )
    embedding_max_tokens: Annotated[int | None, Field(ge=8)] = Field(
        default=None,
        validation_alias="PRECEDENT_EMBEDDING_MAX_TOKENS",
        description="Tokens after which a text is cut, where that is fewer than the model can read.",
    )

    tavily_api_key: SecretStr | None = Field(
        default=None, validation_alias="TAVILY_API_KEY", description="Key of Tavily's web search; none: no web search."
    )
    tavily_url: str = Field(
        default="https://api.tavily.com", validation_alias="TAVILY_URL", description="Address of Tavily's API."
    )

    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias="OPENAI_API_KEY", description="Key of OpenAI's models, for judges and summaries."
    )
    openai_url: str = Field(
        default="https://api.openai.com/v1",
        validation_alias="OPENAI_BASE_URL",
        description="Address of OpenAI's API.",
    )
    anthropic_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="ANTHROPIC_API_KEY",
        description="Key of Anthropic's models, for judges and summaries.",
    )
    anthropic_url: str = Field(
        default="https://api.anthropic.com",
        validation_alias="ANTHROPIC_BASE_URL",
        description="Address of Anthropic's API.",
    )
    judge1_model: Model = Field(
        default="openai:gpt-4o",
        validation_alias="PRECEDENT_JUDGE1_MODEL",
        description="The first judge of documents, as `provider:model`; any provider that pydantic-ai knows.",
    )
    judge2_model: Model = Field(
        default="anthropic:claude-haiku-4-5",
        validation_alias="PRECEDENT_JUDGE2_MODEL",
        description="The second judge, a different model.",
    )

    namespace: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        default="default",
        validation_alias="PRECEDENT_NAMESPACE",
        description="Namespace of callers without a namespace in their credential.",
    )
    project: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        default="default",
        validation_alias="PRECEDENT_PROJECT",
        description="Project of entries without a project of their own.",
    )
    docs_roots: Annotated[tuple[Folder, ...], NoDecode, CommaSeparated] = Field(
        default=(Path(),),
        validation_alias="PRECEDENT_DOCS_ROOTS",
        description="Folders from which `ingest_docs` may read documents, comma-separated; by default the folder in "
        "which the service was started.",
    )
    principal: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        default="agent",
        validation_alias="PRECEDENT_PRINCIPAL",
        description="Name of the caller over stdio.",
    )
    role: Literal["viewer", "agent", "admin"] = Field(
        default="agent", validation_alias="PRECEDENT_ROLE", description="Role of the caller over stdio."
    )
    kind: Literal["human", "agent"] = Field(
        default="agent",
        validation_alias="PRECEDENT_KIND",
        description="Kind of the caller over stdio; it becomes the origin of its decisions.",
    )
    agent_memory_secret: SecretStr | None = Field(
        default=None,
        validation_alias="AGENT_MEMORY_SECRET",
        description="The bearer token of the operator. Without it, every caller is a viewer. The local profile "
        "generates one.",
    )
    write_cooldown: Annotated[float, Field(ge=0)] = Field(
        default=2.0,
        validation_alias="PRECEDENT_WRITE_COOLDOWN",
        description="Seconds that a principal waits between two writes of decisions; 0 for no wait.",
    )
    searchable_wait: Annotated[float, Field(ge=0, le=30)] = Field(
        default=2.0,
        validation_alias="PRECEDENT_SEARCHABLE_WAIT",
        description="Seconds after the begin of a write during which it waits until its record is searchable by "
        "meaning.",
    )
    fidelity_threshold: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.5,
        validation_alias="FIDELITY_THRESHOLD",
        description="Fidelity (0 to 1) of an insight below which storing it returns a warning.",
    )
    query_timeout: Annotated[float, Field(gt=0)] = Field(
        default=10.0,
        validation_alias="PRECEDENT_QUERY_TIMEOUT",
        description="Seconds after which Neo4j ends a statement of a tool.",
    )
    retry_time: Annotated[float, Field(ge=0)] = Field(
        default=5.0,
        validation_alias="PRECEDENT_RETRY_TIME",
        description="Seconds during which a call retries while Neo4j cannot be reached.",
    )
    import_limit: Annotated[int, Field(ge=1024)] = Field(
        default=4 * 1024**3,
        validation_alias="PRECEDENT_IMPORT_LIMIT",
        description="Largest file for `POST /db/import` in bytes; it is buffered on disk, not in memory.",
    )
    summary_model: Model | None = Field(
        default=None,
        validation_alias="PRECEDENT_SUMMARY_MODEL",
        description="The language model that summarises sessions, as `provider:model`; without it, rules "
        "summarise them.",
    )
    answer_limit: Annotated[int, Field(ge=1024)] = Field(
        default=32_768,
        validation_alias="PRECEDENT_ANSWER_LIMIT",
        description="Largest answer of a tool in bytes of JSON, counted once; a longer list is cut, and the answer "
        "says where it continues.",
    )
    reflect_every: Annotated[float, Field(ge=0)] = Field(
        default=24.0,
        validation_alias="PRECEDENT_REFLECT_EVERY",
        description="Hours between two passes of reflection over a namespace, which propose decisions from evidence; "
        "0 for none.",
    )
    toolsets: Annotated[tuple[Toolset, ...], NoDecode, CommaSeparated] = Field(
        default=("decisions", "entities", "entries", "journal", "cognition", "evaluation", "curation"),
        validation_alias="PRECEDENT_TOOLSETS",
        description="Families of tools to publish, comma-separated; `core` is a dozen tools of several families "
        "for everyday work.",
    )
    output_schemas: bool = Field(
        default=False,
        validation_alias="PRECEDENT_OUTPUT_SCHEMAS",
        description="List output schemas of tools, too, for programs that generate code; they double the list.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", validation_alias="PRECEDENT_LOG_LEVEL", description="Least severe log line to write."
    )

    @property
    def local(self) -> bool:
        """Whether Neo4j is the local one, which the service runs itself."""
        return self.neo4j_uri is None

    @property
    def neo4j_concurrency(self) -> int:
        """How many quick statements this process runs in Neo4j at once."""
        if self.statements_at_once is not None:
            return self.statements_at_once
        return max(4, 2 * (os.cpu_count() or 1)) if self.local else 32

    @property
    def bolt_uri(self) -> str:
        """The address of the Neo4j to connect to."""
        return self.neo4j_uri or f"bolt://127.0.0.1:{self.bolt_port}"

    @property
    def service_url(self) -> str:
        """The address of the service for a process on this machine."""
        host = "127.0.0.1" if self.host in {"0.0.0.0", "::"} else self.host  # noqa: S104 - compared, not bound
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def browser_url(self) -> str:
        """The address of Neo4j Browser, with the user and the Bolt address filled in."""
        bolt = f"bolt://neo4j@127.0.0.1:{self.bolt_port}"
        return f"http://127.0.0.1:{self.browser_port}/browser/?connectURL={bolt}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def disable_usage_reports() -> None:
    """Set that Ray sends nothing about its use, unless the environment says otherwise; Ray reads it from there."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
