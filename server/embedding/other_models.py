"""Any other embedding model in the cache: a name that fastembed knows, or a copy of a folder of this machine.

A model is copied, so that a home does not depend on the folder that it came from. Its fingerprint stands for its files
and for how they are used. Source: SVC-96.
"""

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import structlog
from anyio import to_thread
from fastembed import TextEmbedding
from numpy.typing import NDArray

from server.core.errors import RegistryUnreachable, SetupError
from server.core.files import sha256_of
from server.core.home import Cache
from server.core.setup_progress import SetupProgress
from server.core.types import Pooling
from server.embedding.choice import ModelChoice
from server.embedding.manifest import ModelManifest
from server.embedding.provision import (
    NAME,
    is_provisioned,
    model_folder,
    provision_model,
    read_known_vectors,
    recreate,
    replace,
    set_length,
)
from server.embedding.quantising import least_cosine, quantise
from server.embedding.sources import TOKENIZER, WEIGHTS, download_from_hub

_log = structlog.get_logger(__name__)
_AGREEMENT = 0.97
"""The least cosine between the vectors of a model and those of its weights of 8 bits."""
_LENGTH_FILE = "sentence_bert_config.json"
_USUAL_TOKENS = 512
"""The limit of a model whose files name none."""
_LONGEST_LIMIT = 100_000
"""What tokenizers without a limit have is greater than any real one."""


def find_by_fingerprint(cache: Cache, fingerprint: str) -> Path | None:
    """Return the folder of the model with this fingerprint, if the cache has it; blocking."""
    return next((folder for folder, made in _list_models(cache) if made.fingerprint == fingerprint), None)


def find_by_choice(cache: Cache, choice: ModelChoice) -> Path | None:
    """Return the folder that was made for this choice, if the cache has it; blocking."""
    if choice.is_default_model:
        folder = model_folder(cache, choice.precision)
        return folder if ModelManifest.find(folder) else None
    wanted = _resolve(choice).to_json()
    # A folder may have been provisioned again with other files.
    made = [(folder.stat().st_mtime_ns, folder) for folder, each in _list_models(cache) if each.requested == wanted]
    return max(made)[1] if made else None


def choice_of(cache: Cache, fingerprint: str) -> ModelChoice | None:
    """Return the choice that a model in the cache was made for; blocking."""
    folder = find_by_fingerprint(cache, fingerprint)
    manifest = ModelManifest.find(folder) if folder else None
    if manifest is None:
        return None
    return ModelChoice(**manifest.requested) if manifest.requested else ModelChoice(precision=manifest.precision)


async def has_model(cache: Cache, choice: ModelChoice | None) -> bool:
    """Return whether the cache has the model of a choice, or the default one, with the right checksums."""
    if choice is None or choice.is_default_model:
        return await is_provisioned(cache)

    def check() -> bool:
        folder = find_by_choice(cache, choice)
        manifest = ModelManifest.find(folder) if folder else None
        return folder is not None and manifest is not None and manifest.is_intact(folder)

    return await to_thread.run_sync(check)


async def provision_choice(
    cache: Cache, choice: ModelChoice | None, progress: SetupProgress, hub: str | None = None
) -> Path:
    """Provide the model of a choice, or the default one, and return its folder; the caller holds the cache's lock.

    Raises `SetupError` and its kinds: an unknown name, a folder without a model, a hub that cannot be reached.
    """
    if choice is None or choice.is_default_model:
        if not await is_provisioned(cache):
            await provision_model(cache, progress, hub)
        return model_folder(cache, choice.precision) if choice else model_folder(cache)
    draft = cache.models / ".making-other"
    try:
        await to_thread.run_sync(recreate, draft)
        name, model_file, pooling = await _fetch(cache, choice, draft, progress, hub)
        with progress.step(f"Embedding model {name}, check"):
            manifest = await to_thread.run_sync(_finish, draft, choice, name, model_file, pooling)
        slug = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.") or "model"
        target = cache.models / f"{slug}-{manifest.fingerprint[:12]}"
        if ModelManifest.find(target) != manifest:  # the same again may be in use
            await to_thread.run_sync(replace, draft, target)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: shutil.rmtree(draft, ignore_errors=True))
    return target


def _list_models(cache: Cache) -> list[tuple[Path, ModelManifest]]:
    folders = sorted(cache.models.glob("[!.]*"))
    return [(folder, manifest) for folder in folders if (manifest := ModelManifest.find(folder))]


def _resolve(choice: ModelChoice) -> ModelChoice:
    """Return the choice with fastembed's spelling of the name, or with the absolute path of the folder."""
    model = _find_name(choice.model) or str(Path(choice.model).expanduser().absolute())
    return ModelChoice(**choice.to_json() | {"model": model})


def _find_name(model: str) -> str | None:
    names = [each["model"] for each in TextEmbedding.list_supported_models()]
    return next((name for name in names if name.lower() == model.lower()), None)


async def _fetch(
    cache: Cache, choice: ModelChoice, draft: Path, progress: SetupProgress, hub: str | None
) -> tuple[str, str, Pooling | None]:
    """Fill the draft with the files; return the model's name, its file, and its pooling unless fastembed knows it."""
    name = _find_name(choice.model)
    if name == NAME:
        if not await is_provisioned(cache):
            await provision_model(cache, progress, hub)
        source = model_folder(cache, "float32")
        await to_thread.run_sync(lambda: [shutil.copy(source / file, draft / file) for file in (WEIGHTS, *TOKENIZER)])
        return name, WEIGHTS, choice.pooling or "mean"
    if name is not None:
        if not await download_from_hub(name, draft, progress, hub, optional=TOKENIZER[1:]):
            raise RegistryUnreachable(
                f"The embedding model {name} could not be downloaded from the model hub. Check the network, "
                "HTTPS_PROXY and HF_ENDPOINT and run the command again; or copy its ONNX files from a machine that has "
                "them, and name their folder instead."
            )
        [described] = [each for each in TextEmbedding.list_supported_models() if each["model"] == name]
        return name, str(described["model_file"]), choice.pooling
    try:
        return Path(choice.model).name, WEIGHTS, await to_thread.run_sync(_copy, choice, draft)
    except (OSError, ValueError) as error:
        raise SetupError(
            f"{choice.model!r} is neither an embedding model that fastembed knows nor a folder with model.onnx (or "
            "onnx/model.onnx), tokenizer.json and tokenizer_config.json."
        ) from error


def _copy(choice: ModelChoice, draft: Path) -> Pooling:
    """Copy a model's files from its folder; return its pooling."""
    folder = Path(choice.model).expanduser().absolute()
    graph = folder / WEIGHTS if (folder / WEIGHTS).exists() else folder / "onnx" / WEIGHTS
    for file in [graph, *graph.parent.glob(f"{WEIGHTS}?*")]:  # large models have their weights beside the graph
        shutil.copy(file, draft / file.name)
    for name in (*TOKENIZER, _LENGTH_FILE):
        if (folder / name).exists() or name in TOKENIZER[:2]:
            shutil.copy(folder / name, draft / name)
    return choice.pooling or _read_pooling(folder) or choice.family.pooling or "mean"


def _read_pooling(folder: Path) -> Pooling | None:
    """Return the pooling that a folder of sentence-transformers names."""
    try:
        named = json.loads((folder / "1_Pooling" / "config.json").read_text("utf-8"))
    except OSError:
        return None
    modes: dict[str, Pooling] = {
        "pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_lasttoken": "last",
    }  # fmt: skip
    return next((pooling for mode, pooling in modes.items() if named.get(mode)), None)


def _finish(draft: Path, choice: ModelChoice, name: str, model_file: str, pooling: Pooling | None) -> ModelManifest:
    """Set precision and length, embed texts, and write the manifest."""
    shutil.rmtree(draft / ".hub", ignore_errors=True)
    files = sorted(str(file.relative_to(draft)) for file in draft.rglob("*") if file.is_file())
    family, length = choice.family, _find_length(draft, choice)
    used: dict[str, Any] = {
        "name": name,
        "precision": choice.precision,
        "query_prefix": family.query_prefix if choice.query_prefix is None else choice.query_prefix,
        "passage_prefix": family.passage_prefix if choice.passage_prefix is None else choice.passage_prefix,
        "pooling": pooling,
        "max_tokens": length,
    }
    identity = used | {"normalised": True, "files": {file: sha256_of(draft / file) for file in files}}
    fingerprint = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]
    manifest = ModelManifest(
        **used, dimension=1, fingerprint=fingerprint, files={}, model_file=model_file,
        requested=_resolve(choice).to_json(),
    )  # fmt: skip
    try:
        if (draft / "tokenizer_config.json").exists():
            set_length(draft, length)
        vectors = _embed_samples(manifest, draft)
        if choice.precision == "int8":
            _quantise(manifest, draft, vectors)
    except SetupError:
        raise
    except Exception as error:
        # The libraries raise errors of any class for files that they cannot use.
        _log.warning("model_unusable", model=name, reason=str(error)[:300])
        raise SetupError(
            f"The files of the embedding model {name} cannot be used; the log has the reason. For a folder, check "
            "PRECEDENT_EMBEDDING_POOLING, too."
        ) from error
    files = sorted(str(file.relative_to(draft)) for file in draft.rglob("*") if file.is_file())
    made = ModelManifest(
        **used, dimension=vectors.shape[1], fingerprint=fingerprint, model_file=model_file,
        files={file: sha256_of(draft / file) for file in files}, requested=manifest.requested,
    )  # fmt: skip
    made.write(draft)
    return made


def _find_length(folder: Path, choice: ModelChoice) -> int:
    """Return the tokens after which texts are cut: the least of what the choice and the model's files say."""
    limits = [choice.max_tokens]
    for name in ("tokenizer_config.json", _LENGTH_FILE):
        if (folder / name).exists():
            stored = json.loads((folder / name).read_text("utf-8"))
            limits += [stored.get(key) for key in ("model_max_length", "max_length", "max_seq_length")]
    known = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < _LONGEST_LIMIT]
    return min(known, default=_USUAL_TOKENS)


def _embed_samples(manifest: ModelManifest, folder: Path) -> NDArray[Any]:
    """Return vectors of a few texts. Raises `SetupError` where they are not usable as vectors."""
    texts = [each["text"] for each in read_known_vectors()]
    model = manifest.open_model(folder)
    vectors = np.array([next(iter(model.embed([text], batch_size=1))) for text in texts], dtype=np.float64)
    if vectors.ndim != 2 or not np.isfinite(vectors).all() or np.allclose(vectors, vectors[0]):  # noqa: PLR2004
        raise SetupError(
            f"The embedding model {manifest.name} returns no vector for each text; check PRECEDENT_EMBEDDING_POOLING."
        )
    return vectors


def _quantise(manifest: ModelManifest, folder: Path, vectors: NDArray[Any]) -> None:
    """Convert the weights to 8 bits. Raises `SetupError` where the vectors are no longer those of the model."""
    found = manifest.model_file.endswith(".onnx") and quantise(folder / manifest.model_file)
    if not found or not least_cosine(_embed_samples(manifest, folder), vectors) >= _AGREEMENT:
        raise SetupError(f"The embedding model {manifest.name} cannot be used as int8; use float32.")
