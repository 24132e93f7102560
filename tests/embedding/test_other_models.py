"""Other embedding models than the default: a folder, a name of fastembed, other weights. Source: SVC-96, SVC-99."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastembed import TextEmbedding
from numpy.typing import NDArray

from server.composition import load_embedder
from server.core.errors import EmbeddingUnavailable, RegistryUnreachable, SetupError
from server.core.home import Cache
from server.core.settings import Settings
from server.embedding.centring import Centres, subtract
from server.embedding.choice import ModelChoice
from server.embedding.embedder import FastEmbedder
from server.embedding.manifest import ModelManifest
from server.embedding.other_models import choice_of, find_by_choice, has_model, provision_choice
from server.embedding.provision import model_folder, worst_agreement
from server.embedding.sources import TOKENIZER, WEIGHTS
from tests.embedding.small_model import DIMENSION, make_small_model
from tests.embedding.test_sources import model_files, offer
from tests.local.web import Web
from tests.setup_progress import SilentSetup

pytestmark = pytest.mark.anyio
_TEXT = "Which database stores the graph?"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_small_model(tmp_path_factory.mktemp("models") / "small-e5-base")


@pytest.fixture
def cache(shared_cache: Cache, tmp_path: Path) -> Cache:
    own = Cache(tmp_path / "cache")
    for precision in ("float32", "int8"):
        shutil.copytree(model_folder(shared_cache, precision), model_folder(own, precision), copy_function=os.link)
    return own


async def _load(cache: Cache, **fields: object) -> FastEmbedder:
    return await FastEmbedder.load(await provision_choice(cache, ModelChoice.build(**fields), SilentSetup()))


async def _provide(cache: Cache, fields: dict[str, object]) -> ModelManifest:
    return ModelManifest.read(await provision_choice(cache, ModelChoice.build(**fields), SilentSetup()))


def _embed_bare(folder: Path, *texts: str) -> list[NDArray[Any]]:
    """The vectors that fastembed itself returns with a folder of the cache."""
    return list(ModelManifest.read(folder).open_model(folder).embed(texts))


@pytest.mark.proves("SVC-96")
async def test_a_folder_is_a_model_with_its_dimension_and_the_prefixes_of_its_family(cache: Cache, small: Path) -> None:
    plain = await _load(cache, model=str(small), query_prefix="", passage_prefix="")
    made = await _load(cache, model=str(small))
    assert (made.name, made.dimension) == (small.name, DIMENSION)
    centres = Centres.read(made.folder)
    [query] = _embed_bare(made.folder, f"query: {_TEXT}")
    assert await made.embed_query(_TEXT) == pytest.approx(subtract(query, centres.queries).tolist(), abs=1e-6)
    [passage] = _embed_bare(made.folder, f"passage: {_TEXT}")
    [vector] = await made.embed_passages([_TEXT])
    assert vector == pytest.approx(subtract(passage, centres.passages).tolist(), abs=1e-6)
    assert await plain.embed_query(_TEXT) == pytest.approx((await plain.embed_passages([_TEXT]))[0], abs=1e-6)
    # It no longer needs the folder, and is found by what it was made for.
    assert made.folder.is_relative_to(cache.root)
    choice = ModelChoice.build(model=str(small))
    assert await has_model(cache, choice)
    assert find_by_choice(cache, choice) == made.folder
    assert choice_of(cache, made.fingerprint) == choice


@pytest.mark.proves("SVC-96")
async def test_the_fingerprint_stands_for_everything_that_changes_a_vector(cache: Cache, small: Path) -> None:
    other = make_small_model(cache.root / "changed" / small.name)
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(config | {"changed": True}))
    choices: list[dict[str, object]] = [
        {"model": str(small)}, {"model": str(small), "query_prefix": "q: "}, {"model": str(small), "precision": "int8"},
        {"model": str(small), "passage_prefix": ""}, {"model": str(small), "pooling": "cls"},
        {"model": str(small), "max_tokens": 32}, {"model": str(other)}, {"max_tokens": 32}, {},
    ]  # fmt: skip
    made = [await _provide(cache, fields) for fields in choices]
    assert len({each.fingerprint for each in made}) == len(choices)
    assert (await _provide(cache, choices[0])).fingerprint == made[0].fingerprint


@pytest.mark.proves("SVC-96")
async def test_texts_are_cut_at_the_models_length_or_a_shorter_one(cache: Cache, small: Path) -> None:
    long = "graph " * 40
    for fields, is_cut in (({"model": str(small)}, False), ({"model": str(small), "max_tokens": 20}, True)):
        made = await _load(cache, **fields)
        one, other = await made.embed_passages([f"{long} authority", f"{long} parrots"])
        assert np.allclose(one, other) is is_cut
    (small / "sentence_bert_config.json").write_text('{"max_seq_length": 16}')
    try:
        assert (await _provide(cache, {"model": str(small)})).max_tokens == 16
    finally:
        (small / "sentence_bert_config.json").unlink()


@pytest.mark.proves("SVC-96")
async def test_a_model_that_fastembed_knows_comes_from_its_hub_with_its_own_pooling_and_prefix(
    cache: Cache, hub: Web, shared_cache: Cache
) -> None:
    name = "BAAI/bge-small-en-v1.5"
    files = model_files(shared_cache)
    offered = {"model_optimized.onnx": files[WEIGHTS]} | {file: files[file] for file in TOKENIZER[:2]}
    offer(hub, offered, "Qdrant/bge-small-en-v1.5-onnx-Q")
    folder = await provision_choice(cache, ModelChoice.build(model=name.lower()), SilentSetup(), hub.address)
    made = await FastEmbedder.load(folder)
    assert (made.name, made.dimension) == (name, 384)
    bare = TextEmbedding(name, specific_model_path=str(folder))
    [own] = bare.embed([f"Represent this sentence for searching relevant passages: {_TEXT}"])
    expected = subtract(own, Centres.read(folder).queries)
    assert await made.embed_query(_TEXT) == pytest.approx(expected.tolist(), abs=1e-6)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        ("no-such-model", SetupError, "neither an embedding model that fastembed knows nor a folder"),
        ("intfloat/multilingual-e5-large", RegistryUnreachable, r"HF_ENDPOINT.*name their folder instead"),
    ],
)
@pytest.mark.proves("SVC-96")
async def test_what_cannot_be_had_is_an_error_that_says_what_to_do(
    cache: Cache, hub: Web, model: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        await provision_choice(cache, ModelChoice.build(model=model), SilentSetup(), hub.address)
    assert {each.name for each in cache.models.iterdir()} == {"all-MiniLM-L6-v2", "all-MiniLM-L6-v2-int8"}
    settings = Settings(PRECEDENT_EMBEDDING_MODEL=model, PRECEDENT_CACHE=cache.root)
    with pytest.raises(EmbeddingUnavailable, match="precedent setup"):
        await load_embedder(settings)


async def test_files_that_are_no_model_are_refused(cache: Cache, small: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(small, broken)
    (broken / WEIGHTS).write_bytes((broken / WEIGHTS).read_bytes()[:1_000])
    with pytest.raises(SetupError, match="cannot be used"):
        await _load(cache, model=str(broken))
    with pytest.raises(SetupError, match="cannot be used"):
        await _load(cache, model=str(small), pooling="none")


@pytest.mark.proves("SVC-99")
async def test_weights_of_8_bits_give_nearly_the_same_vectors_whatever_stands_beside_a_text(cache: Cache) -> None:
    assert worst_agreement(model_folder(cache, "int8")) > 0.99
    made = await FastEmbedder.load(model_folder(cache, "int8"))
    texts = ["graph", "a b c", "who decides", "Neo4j is the authority", "parrots " * 9]
    together = await made.embed_passages(texts)
    for text, vector in zip(texts, together, strict=True):
        assert float(np.dot(vector, await made.embed_query(text))) > 0.9999
    sizes = [(model_folder(cache, precision) / WEIGHTS).stat().st_size for precision in ("int8", "float32")]
    assert sizes[0] < 0.7 * sizes[1]


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("/models/multilingual-e5-small", "query: ", "passage: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("BAAI/bge-base-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("snowflake/snowflake-arctic-embed-xs", "Represent this sentence for searching relevant passages: ", ""),
        ("google/embeddinggemma-300m", "task: search result | query: ", "title: none | text: "),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("thenlper/gte-base", "", ""),
    ],
)
def test_families_have_the_prefixes_that_their_authors_document(model: str, query: str, passage: str) -> None:
    family = ModelChoice.build(model=model).family
    assert (family.query_prefix, family.passage_prefix) == (query, passage)


def test_every_model_that_fastembed_says_needs_a_prefix_has_one() -> None:
    for described in TextEmbedding.list_supported_models():
        if re.search(r"documents: (necessary|`)", described["description"]):
            assert ModelChoice.build(model=described["model"]).family.query_prefix, described["model"]


def test_settings_make_a_choice_only_where_one_is_set() -> None:
    assert ModelChoice.of(Settings()) is None
    chosen = ModelChoice.of(Settings(PRECEDENT_EMBEDDING_PRECISION="int8", PRECEDENT_EMBEDDING_QUERY_PREFIX="none"))
    assert chosen == ModelChoice(precision="int8", query_prefix="")


async def test_an_older_manifest_is_a_model_of_32_bits(cache: Cache) -> None:
    folder = model_folder(cache, "float32")
    manifest = json.loads((folder / "manifest.json").read_text())
    names = ("name", "dimension", "max_tokens", "fingerprint", "files")
    (folder / "manifest.json").write_text(json.dumps({name: manifest[name] for name in names}))
    assert ModelManifest.read(folder).precision == "float32"
    assert (await FastEmbedder.load(folder)).dimension == 384
