"""The change to another embedding model: beside the one in use, then in one statement. Source: SVC-97, SVC-98."""

import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from server.composition import load_embedder
from server.core.errors import EmbeddingUnavailable, ModelMismatch
from server.core.home import Cache
from server.core.principals import Principal, Role
from server.core.settings import Settings
from server.core.types import Precision
from server.decisions.models import RecordDecision, SearchDecisions, SearchResponse
from server.decisions.service import DecisionService
from server.embedding.choice import ModelChoice
from server.embedding.embedder import CurrentEmbedder, Embedder, FastEmbedder
from server.embedding.other_models import provision_choice
from server.embedding.provision import DEFAULT_PRECISION, model_folder
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.parts import Parts
from server.vectors.edge import EdgeStore
from server.vectors.model_change import change_model
from server.vectors.projector import Projector
from server.vectors.repair import verify
from server.vectors.store import VectorStore, point_id
from tests.conftest import Where
from tests.embedding.small_model import make_shifted_model, make_small_model
from tests.embedding.test_finishing import make_earlier
from tests.setup_progress import SilentSetup
from tests.vectors.conftest import Records, held

pytestmark = pytest.mark.anyio

_ASKER = Principal("ada", "agent", Role.AGENT, "n")
_DECISIONS = {
    "session store": "Redis stores the sessions of the web shop, because PostgreSQL was too slow for so many logins.",
    "token lifetime": "Access tokens are valid for one hour, because stolen ones must not work for long.",
    "release day": "We release on Tuesdays, because on Fridays nobody was there to roll back.",
}

_REBUILD = """
import sys
from pathlib import Path
import anyio
from server.embedding.embedder import FastEmbedder
from server.graph.graph import connect
from server.vectors.edge import EdgeStore
from server.vectors.model_change import change_model

async def rebuild(uri, user, password, model, folder):
    embedder = await FastEmbedder.load(Path(model))
    async with connect(uri, user, password) as graph:
        await change_model(graph, EdgeStore(Path(folder)), embedder, lambda done: print(done, flush=True), 4)

anyio.run(rebuild, *sys.argv[1:])
"""


@pytest.fixture(params=["edge_store", "server_store"])
def store(request: pytest.FixtureRequest) -> VectorStore:
    """Both engines: a folder of this machine, and a Qdrant server."""
    found: VectorStore = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
async def small(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> FastEmbedder:
    """Another model: other vectors, of another dimension."""
    folder = make_small_model(tmp_path_factory.mktemp("models") / "small")
    cache = Cache(tmp_path_factory.mktemp("cache"))
    return await FastEmbedder.load(await provision_choice(cache, ModelChoice.build(model=str(folder)), SilentSetup()))


@pytest.fixture
def both(embedder: FastEmbedder, small: FastEmbedder) -> tuple[FastEmbedder, FastEmbedder]:
    return embedder, small


class _Service:
    """What a service does with its vectors: it projects, embeds questions and searches."""

    def __init__(self, graph: Graph, store: VectorStore, first: Embedder, *others: Embedder) -> None:
        self._others = {each.fingerprint: each for each in others}
        self._store = store
        self.embedder = CurrentEmbedder(first, self._load)
        self.projector = Projector(graph, store, self.embedder, poll=0.05)

    async def _load(self, fingerprint: str) -> Embedder:
        if fingerprint not in self._others:
            raise EmbeddingUnavailable("none")
        return self._others[fingerprint]

    async def find(self, text: str) -> str:
        """Return the key of the nearest record."""
        [hit] = await self._store.search(await self.embedder.embed_query(text), 1, namespace="n", kinds=["passage"])
        return hit.key

    async def wait_for(self, model: Embedder) -> None:
        with anyio.fail_after(30):
            while self.embedder.fingerprint != model.fingerprint or (await self.projector.lag()).records:
                await anyio.sleep(0.02)


@asynccontextmanager
async def _running(service: _Service) -> AsyncIterator[_Service]:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(service.projector.run)
        with anyio.fail_after(30):
            while not service.projector.following or (await service.projector.lag()).records:
                await anyio.sleep(0.02)
        yield service
        tasks.cancel_scope.cancel()


class _Interrupted:
    """An embedder that does something after some texts."""

    def __init__(self, real: Embedder, after: int, then: object) -> None:
        self.name, self.dimension, self.fingerprint = real.name, real.dimension, real.fingerprint
        self.embed_query = real.embed_query
        self._real, self._left, self._then = real, after, then

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        vectors = await self._real.embed_passages(texts, urgent=urgent)
        self._left -= len(texts)
        if self._left <= 0 and self._then is not None:
            then, self._then = self._then, None
            await then()  # type: ignore[operator]
        return vectors


def _ignore(done: int) -> None:
    pass


@pytest.mark.proves("SVC-97", "SVC-98")
async def test_a_service_searches_by_meaning_during_the_change_and_finds_what_was_written_meanwhile(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder, small: FastEmbedder
) -> None:
    await records.write("parrots", "databases", "gone", *(f"k{n}" for n in range(20)))
    async with _running(_Service(graph, store, embedder, small)) as service:

        async def write() -> None:
            assert service.embedder.fingerprint == embedder.fingerprint
            await records.write("cages", "k1")
            await records.delete("gone")
            with anyio.fail_after(30):
                while await records.queued() or await records.tombstones():  # projected with the former model
                    await anyio.sleep(0.02)
            assert await service.find("because of parrots") == "parrots"
            assert await service.find("because of cages") == "cages"

        changing = _Interrupted(small, 8, write)
        await change_model(graph, store, changing, _ignore, 4)
        # Another writer, whom nothing tells of the change.
        await records.write("lizards")
        await service.wait_for(small)
        for key in ("parrots", "cages", "lizards", "databases"):
            assert await service.find(f"because of {key}") == key
        await records.write("after")
        await service.wait_for(small)
        assert await service.find("because of after") == "after"
    assert await held(store) == await records.revisions()
    assert (await verify(graph, store)).consistent
    # The next start uses the same model, and has nothing to do.
    again = Projector(graph, store, small)
    assert await again.drain() == 0
    with pytest.raises(ModelMismatch):
        await Projector(graph, store, embedder).prepare()


@pytest.mark.proves("SVC-97")
async def test_without_a_service_the_next_start_takes_the_new_vectors_over_and_compares_them(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder, small: FastEmbedder
) -> None:
    await records.write("a", "b", "c")
    await Projector(graph, store, embedder).drain()
    assert await change_model(graph, store, small, _ignore, 32) == 3
    # What an older process still projected with the former model: it is not queued, and not in the new vectors.
    await records.run("MATCH (n:Passage {id: 'b'}) SET n.revision = n.revision + 1")
    await records.run("CREATE (:Passage {namespace: 'n', id: 'd', name: 'd', text: 'd', revision: 1})")
    await records.delete("c")
    await records.run("MATCH (t:Tombstone) DELETE t")
    if isinstance(store, EdgeStore):
        await store.close()
    started = Projector(graph, store, small)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(started.run)
        with anyio.fail_after(30):
            while not started.following or await held(store) != await records.revisions():
                await anyio.sleep(0.02)
        tasks.cancel_scope.cancel()
    assert await records.run("MATCH (m:EmbeddingModel) RETURN m.compare AS compare") == [{"compare": None}]


@pytest.mark.proves("SVC-97")
async def test_a_change_that_was_stopped_leaves_the_former_model_in_use_and_goes_on(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder, small: FastEmbedder
) -> None:
    keys = [f"k{n:02}" for n in range(40)]
    await records.write(*keys)
    async with _running(_Service(graph, store, embedder, small)) as service:

        async def fail() -> None:
            raise EmbeddingUnavailable("stopped")

        with pytest.raises(EmbeddingUnavailable):
            await change_model(graph, store, _Interrupted(small, 20, fail), _ignore, 4)
        assert await service.find("because of k07") == "k07"
        done: list[int] = []
        assert await change_model(graph, store, small, done.append, 4) == 40
        assert sum(done) == 40 - 16
        await service.wait_for(small)
    # A third model begins anew.
    third = _Interrupted(embedder, 999, None)
    third.fingerprint = "third"
    assert await change_model(graph, store, third, _ignore, 32) == 40


@pytest.mark.proves("SVC-97")
async def test_kill_9_of_a_change_loses_nothing(
    both: tuple[FastEmbedder, FastEmbedder], graph: Graph, records: Records, edge_store: EdgeStore, neo4j: Where
) -> None:
    embedder, small = both
    await records.write(*(f"k{n:02}" for n in range(60)))
    async with _running(_Service(graph, edge_store, embedder, small)) as service:
        command = [sys.executable, "-c", _REBUILD, *neo4j, str(small.folder), str(edge_store._folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()) as process:
            assert process.stdout is not None
            for _ in range(3):
                await anyio.to_thread.run_sync(process.stdout.readline)
            process.send_signal(signal.SIGKILL)
        assert await service.find("because of k07") == "k07"
        done: list[int] = []
        assert await change_model(graph, edge_store, small, done.append, 4) == 60
        assert 0 < sum(done) < 60
        await service.wait_for(small)
        assert await service.find("because of k59") == "k59"
    assert await held(edge_store) == await records.revisions()


@pytest.mark.proves("SVC-97")
async def test_a_start_completes_a_take_over_that_was_cut_off(tmp_path: Path) -> None:
    folder, draft = tmp_path / "vectors", EdgeStore(tmp_path / "vectors").draft("new")
    store = EdgeStore(folder)
    await store.open(4, "old")
    await store.close()
    await draft.open(8, "new")
    await draft.close()
    # As far as it came: the former vectors are gone, and the name of the new model is there.
    shutil.rmtree(folder / "shard")
    shutil.copy(folder / "next" / "model.json", folder / "model.json")
    await store.open(8, "new")
    await store.close()
    # Or one step further: the new ones are in place, and the folder of the draft is still there.
    (folder / "next").mkdir()
    shutil.copy(folder / "model.json", folder / "next" / "model.json")
    await store.open(8, "new")
    assert await store.count() == 0
    assert not (folder / "next").exists()
    await store.close()
    with pytest.raises(ModelMismatch):
        await store.open(4, "old")


@pytest.mark.proves("SVC-98")
async def test_a_service_without_the_files_of_the_new_model_goes_on_with_the_former(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder, small: FastEmbedder
) -> None:
    await records.write("a", "b")
    async with _running(_Service(graph, store, embedder)) as service:
        await change_model(graph, store, small, _ignore, 32)
        with anyio.fail_after(30):
            while service.projector.following:
                await anyio.sleep(0.02)
        assert await service.find("because of a") == "a"
        service._others[small.fingerprint] = small
        await service.wait_for(small)
        assert await service.find("because of b") == "b"


@pytest.mark.proves("SVC-97")
async def test_a_command_that_projects_with_the_former_model_stops_and_queues_its_last_records_again(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder, small: FastEmbedder
) -> None:
    await records.write(*(f"k{n}" for n in range(8)))

    async def change() -> None:
        await records.run("MATCH (m:EmbeddingModel) SET m.fingerprint = 'another'")

    with pytest.raises(ModelMismatch):
        await Projector(graph, store, _Interrupted(embedder, 4, change), batch=4).drain()
    assert len(await records.queued()) == 8


@pytest.mark.proves("SVC-97")
async def test_a_vector_that_an_import_brought_is_not_used_with_another_model(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder, small: FastEmbedder
) -> None:
    await records.write("a")
    await Projector(graph, store, embedder).drain()
    await records.write("imported")
    await records.run("MATCH (n:Passage {id: 'imported'}) SET n.vector = $vector", vector=b"\0" * 4 * small.dimension)
    await change_model(graph, store, small, _ignore, 32)
    await Projector(graph, store, small).drain()
    [expected] = await small.embed_passages(["imported \nbecause of imported"])
    stored = await store.vectors([point_id("n", "passage", "imported")])
    assert stored[point_id("n", "passage", "imported")] == pytest.approx(expected, abs=1e-3)


@pytest.mark.proves("SVC-98")
async def test_a_graph_keeps_its_model_whatever_the_default_is_and_settings_that_name_another_are_refused(
    graph: Graph, records: Records, edge_store: EdgeStore
) -> None:
    cache = Settings().cache
    assert (await load_embedder(Settings(), graph)).folder == model_folder(Cache(cache))
    other: Precision = "int8" if DEFAULT_PRECISION == "float32" else "float32"
    kept = await FastEmbedder.load(model_folder(Cache(cache), other))
    await records.write("a")
    await Projector(graph, edge_store, kept).drain()
    assert (await load_embedder(Settings(), graph)).fingerprint == kept.fingerprint
    named = await load_embedder(Settings(PRECEDENT_EMBEDDING_PRECISION=DEFAULT_PRECISION), graph)
    assert named.fingerprint != kept.fingerprint
    with pytest.raises(ModelMismatch, match="precedent rebuild"):
        await Projector(graph, edge_store, named).prepare()
    await records.run("MATCH (m:EmbeddingModel) SET m.fingerprint = 'of a model of another machine', m.name = 'far'")
    with pytest.raises(ModelMismatch, match=r"the embedding model far.*precedent setup.*precedent rebuild"):
        await load_embedder(Settings(), graph)


@pytest.mark.proves("SVC-104")
async def test_a_graph_keeps_the_form_of_its_model_that_an_earlier_release_made_until_it_is_rebuilt(
    graph: Graph, records: Records, edge_store: EdgeStore, tmp_path: Path
) -> None:
    folder = make_small_model(tmp_path / "small")
    settings = Settings(PRECEDENT_EMBEDDING_MODEL=str(folder), PRECEDENT_CACHE=tmp_path / "cache")
    cache, choice = Cache(settings.cache), ModelChoice.build(model=str(folder))
    earlier = await FastEmbedder.load(make_earlier(await provision_choice(cache, choice, SilentSetup())))
    await records.write("a", "b")
    await Projector(graph, edge_store, earlier).drain()
    # `precedent setup` and `precedent rebuild` add the centred one, which a new graph gets.
    centred = await FastEmbedder.load(await provision_choice(cache, choice, SilentSetup()))
    assert (await load_embedder(settings)).fingerprint == centred.fingerprint
    kept = await load_embedder(settings, graph)
    assert kept.fingerprint == earlier.fingerprint != centred.fingerprint
    await Projector(graph, edge_store, kept).prepare()
    await change_model(graph, edge_store, centred, _ignore, 32)
    assert (await load_embedder(settings, graph)).fingerprint == centred.fingerprint


async def _ask(graph: Graph, store: VectorStore, model: Embedder, question: str) -> SearchResponse:
    """Ask for decisions, when everything is embedded with this model."""
    projector = Projector(graph, store, model)
    await projector.drain()
    decisions = DecisionService(Parts(graph, IdSequence(graph), store, model, projector, 0), cooldown=0)
    return await decisions.search(SearchDecisions(query=question), _ASKER)


@pytest.mark.proves("SVC-103", "SVC-104")
async def test_search_says_that_nothing_matches_once_a_model_whose_texts_look_alike_is_centred(
    graph: Graph, edge_store: EdgeStore, tmp_path: Path
) -> None:
    cache, choice = Cache(tmp_path / "cache"), ModelChoice.build(model=str(make_shifted_model(tmp_path / "shifted")))
    earlier = await FastEmbedder.load(make_earlier(await provision_choice(cache, choice, SilentSetup())))
    projector = Projector(graph, edge_store, earlier)
    decisions = DecisionService(Parts(graph, IdSequence(graph), edge_store, earlier, projector, 0), cooldown=0)
    for target, rationale in _DECISIONS.items():
        request = RecordDecision.parse({"target": target, "title": target, "rationale": rationale})
        await decisions.record(request, _ASKER)
    unrelated, related = "What do penguins eat in winter?", "How long are access tokens valid?"
    assert (await _ask(graph, edge_store, earlier, unrelated)).results, "as the earlier release answered"
    centred = await FastEmbedder.load(await provision_choice(cache, choice, SilentSetup()))
    await change_model(graph, edge_store, centred, _ignore, 32)
    answer = await _ask(graph, edge_store, centred, unrelated)
    assert answer.results == []
    assert "No decision matches" in answer.message
    assert [found.target for found in (await _ask(graph, edge_store, centred, related)).results] == ["token lifetime"]
