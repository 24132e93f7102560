"""What the embedder guarantees, on the real model. Source: SVC-7."""

import json
import os
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.core.errors import EmbeddingUnavailable
from server.core.home import Cache
from server.core.settings import Settings
from server.embedding.embedder import FastEmbedder, plan_runs
from server.embedding.loaded_model import LoadedModel
from server.embedding.provision import model_folder

pytestmark = pytest.mark.anyio
_KNOWN = json.loads(Path("server/embedding/known_vectors.json").read_text())["known"]


@pytest.fixture(scope="session")
def folder() -> Path:
    return model_folder(Cache(Settings().cache))


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))


async def test_the_embedder_names_its_model(embedder: FastEmbedder, folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (embedder.name, embedder.dimension, embedder.fingerprint) == (
        manifest["name"],
        manifest["dimension"],
        manifest["fingerprint"],
    )
    assert len(await embedder.embed_query("text")) == embedder.dimension


async def test_it_gives_the_vectors_that_this_model_is_known_by(embedder: FastEmbedder) -> None:
    vectors = await embedder.embed_passages([each["text"] for each in _KNOWN])
    for each, vector in zip(_KNOWN, vectors, strict=True):
        assert _cosine(vector, each["vector"]) > 0.99


async def test_texts_of_the_same_meaning_are_nearer_than_others(embedder: FastEmbedder) -> None:
    query = await embedder.embed_query("Which database do we use?")
    near, far = await embedder.embed_passages(["We store everything in PostgreSQL.", "Lunch is at noon."])
    assert _cosine(query, near) > _cosine(query, far) + 0.2


async def test_the_same_query_again_runs_the_model_once_and_no_caller_can_change_its_vector(
    embedder: FastEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []
    embed = embedder._embed_query

    def counted(text: str) -> list[float]:
        runs.append(text)
        return embed(text)

    monkeypatch.setattr(embedder, "_embed_query", counted)
    first = await embedder.embed_query("What did we decide on parrots?")
    kept = list(first)
    first[0] = 9.0
    assert await embedder.embed_query("What did we decide on parrots?") == kept
    await embedder.embed_query("What did we decide on cages?")
    assert len(runs) == 2
    for _ in range(2):
        await embedder.embed_query("long " * 500)
    assert len(runs) == 4, "a long query is not kept"


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(
        st.one_of(st.text(max_size=40), st.text("ab \n", min_size=200, max_size=900), st.just("")), max_size=25
    )
)
async def test_each_text_has_its_own_vector_of_length_one_whatever_stands_beside_it(
    embedder: FastEmbedder, texts: list[str]
) -> None:
    together = await embedder.embed_passages(texts)
    assert len(together) == len(texts)
    for text, vector in zip(texts, together, strict=True):
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)
        # With weights of 8 bits, the numbers of a run are rounded together.
        assert _cosine(vector, await embedder.embed_query(text)) > 0.999


@pytest.mark.parametrize("text", ["", " ", "\0", "half a character \ud83d", "\U0001f600" * 50, "word " * 100_000])
async def test_any_string_has_a_vector(embedder: FastEmbedder, text: str) -> None:
    vector = await embedder.embed_query(text)
    assert len(vector) == embedder.dimension
    assert np.isfinite(vector).all()


async def test_no_text_is_no_vector(embedder: FastEmbedder) -> None:
    assert await embedder.embed_passages([]) == []


class Gate:
    """Holds each run of the model for which `holds` is true until it is opened."""

    def __init__(self, model: LoadedModel, holds: Any) -> None:
        self._model, self._holds = model, holds
        self.manifest, self.embed_query = model.manifest, model.embed_query
        self.entered, self.opened = threading.Event(), threading.Event()

    def embed_passages(self, texts: list[str]) -> Any:
        if self._holds(texts):
            self.entered.set()
            assert self.opened.wait(30)
        return self._model.embed_passages(texts)


async def test_a_query_does_not_wait_behind_a_bulk_and_neither_stops_the_event_loop(embedder: FastEmbedder) -> None:
    gate = Gate(embedder._model, lambda texts: len(texts) > 1)
    gated = FastEmbedder(gate, embedder.folder)  # type: ignore[arg-type]
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(gated.embed_passages, ["a passage"] * 64)
            while not gate.entered.is_set():  # set from another thread
                await anyio.sleep(0.005)
            assert await gated.embed_query("a query") == await embedder.embed_query("a query")
            # Nor does what is compared for whoever asks: not projected yet, it has no vector.
            assert await gated.embed_passages(["a query"], urgent=True) == await embedder.embed_passages(["a query"])
            gate.opened.set()


async def test_concurrent_calls_return_the_same_vectors_as_single_calls(embedder: FastEmbedder) -> None:
    texts = [f"decision {n} about service {n % 7}" for n in range(60)]
    alone = [await embedder.embed_query(text) for text in texts]
    answers: dict[str, list[float]] = {}

    async def ask(text: str) -> None:
        answers[text] = await embedder.embed_query(text)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(embedder.embed_passages, texts * 3)
        for text in texts:
            tasks.start_soon(ask, text)
    for text, vector in zip(texts, alone, strict=True):
        assert answers[text] == pytest.approx(vector, abs=1e-5)


async def test_a_model_that_is_not_there_names_the_command_that_fetches_it(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingUnavailable, match="precedent setup") as raised:
        await FastEmbedder.load(tmp_path / "none")
    assert str(tmp_path) not in raised.value.message


async def test_a_broken_model_is_unavailable(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "model"
    shutil.copytree(folder, broken)
    os.truncate(broken / "model.onnx", 1_000)
    with pytest.raises(EmbeddingUnavailable, match="precedent setup"):
        await FastEmbedder.load(broken)


async def test_two_embedders_may_be_loaded_in_one_process(embedder: FastEmbedder, folder: Path) -> None:
    second = await FastEmbedder.load(folder)
    assert await second.embed_query("text") == pytest.approx(await embedder.embed_query("text"), abs=1e-6)


def test_a_run_holds_short_texts_together_and_a_long_one_alone() -> None:
    lengths = [5, 900, 30, 10, 150, 160, 20_000, 5, 5, 5, 5, 5, 5, 5]
    runs = plan_runs(lengths)
    assert sorted(index for run in runs for index in run) == list(range(len(lengths)))
    sizes = [[lengths[index] for index in run] for run in runs]
    assert sizes == [[5] * 8, [10, 30], [150, 160], [900], [20_000]]
