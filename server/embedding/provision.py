"""The embedding model's folder in the cache: fetched, checked against known vectors, and known by a fingerprint."""

import hashlib
import json
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import structlog
from anyio import to_thread
from fastembed import TextEmbedding

from server.embedding.sources import TOKENIZER, WEIGHTS, from_hub, from_package
from server.errors import ChecksumMismatch
from server.files import sha256_of
from server.home import Cache
from server.progress import Progress

_log = structlog.get_logger(__name__)

NAME = "sentence-transformers/all-MiniLM-L6-v2"
DIMENSION = 384
# Its files disagree (tokenizer.json 128, sentence_bert_config.json 256, tokenizer_config.json 512, which fastembed
# takes). Source: retrieval.md, "Pin 256".
MAX_TOKENS = 256

_AGREEMENT = 0.9999  # least cosine to each known vector; rounding differs between machines, nothing else may
_FILES = (WEIGHTS, *TOKENIZER)
_MANIFEST = "manifest.json"
_IDENTITY = {
    "name": NAME,
    "dimension": DIMENSION,
    "max_tokens": MAX_TOKENS,
    "pooling": "mean",
    "normalised": True,
    "weights": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",  # model.safetensors
    "vocabulary": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",  # vocab.txt
}
# Of the vector space, not of the files: whichever source they came from, they have been held against the same vectors.
FINGERPRINT = hashlib.sha256(json.dumps(_IDENTITY, sort_keys=True).encode()).hexdigest()[:32]


def model_folder(cache: Cache) -> Path:
    """Where the model is: what fastembed loads, and `manifest.json`: name, dimension, fingerprint, files."""
    return cache.models / "all-MiniLM-L6-v2"


async def is_provisioned(cache: Cache) -> bool:
    """Whether the folder is there, for this model, and every file has the manifest's bytes (about 0.1 s)."""
    return await to_thread.run_sync(_is_whole, model_folder(cache))


async def provision_model(cache: Cache, progress: Progress, hub: str | None = None) -> None:
    """Makes the model's folder anew, whole or not at all; one at a time may do so (hold the cache's lock).

    Raises `RegistryUnreachable`, `ChecksumMismatch`.
    """
    draft = cache.models / ".making"
    try:
        await to_thread.run_sync(_empty, draft)
        if not (await from_hub(NAME, draft, progress, hub) and await _finished(draft, progress)):
            await to_thread.run_sync(_empty, draft)
            await from_package(draft, progress)
            if not await _finished(draft, progress):
                raise ChecksumMismatch(
                    "The embedding model gives other vectors here than it should, so it cannot be used: install "
                    "Precedent's own versions of onnx and onnxruntime (constraints.txt), then run `precedent setup`."
                )
        await to_thread.run_sync(_replace, draft, model_folder(cache))
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: shutil.rmtree(draft, ignore_errors=True))


async def _finished(draft: Path, progress: Progress) -> bool:
    """Pins the length, checks the vectors, writes the manifest; says whether the vectors are the known ones."""

    def finish() -> bool:
        _pin_length(draft)
        agreement = worst_agreement(draft)
        if agreement < _AGREEMENT:
            _log.warning("model_disagrees", cosine=agreement)
            return False
        _write(
            draft / _MANIFEST,
            {
                "name": NAME,
                "dimension": DIMENSION,
                "max_tokens": MAX_TOKENS,
                "fingerprint": FINGERPRINT,
                "files": {name: sha256_of(draft / name) for name in _FILES},
            },
        )
        return True

    with progress.step("Embedding model, check"):
        return await to_thread.run_sync(finish)


def worst_agreement(folder: Path) -> float:
    """The least cosine between a known vector and the one that fastembed makes from this folder."""
    known = json.loads(resources.files("server.embedding").joinpath("known_vectors.json").read_text("utf-8"))["known"]
    model = TextEmbedding(NAME, specific_model_path=str(folder))
    ours = model.embed([each["text"] for each in known], batch_size=1)
    cosines = [
        float(np.dot(mine, each["vector"]) / (np.linalg.norm(mine) * np.linalg.norm(each["vector"])))
        for mine, each in zip(ours, known, strict=True)
    ]
    return min(cosines)


def _pin_length(folder: Path) -> None:
    config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    _write(folder / "tokenizer_config.json", config | {"model_max_length": MAX_TOKENS, "max_length": MAX_TOKENS})
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    cut = {"direction": "Right", "strategy": "LongestFirst", "stride": 0} | (tokenizer["truncation"] or {})
    tokenizer["truncation"] = cut | {"max_length": MAX_TOKENS}
    if tokenizer["padding"]:
        tokenizer["padding"]["strategy"] = "BatchLongest"
    _write(folder / "tokenizer.json", tokenizer)


def _is_whole(folder: Path) -> bool:
    try:
        manifest = json.loads((folder / _MANIFEST).read_text("utf-8"))
        return bool(
            manifest["fingerprint"] == FINGERPRINT
            and manifest["files"].keys() == set(_FILES)
            and all(sha256_of(folder / name) == sha256 for name, sha256 in manifest["files"].items())
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _write(file: Path, value: dict[str, Any]) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False), "utf-8")


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _replace(draft: Path, folder: Path) -> None:
    for extra in (".hub", ".wheel"):
        shutil.rmtree(draft / extra, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)
