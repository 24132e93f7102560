"""Finishing a model in the cache: few files, an earlier release, damage. Source: SVC-96, SVC-104."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from server.core.errors import SetupError
from server.core.home import Cache
from server.core.types import Precision
from server.embedding.choice import ModelChoice
from server.embedding.embedder import FastEmbedder
from server.embedding.manifest import ModelManifest
from server.embedding.other_models import (
    choice_of,
    find_by_choice,
    find_by_fingerprint,
    has_model,
    provision_choice,
)
from server.embedding.sources import TOKENIZER, WEIGHTS
from tests.embedding.small_model import make_small_model
from tests.setup_progress import SilentSetup

pytestmark = pytest.mark.anyio
_TEXTS = ["Which database stores the graph?", "parrots " * 40]


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return make_small_model(tmp_path / "small-e5-base")


async def _provide(cache: Cache, folder: Path, precision: Precision = "float32") -> FastEmbedder:
    choice = ModelChoice.build(model=str(folder), precision=precision)
    return await FastEmbedder.load(await provision_choice(cache, choice, SilentSetup()))


def make_earlier(folder: Path) -> Path:
    """Turn a provisioned folder into what an earlier release made of the same files: without centres."""
    manifest = ModelManifest.read(folder)
    files = {name: checksum for name, checksum in manifest.files.items() if name != "centres.npy"}
    target = folder.with_name(f"earlier-{manifest.fingerprint[:12]}")
    folder.rename(target)
    (target / "centres.npy").unlink()
    replace(manifest, samples="", files=files).write(target)
    stored = json.loads((target / "manifest.json").read_text())
    del stored["samples"]
    (target / "manifest.json").write_text(json.dumps(stored))
    return target


@pytest.mark.parametrize("precision", ["float32", "int8"])
@pytest.mark.proves("SVC-104")
async def test_what_an_earlier_release_provisioned_stays_and_is_centred_beside_it_without_its_source(
    cache: Cache, small: Path, precision: Precision
) -> None:
    made = await _provide(cache, small, precision)
    plain = ModelManifest.read(made.folder).fingerprint
    earlier = make_earlier(made.folder)
    choice = ModelChoice.build(model=str(small), precision=precision)
    expected = await made.embed_passages(_TEXTS)
    # Its vectors are those of the model, under the former fingerprint; a graph that has them finds it.
    kept = await FastEmbedder.load(earlier)
    assert kept.fingerprint == plain != made.fingerprint
    assert not np.allclose(await kept.embed_passages(_TEXTS), expected, atol=0.01)
    assert find_by_fingerprint(cache, plain) == find_by_choice(cache, choice) == earlier
    # `setup` makes the centred one for new graphs, of the files in the cache, when their source is gone.
    assert not await has_model(cache, choice)
    shutil.rmtree(small)
    again = await _provide(cache, small, precision)
    assert await has_model(cache, choice)
    assert again.fingerprint == made.fingerprint
    assert await again.embed_passages(_TEXTS) == expected
    assert find_by_choice(cache, choice) == again.folder
    assert find_by_choice(cache, choice, plain) == find_by_fingerprint(cache, plain) == earlier
    assert choice_of(cache, plain) == choice_of(cache, again.fingerprint) == choice


@pytest.mark.proves("SVC-104")
async def test_a_folder_that_is_still_there_is_read_again_because_its_files_may_have_changed(
    cache: Cache, small: Path
) -> None:
    make_earlier((await _provide(cache, small)).folder)
    (small / "config.json").write_text("{}")
    made = await _provide(cache, small)
    assert (made.folder / "config.json").read_text() == "{}"


@pytest.mark.proves("SVC-96")
async def test_a_graph_and_a_tokenizer_are_a_model(cache: Cache, small: Path) -> None:
    whole = await _provide(cache, small)
    for name in TOKENIZER[1:]:
        (small / name).unlink()
    tokenizer = json.loads((small / "tokenizer.json").read_text())
    (small / "tokenizer.json").write_text(json.dumps(tokenizer | {"truncation": None, "padding": None}))
    made = await _provide(cache, small)
    assert ModelManifest.read(made.folder).max_tokens == 512
    assert np.allclose(await made.embed_passages(_TEXTS), await whole.embed_passages(_TEXTS), atol=1e-5)
    unpadded = [each for each in tokenizer["added_tokens"] if each["content"] != "[PAD]"]
    (small / "tokenizer.json").write_text(json.dumps(tokenizer | {"padding": None, "added_tokens": unpadded}))
    with pytest.raises(SetupError, match=r"tokenizer_config\.json where tokenizer\.json names no padding token"):
        await _provide(cache, small)


@pytest.mark.proves("SVC-96")
async def test_a_model_that_cannot_read_a_text_of_its_length_is_refused(cache: Cache, small: Path) -> None:
    model = onnx.load(small / WEIGHTS)
    [table] = [each for each in model.graph.initializer if each.name == "embeddings.position_embeddings.weight"]
    table.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(table)[:64].copy(), table.name))
    onnx.save(model, small / WEIGHTS)
    with pytest.raises(SetupError, match="PRECEDENT_EMBEDDING_MAX_TOKENS"):
        await _provide(cache, small)
    choice = ModelChoice.build(model=str(small), max_tokens=64)
    made = await FastEmbedder.load(await provision_choice(cache, choice, SilentSetup()))
    await made.embed_passages(_TEXTS)


@pytest.mark.proves("SVC-96")
async def test_a_damaged_file_of_a_model_is_replaced_by_the_next_setup(cache: Cache, small: Path) -> None:
    made = await _provide(cache, small)
    (made.folder / "centres.npy").write_bytes(b"")
    choice = ModelChoice.build(model=str(small))
    assert not await has_model(cache, choice)
    again = await _provide(cache, small)
    assert await has_model(cache, choice)
    assert await again.embed_passages(_TEXTS) == await made.embed_passages(_TEXTS)
