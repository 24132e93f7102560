"""The ONNX graph computes what an independent forward pass in numpy computes."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from numpy.typing import NDArray

from server.embedding.minilm import to_onnx
from tests.embedding.bert import hidden_states

WORDS = 400
Weights = dict[str, NDArray[np.float32]]


def random_weights() -> Weights:
    """Weights of the model's shapes (but for fewer words), of about its magnitudes."""
    random = np.random.default_rng(7)

    def normal(*shape: int) -> NDArray[np.float32]:
        return random.normal(0, 0.05, shape).astype(np.float32)

    weights: Weights = {
        "embeddings.word_embeddings.weight": normal(WORDS, 384),
        "embeddings.position_embeddings.weight": normal(512, 384),
        "embeddings.token_type_embeddings.weight": normal(2, 384),
    }
    linear = {f"attention.self.{part}": (384, 384) for part in ("query", "key", "value")} | {
        "attention.output.dense": (384, 384),
        "intermediate.dense": (1536, 384),
        "output.dense": (384, 1536),
    }
    for layer in (f"encoder.layer.{number}" for number in range(6)):
        for name, (rows, columns) in linear.items():
            weights[f"{layer}.{name}.weight"] = normal(rows, columns)
            weights[f"{layer}.{name}.bias"] = normal(rows)
    norms = [f"encoder.layer.{number}.{part}" for number in range(6) for part in ("attention.output", "output")]
    for norm in ("embeddings", *norms):
        weights[f"{norm}.LayerNorm.weight"] = 1 + normal(384)
        weights[f"{norm}.LayerNorm.bias"] = normal(384)
    return weights


@pytest.fixture(scope="module")
def weights() -> Weights:
    return random_weights()


@pytest.fixture(scope="module")
def session(weights: Weights) -> ort.InferenceSession:
    model = to_onnx(weights)
    onnx.checker.check_model(model, full_check=True)
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def run(session: ort.InferenceSession, sequences: list[list[int]]) -> list[NDArray[np.float32]]:
    """The hidden states of each sequence, run as one padded batch."""
    longest = max(map(len, sequences))
    ids = np.array([each + [0] * (longest - len(each)) for each in sequences], np.int64)
    mask = np.array([[1] * len(each) + [0] * (longest - len(each)) for each in sequences], np.int64)
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    [states] = session.run(["last_hidden_state"], inputs)
    return [states[row, : len(each)] for row, each in enumerate(sequences)]


@pytest.mark.parametrize("length", [1, 2, 17, 256])
def test_the_graph_agrees_with_numpy_at_every_token(
    session: ort.InferenceSession, weights: Weights, length: int
) -> None:
    ids = np.random.default_rng(length).integers(0, WORDS, length).tolist()
    [states] = run(session, [ids])
    assert states.shape == (length, 384)
    np.testing.assert_allclose(states, hidden_states(weights, ids), atol=2e-4)


def test_padding_and_neighbours_in_a_batch_change_nothing(session: ort.InferenceSession) -> None:
    random = np.random.default_rng(1)
    sequences = [random.integers(0, WORDS, length).tolist() for length in (3, 40, 11)]
    for together, alone in zip(run(session, sequences), (run(session, [each])[0] for each in sequences), strict=True):
        np.testing.assert_allclose(together, alone, atol=2e-5)


def test_a_missing_weight_is_an_error_and_not_a_guess(weights: Weights) -> None:
    name = "encoder.layer.3.intermediate.dense.bias"
    with pytest.raises(KeyError, match=name):
        to_onnx({key: value for key, value in weights.items() if key != name})


def test_the_graph_survives_its_file(weights: Weights, session: ort.InferenceSession, tmp_path: Path) -> None:
    onnx.save(to_onnx(weights), tmp_path / "model.onnx")
    loaded = ort.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(run(loaded, [[5, 6, 7]])[0], run(session, [[5, 6, 7]])[0])
