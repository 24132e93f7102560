"""Finish the folder of another model than the default one: its length, precision, centres and manifest.

Source: SVC-96, SVC-99, SVC-103.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import structlog
from numpy.typing import NDArray

from server.core.errors import SetupError
from server.core.files import sha256_of
from server.core.types import Pooling
from server.embedding.centring import Centres, identify_samples, list_samples, subtract
from server.embedding.choice import ModelChoice
from server.embedding.loaded_model import LoadedModel
from server.embedding.manifest import ModelManifest
from server.embedding.provision import NAME, set_length
from server.embedding.quantising import least_cosine, quantise

_log = structlog.get_logger(__name__)
LENGTH_FILE = "sentence_bert_config.json"
_AGREEMENT = 0.97
"""The least cosine between the centred vectors of a model and those of its weights of 8 bits."""
_USUAL_TOKENS = 512
"""The limit of a model whose files name none."""
_LONGEST_LIMIT = 100_000
"""What tokenizers without a limit have is greater than any real one."""
_PADDING = ("[PAD]", "<pad>")
"""The names of the padding token in the usual tokenizers."""
_MATRIX = 2
"""The dimensions of what has one vector for each text."""


class FetchedModel(NamedTuple):
    """The name of a model whose files are in a draft, its ONNX file, and its pooling unless fastembed knows it."""

    name: str
    model_file: str
    pooling: Pooling | None


def is_current(manifest: ModelManifest) -> bool:
    """Return whether this release would finish the same files likewise; an earlier one centred no vectors."""
    return manifest.samples == _choose_samples(manifest.name)


def finish(draft: Path, fetched: FetchedModel, choice: ModelChoice, requested: ModelChoice) -> ModelManifest:
    """Set precision and length of a draft with a model's files, and write its manifest; blocking.

    `requested` is the choice by which the model is found again. Raises `SetupError` for files that cannot be used.
    """
    shutil.rmtree(draft / ".hub", ignore_errors=True)
    family, length = choice.family, _find_length(draft, choice)
    used: dict[str, Any] = {
        "name": fetched.name,
        "precision": choice.precision,
        "query_prefix": family.query_prefix if choice.query_prefix is None else choice.query_prefix,
        "passage_prefix": family.passage_prefix if choice.passage_prefix is None else choice.passage_prefix,
        "pooling": fetched.pooling,
        "max_tokens": length,
    }
    identity = used | {"normalised": True, "files": _list_checksums(draft)}
    fingerprint = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]
    manifest = ModelManifest(
        **used, dimension=1, fingerprint=fingerprint, files={}, model_file=fetched.model_file,
        requested=requested.to_json(),
    )  # fmt: skip
    with _errors_translated(fetched.name):
        if (draft / "tokenizer_config.json").exists():
            set_length(draft, length)
        vectors = _embed_samples(manifest, draft)
        if choice.precision == "int8":
            vectors = _quantise(manifest, draft, vectors)
    return _write(manifest, draft, vectors)


def finish_again(folder: Path, draft: Path) -> ModelManifest:
    """Finish a copy of what an earlier release finished; blocking. Raises `SetupError` where it cannot be used."""
    shutil.copytree(folder, draft, dirs_exist_ok=True)
    plain = replace(ModelManifest.read(draft), samples="")
    with _errors_translated(plain.name):
        vectors = _embed_samples(plain, draft)
    return _write(plain, draft, vectors)


def write_tokenizer_config(folder: Path) -> None:
    """Write what fastembed needs beside a `tokenizer.json`. Raises `ValueError` where that names no padding token."""
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    named = [(tokenizer.get("padding") or {}).get("pad_token")]
    named += [each["content"] for each in tokenizer["added_tokens"] if each["content"] in _PADDING]
    found = next((token for token in named if token), None)
    if found is None:
        raise ValueError("tokenizer.json names no padding token")
    limit = (tokenizer.get("truncation") or {}).get("max_length")
    config = {"pad_token": found} | ({"model_max_length": limit} if limit else {})
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")


@contextmanager
def _errors_translated(name: str) -> Iterator[None]:
    """Raise `SetupError` for the errors of the libraries, which are of any class for files that they cannot use."""
    try:
        yield
    except SetupError:
        raise
    except Exception as error:
        _log.warning("model_unusable", model=name, reason=str(error)[:300])
        raise SetupError(
            f"The files of the embedding model {name} cannot be used; the log has the reason. For a folder, check "
            "PRECEDENT_EMBEDDING_POOLING and PRECEDENT_EMBEDDING_MAX_TOKENS, too."
        ) from error


def _choose_samples(name: str) -> str:
    # The thresholds of search were chosen with the default model's own vectors.
    return "" if name == NAME else identify_samples()


def _write(manifest: ModelManifest, draft: Path, vectors: Mapping[str, NDArray[Any]]) -> ModelManifest:
    """Write centres and manifest of a draft whose samples have these vectors."""
    samples = _choose_samples(manifest.name)
    if samples:
        Centres(**{kind: each.mean(axis=0) for kind, each in vectors.items()}).write(draft)
    made = replace(manifest, dimension=vectors["passages"].shape[1], samples=samples, files=_list_checksums(draft))
    made.write(draft)
    return made


def _list_checksums(folder: Path) -> dict[str, str]:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != "manifest.json")
    return {str(file.relative_to(folder)): sha256_of(file) for file in files}


def _find_length(folder: Path, choice: ModelChoice) -> int:
    """Return the tokens after which texts are cut: the least of what the choice and the model's files say."""
    limits = [choice.max_tokens]
    for name in ("tokenizer_config.json", LENGTH_FILE):
        if (folder / name).exists():
            stored = json.loads((folder / name).read_text("utf-8"))
            limits += [stored.get(key) for key in ("model_max_length", "max_length", "max_seq_length")]
    known = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < _LONGEST_LIMIT]
    return min(known, default=_USUAL_TOKENS)


def _embed_samples(manifest: ModelManifest, folder: Path) -> dict[str, NDArray[Any]]:
    """Return the vectors of the sample texts, as `passages` and as `queries`, not centred.

    Raises `SetupError` where they are not usable as vectors.
    """
    model = LoadedModel(manifest.open_model(folder), manifest, None)
    # The length was read from files, or is a guess: a text that long must have a vector as well.
    model.embed_passages(["word " * _USUAL_TOKENS])
    # One by one, so that no text is padded.
    samples = list_samples()
    vectors = {
        "passages": np.array([model.embed_passages([text])[0] for text in samples]),
        "queries": np.array([model.embed_query(text) for text in samples]),
    }
    for each in vectors.values():
        if each.ndim != _MATRIX or not np.isfinite(each).all() or np.allclose(each, each[0]):
            raise SetupError(
                f"The embedding model {manifest.name} returns no vector for each text; check "
                "PRECEDENT_EMBEDDING_POOLING."
            )
    return vectors


def _quantise(manifest: ModelManifest, folder: Path, vectors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Convert the weights to 8 bits, and return the new vectors of the samples.

    Raises `SetupError` where the vectors are no longer those of the model.
    """
    found = manifest.model_file.endswith(".onnx") and quantise(folder / manifest.model_file)
    quantised = _embed_samples(manifest, folder)
    # What all vectors have in common agrees anyway, and would hide how much the rest differs.
    agreements = [least_cosine(_centre(quantised[kind]), _centre(each)) for kind, each in vectors.items()]
    if not found or not min(agreements) >= _AGREEMENT:
        _log.warning("model_disagrees", cosine=min(agreements), precision=manifest.precision)
        raise SetupError(f"The embedding model {manifest.name} cannot be used as int8; use float32.")
    return quantised


def _centre(vectors: NDArray[Any]) -> NDArray[Any]:
    return np.array([subtract(each, vectors.mean(axis=0)) for each in vectors])
