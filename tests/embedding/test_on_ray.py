"""Bulk embedding on a Ray cluster: a local one with two workers. Source: SVC-89."""

import subprocess
import sys
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from server.core.errors import EmbeddingUnavailable
from server.core.home import Cache
from server.embedding.choice import ModelChoice
from server.embedding.embedder import FastEmbedder
from server.embedding.on_ray import RayEmbedder, embed_on_ray
from server.embedding.other_models import provision_choice
from server.graph.graph import Graph
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.store import point_id
from tests.embedding.small_model import make_small_model
from tests.setup_progress import SilentSetup
from tests.vectors.conftest import Records, driver, graph, held, migrated, records

__all__ = ["driver", "graph", "migrated", "records"]
pytestmark = [pytest.mark.anyio, pytest.mark.long, pytest.mark.timeout(180)]
_TEXTS = [f"Text number {n} is about parrots. " * (1 + n % 9) for n in range(200)]


@pytest.fixture(scope="module")
async def on_ray(embedder: FastEmbedder) -> AsyncIterator[RayEmbedder]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAY_AUTH_MODE", "disabled")  # else Ray leaves a token in the user's folder
        async with embed_on_ray(embedder) as made:
            yield made


@pytest.mark.proves("SVC-89")
async def test_the_vectors_and_their_order_are_those_of_this_machine(
    embedder: FastEmbedder, on_ray: RayEmbedder
) -> None:
    assert on_ray.workers >= 1
    assert (on_ray.name, on_ray.dimension, on_ray.fingerprint) == (
        embedder.name, embedder.dimension, embedder.fingerprint,
    )  # fmt: skip
    assert await on_ray.embed_passages(_TEXTS) == await embedder.embed_passages(_TEXTS)
    assert await on_ray.embed_passages([]) == []
    assert await on_ray.embed_query("parrots") == await embedder.embed_query("parrots")


@pytest.mark.proves("SVC-89", "SVC-103")
async def test_the_workers_centre_the_vectors_of_another_model(on_ray: RayEmbedder, tmp_path: Path) -> None:
    choice = ModelChoice.build(model=str(make_small_model(tmp_path / "small")))
    local = await FastEmbedder.load(await provision_choice(Cache(tmp_path / "cache"), choice, SilentSetup()))
    async with embed_on_ray(local) as made:
        assert await made.embed_passages(_TEXTS) == await local.embed_passages(_TEXTS)


@pytest.mark.proves("SVC-89")
async def test_a_rebuild_that_was_stopped_goes_on_to_the_same_vectors(
    graph: Graph, records: Records, embedder: FastEmbedder, on_ray: RayEmbedder, tmp_path: Path
) -> None:
    keys = [f"k{n}" for n in range(60)]
    await records.write(*keys)
    store = EdgeStore(tmp_path)
    try:
        stopped = Projector(graph, store, on_ray, batch=20)
        await stopped.prepare()
        assert await stopped._step() == 20
        assert await Projector(graph, store, on_ray, batch=40).drain() == 40
        assert await held(store) == await records.revisions()
        ids = [point_id("n", "passage", key) for key in keys]
        made = await store.vectors(ids)
        [first] = await embedder.embed_passages(["k0 \nbecause of k0"])
        assert made[ids[0]] == pytest.approx(first, abs=0.02)  # the store keeps a byte for each number
    finally:
        await store.close()


@pytest.mark.proves("SVC-89")
async def test_a_worker_that_ended_is_an_error_that_says_to_run_again(embedder: FastEmbedder) -> None:
    async with embed_on_ray(embedder) as made:
        ray: Any = import_module("ray")
        worker = await made._idle.get()
        ray.kill(worker)
        made._idle.put_nowait(worker)
        with pytest.raises(EmbeddingUnavailable, match="Run the same command again"):
            await made.embed_passages(_TEXTS)


@pytest.mark.proves("SVC-89")
def test_without_the_option_nothing_of_ray_is_imported() -> None:
    code = "import sys, cli.maintenance, cli.bulk; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
