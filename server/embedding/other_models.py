"""Any other embedding model in the cache: a name that fastembed knows, or a copy of a folder of this machine.

A model is copied, so that a home does not depend on the folder that it came from. Its fingerprint stands for its files
and for how they are used. Source: SVC-96.
"""

import json
import re
import shutil
from pathlib import Path

import anyio
from anyio import to_thread
from fastembed import TextEmbedding

from server.core.errors import RegistryUnreachable, SetupError
from server.core.home import Cache
from server.core.setup_progress import SetupProgress
from server.core.types import Pooling
from server.embedding.choice import ModelChoice
from server.embedding.finishing import (
    LENGTH_FILE,
    FetchedModel,
    finish,
    finish_again,
    is_current,
    write_tokenizer_config,
)
from server.embedding.manifest import ModelManifest
from server.embedding.provision import NAME, is_provisioned, model_folder, provision_model, recreate, replace
from server.embedding.sources import TOKENIZER, WEIGHTS, download_from_hub


def find_by_fingerprint(cache: Cache, fingerprint: str) -> Path | None:
    """Return the folder of the model with this fingerprint, if the cache has it; blocking."""
    return next((folder for folder, made in _list_models(cache) if made.vector_fingerprint == fingerprint), None)


def find_by_choice(cache: Cache, choice: ModelChoice, fingerprint: str | None = None) -> Path | None:
    """Return the folder that was made for this choice, if the cache has it; blocking.

    Of several, the one with this fingerprint, which a graph names; else the newest.
    """
    if choice.is_default_model:
        folder = model_folder(cache, choice.precision)
        return folder if ModelManifest.find(folder) else None
    wanted = _resolve(choice).to_json()
    # A folder may have been provisioned again with other files, or by another release.
    made = [
        (each.vector_fingerprint == fingerprint, is_current(each), folder.stat().st_mtime_ns, folder)
        for folder, each in _list_models(cache)
        if each.requested == wanted
    ]
    return max(made)[-1] if made else None


def choice_of(cache: Cache, fingerprint: str) -> ModelChoice | None:
    """Return the choice that a model in the cache was made for; blocking."""
    folder = find_by_fingerprint(cache, fingerprint)
    manifest = ModelManifest.find(folder) if folder else None
    if manifest is None:
        return None
    return ModelChoice(**manifest.requested) if manifest.requested else ModelChoice(precision=manifest.precision)


async def has_model(cache: Cache, choice: ModelChoice | None) -> bool:
    """Return whether the cache has the model of a choice, or the default one, with the right checksums.

    What an earlier release provisioned otherwise does not count: it is for the graphs that use it.
    """
    if choice is None or choice.is_default_model:
        return await is_provisioned(cache)

    def check() -> bool:
        folder = find_by_choice(cache, choice)
        manifest = ModelManifest.find(folder) if folder else None
        return bool(folder and manifest and is_current(manifest) and manifest.is_intact(folder))

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
        manifest = await _make(cache, choice, draft, progress, hub)
        slug = re.sub(r"[^a-z0-9.]+", "-", manifest.name.lower()).strip("-.") or "model"
        target = cache.models / f"{slug}-{manifest.vector_fingerprint[:12]}"
        # The same again may be in use.
        if ModelManifest.find(target) != manifest or not await to_thread.run_sync(manifest.is_intact, target):
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


async def _make(
    cache: Cache, choice: ModelChoice, draft: Path, progress: SetupProgress, hub: str | None
) -> ModelManifest:
    """Fill the draft with the finished model of a choice, and return its manifest."""
    earlier = await to_thread.run_sync(_find_earlier, cache, choice)
    if earlier is not None:
        with progress.step(f"Embedding model {choice.model}, check"):
            return await to_thread.run_sync(finish_again, earlier, draft)
    fetched = await _fetch(cache, choice, draft, progress, hub)
    with progress.step(f"Embedding model {fetched.name}, check"):
        return await to_thread.run_sync(finish, draft, fetched, choice, _resolve(choice))


def _find_earlier(cache: Cache, choice: ModelChoice) -> Path | None:
    """Return what an earlier release provisioned for a choice, unless its folder exists, whose files may be others."""
    folder = find_by_choice(cache, choice)
    manifest = ModelManifest.find(folder) if folder else None
    if folder is None or manifest is None or is_current(manifest) or not manifest.is_intact(folder):
        return None
    return None if Path(choice.model).expanduser().is_dir() else folder


async def _fetch(
    cache: Cache, choice: ModelChoice, draft: Path, progress: SetupProgress, hub: str | None
) -> FetchedModel:
    """Fill the draft with the files of a model."""
    name = _find_name(choice.model)
    if name == NAME:
        if not await is_provisioned(cache):
            await provision_model(cache, progress, hub)
        source = model_folder(cache, "float32")
        await to_thread.run_sync(lambda: [shutil.copy(source / file, draft / file) for file in (WEIGHTS, *TOKENIZER)])
        return FetchedModel(name, WEIGHTS, choice.pooling or "mean")
    if name is not None:
        if not await download_from_hub(name, draft, progress, hub, optional=TOKENIZER[1:]):
            raise RegistryUnreachable(
                f"The embedding model {name} could not be downloaded from the model hub. Check the network, "
                "HTTPS_PROXY and HF_ENDPOINT and run the command again; or copy its ONNX files from a machine that has "
                "them, and name their folder instead."
            )
        [described] = [each for each in TextEmbedding.list_supported_models() if each["model"] == name]
        return FetchedModel(name, str(described["model_file"]), choice.pooling)
    try:
        return FetchedModel(Path(choice.model).name, WEIGHTS, await to_thread.run_sync(_copy, choice, draft))
    except (OSError, ValueError) as error:
        raise SetupError(
            f"{choice.model!r} is neither an embedding model that fastembed knows nor a folder with model.onnx (or "
            "onnx/model.onnx) and tokenizer.json. It also needs tokenizer_config.json where tokenizer.json names no "
            "padding token."
        ) from error


def _copy(choice: ModelChoice, draft: Path) -> Pooling:
    """Copy a model's files from its folder; return its pooling."""
    folder = Path(choice.model).expanduser().absolute()
    graph = folder / WEIGHTS if (folder / WEIGHTS).exists() else folder / "onnx" / WEIGHTS
    for file in [graph, *graph.parent.glob(f"{WEIGHTS}?*")]:  # large models have their weights beside the graph
        shutil.copy(file, draft / file.name)
    for name in (*TOKENIZER, LENGTH_FILE):
        if (folder / name).exists() or name == TOKENIZER[0]:
            shutil.copy(folder / name, draft / name)
    if not (draft / TOKENIZER[1]).exists():
        write_tokenizer_config(draft)
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
