"""The same networks on a GPU."""

import pickle

import numpy as np
import pytest
from helpers import pu_data

torch = pytest.importorskip("torch", reason="needs PyTorch, the extra neural")

from adapu.datasets import make_pu  # noqa: E402
from adapu.neural import NeuralPUClassifier  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def test_a_gpu_learns_what_a_cpu_learns():
    X, s = pu_data(0, n_positive=100, n_unlabeled=400)
    scores = [
        NeuralPUClassifier(0.4, n_epochs=5, device=device, random_state=0)
        .fit(X, s)
        .decision_function(X)
        for device in ("cpu", "cuda")
    ]
    assert np.corrcoef(scores)[0, 1] > 0.98


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("network", ["resnet18", "resnet32", "all-conv"])
def test_images(network, precision):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    X = rng.integers(0, 200, size=(300, 3072), dtype=np.uint8)
    X[y == 1, :1024] += 50  # redder
    X_pu, s = make_pu(X, y, 60, random_state=0)
    generator = torch.cuda.get_rng_state()
    model = NeuralPUClassifier(
        0.5, network=network, precision=precision, batch_size=60, n_epochs=8, device="auto",
        learning_rate=1e-3, keep_epochs=True, random_state=0,
    ).fit(X_pu, s)  # fmt: skip
    assert (torch.cuda.get_rng_state() == generator).all()
    assert next(model.network_.parameters()).is_cuda
    assert model.score(X, y) > 0.9
    *_, last = model.staged_decision_function(X)
    np.testing.assert_allclose(last, model.decision_function(X), rtol=1e-3, atol=1e-3)
    on_cpu = pickle.loads(pickle.dumps(model)).set_params(device="cpu", precision="float32")
    assert (on_cpu.predict(X[:50]) == model.predict(X[:50])).mean() > 0.9
