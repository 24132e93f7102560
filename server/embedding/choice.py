"""Which embedding model is wanted: its name or folder, and how it is used.

Source: SVC-96.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from server.core.settings import Settings
from server.core.types import Pooling, Precision
from server.embedding.provision import DEFAULT_PRECISION, NAME


class ModelFamily(NamedTuple):
    """What the authors of a family of models document: prefixes, and the pooling of its ONNX files."""

    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: Pooling | None = None


_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
# fastembed adds no prefix by itself; it gives jina-embeddings-v3 its tasks.
_FAMILIES: Mapping[str, ModelFamily] = {
    r"\be5-mistral": ModelFamily(f"{_INSTRUCTION} ", "", "last"),
    r"\be5-": ModelFamily("query: ", "passage: ", "mean"),
    r"\bbge-.*-en": ModelFamily(_SEARCH, "", "cls"),
    r"\bbge-.*-zh": ModelFamily("为这个句子生成表示以用于检索相关文章：", "", "cls"),  # noqa: RUF001
    r"\bbge-m3": ModelFamily(pooling="cls"),
    r"mxbai-embed": ModelFamily(_SEARCH, "", "cls"),
    r"arctic-embed-.*v2": ModelFamily("query: ", "", "cls"),
    r"arctic-embed": ModelFamily(_SEARCH, "", "cls"),
    r"nomic-embed-text": ModelFamily("search_query: ", "search_document: ", "mean"),
    r"embeddinggemma": ModelFamily("task: search result | query: ", "title: none | text: "),
    r"qwen3-embedding": ModelFamily(_INSTRUCTION, "", "last"),
    r"stella-en-400m": ModelFamily(f"{_INSTRUCTION.replace(chr(10), '.' + chr(10))} "),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A model that fastembed knows by its name, or a folder of this machine, and how it is used.

    None of a field is what its family documents, or what its files say.
    """

    model: str = NAME
    precision: Precision = "float32"
    query_prefix: str | None = None
    passage_prefix: str | None = None
    pooling: Pooling | None = None
    max_tokens: int | None = None

    @classmethod
    def of(cls, settings: Settings) -> "ModelChoice | None":
        """Return the choice of the settings; None where they make none, and a graph keeps the model that it has."""
        chosen = {
            "model": settings.embedding_model,
            "precision": settings.embedding_precision,
            "query_prefix": _parse_prefix(settings.embedding_query_prefix),
            "passage_prefix": _parse_prefix(settings.embedding_passage_prefix),
            "pooling": settings.embedding_pooling,
            "max_tokens": settings.embedding_max_tokens,
        }
        given: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
        return cls.build(**given) if given else None

    @classmethod
    def build(cls, **given: Any) -> "ModelChoice":
        """Return a choice of these fields; the default model has the default precision, any other its own."""
        if given.get("model", NAME) == NAME:
            given = {"precision": DEFAULT_PRECISION} | given
        return cls(**given)

    @property
    def is_default_model(self) -> bool:
        """Whether it is the default model, in any precision and used as by default."""
        return self == ModelChoice(precision=self.precision)

    @property
    def family(self) -> ModelFamily:
        return next((made for name, made in _FAMILIES.items() if re.search(name, self.model.lower())), ModelFamily())

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def _parse_prefix(text: str | None) -> str | None:
    # An empty variable counts as none at all.
    return "" if text == "none" else text
