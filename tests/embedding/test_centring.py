"""Centring: unrelated texts have a cosine near 0, whatever a model's vectors have in common. Source: SVC-103."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from server.core.home import Cache
from server.core.types import Precision
from server.embedding.centring import list_samples, subtract
from server.embedding.choice import ModelChoice
from server.embedding.embedder import FastEmbedder
from server.embedding.loaded_model import LoadedModel
from server.embedding.manifest import ModelManifest
from server.embedding.other_models import provision_choice
from server.embedding.provision import model_folder
from tests.embedding.small_model import make_shifted_model, make_small_model
from tests.setup_progress import SilentSetup

pytestmark = pytest.mark.anyio
_PASSAGES = (
    "We store everything in PostgreSQL.", "Lunch is at noon.", "The cat sleeps on the sofa.",
    "Tokens expire after one hour.", "Rust has no garbage collector.", "My uncle keeps bees.",
)  # fmt: skip
_QUESTIONS = {"Which database do we use?": 0, "When do we eat?": 1, "How long are tokens valid?": 3}
"""Each with the index of its answer."""


@pytest.fixture(scope="module")
def shifted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shifted_model(tmp_path_factory.mktemp("models") / "shifted")


async def _load(cache: Cache, folder: Path, precision: Precision = "float32") -> FastEmbedder:
    choice = ModelChoice.build(model=str(folder), precision=precision)
    return await FastEmbedder.load(await provision_choice(cache, choice, SilentSetup()))


def _load_plain(folder: Path) -> LoadedModel:
    """The model of a folder, without centres."""
    manifest = ModelManifest.read(folder)
    return LoadedModel(manifest.open_model(folder), manifest, None)


def _between(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cosines between all pairs of different vectors."""
    cosines: NDArray[np.float64] = vectors @ vectors.T
    return cosines[~np.eye(len(vectors), dtype=bool)]


@pytest.mark.parametrize("precision", ["float32", "int8"])
@pytest.mark.proves("SVC-103")
async def test_unrelated_texts_have_a_cosine_near_0_although_the_models_vectors_look_alike(
    tmp_path: Path, shifted: Path, precision: Precision
) -> None:
    made = await _load(Cache(tmp_path), shifted, precision)
    assert _between(np.array(_load_plain(made.folder).embed_passages(_PASSAGES))).min() > 0.65
    passages = np.array(await made.embed_passages(_PASSAGES))
    assert abs(_between(passages).mean()) < 0.05
    assert _between(passages).max() < 0.2
    for question, answer in _QUESTIONS.items():
        cosines = passages @ np.array(await made.embed_query(question))
        assert cosines[answer] > 0.3, "what belongs together is above the least cosine of search, 0.2"
        assert np.delete(cosines, answer).max() < 0.2, "and nothing else is"


@pytest.mark.proves("SVC-103")
async def test_questions_and_passages_have_centres_of_their_own_because_their_prefixes_differ(tmp_path: Path) -> None:
    made = await _load(Cache(tmp_path / "cache"), make_small_model(tmp_path / "small-e5-base"))
    samples = list_samples()
    plain = _load_plain(made.folder)
    questions = np.array([plain.embed_query(text) for text in samples])
    passages = np.array(plain.embed_passages(samples))
    for actual, own, other in (
        (await made.embed_query(samples[0]), questions, passages),
        ((await made.embed_passages(samples[:1]))[0], passages, questions),
    ):
        assert actual == pytest.approx(subtract(own[0], own.mean(axis=0)).tolist(), abs=1e-5)
        assert actual != pytest.approx(subtract(own[0], other.mean(axis=0)).tolist(), abs=1e-2)
        assert np.linalg.norm(actual) == pytest.approx(1, abs=1e-5)


@pytest.mark.proves("SVC-103")
async def test_a_model_whose_texts_differ_anyway_is_nearly_as_it_was(
    tmp_path: Path, shared_cache: Cache, embedder: FastEmbedder
) -> None:
    made = await _load(Cache(tmp_path), model_folder(shared_cache))
    passages, own = np.array(await made.embed_passages(_PASSAGES)), np.array(await embedder.embed_passages(_PASSAGES))
    for question, answer in _QUESTIONS.items():
        cosines = passages @ np.array(await made.embed_query(question))
        expected = own @ np.array(await embedder.embed_query(question))
        assert cosines == pytest.approx(expected, abs=0.1)
        assert cosines.argmax() == answer


@pytest.mark.proves("SVC-103")
async def test_the_default_model_has_no_centres_whatever_its_length(tmp_path: Path, shared_cache: Cache) -> None:
    assert ModelManifest.read(model_folder(shared_cache)).samples == ""
    cache = Cache(tmp_path)
    cache.models.mkdir()
    for precision in ("float32", "int8"):
        model_folder(cache, precision).symlink_to(model_folder(shared_cache, precision))
    short = ModelManifest.read(await provision_choice(cache, ModelChoice.build(max_tokens=32), SilentSetup()))
    assert (short.samples, short.vector_fingerprint) == ("", short.fingerprint)


def test_other_samples_are_another_vector_space() -> None:
    plain = ModelManifest(name="any", dimension=3, max_tokens=9, fingerprint="plain", files={})
    spaces = {replace(plain, samples=samples).vector_fingerprint for samples in ("", "one", "other")}
    assert len(spaces) == 3
    assert plain.vector_fingerprint == "plain"


def test_a_vector_that_is_the_centre_keeps_its_length() -> None:
    centre = np.array([0.6, 0.8])
    assert subtract(centre, centre).tolist() == [0.6, 0.8]
    assert subtract(np.array([1.0, 0.0]), np.zeros(2)).tolist() == [1.0, 0.0]


def test_the_samples_are_many_different_texts_sentences_and_questions() -> None:
    samples = list_samples()
    assert len(set(samples)) == len(samples) >= 60
    assert 10 <= sum(text.endswith("?") for text in samples) <= 20
    assert all(text.strip() == text and 10 < len(text) < 100 for text in samples)
