"""Layers and weights of the networks, as the papers count them."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch, the extra neural")

from adapu.neural._classifier import IMAGE_NETWORKS  # noqa: E402
from adapu.neural._networks import Block, Score, make_network  # noqa: E402


def make(name, n_features=3072, n_hidden_layers=3, width=300, activation="relu"):
    torch.manual_seed(0)
    return make_network(name, n_features, n_hidden_layers, width, activation)


def count(network, kind):
    return sum(isinstance(module, kind) for module in network.modules())


def n_weights(network):
    return sum(p.numel() for p in network.parameters())


@pytest.mark.parametrize("n_hidden_layers", [1, 3, 6, 7, 9])
@pytest.mark.parametrize(
    ("activation", "kind"), [("relu", torch.nn.ReLU), ("softsign", torch.nn.Softsign)]
)
def test_perceptrons(n_hidden_layers, activation, kind):
    network = make("mlp", 20, n_hidden_layers, 30, activation)
    assert count(network, torch.nn.Linear) == n_hidden_layers + 1
    assert count(network, torch.nn.BatchNorm1d) == count(network, kind) == n_hidden_layers
    hidden = 20 * 30 + (n_hidden_layers - 1) * 30 * 30
    assert n_weights(network) == hidden + n_hidden_layers * 2 * 30 + 31


def test_the_perceptron_of_kiryo_et_al():
    """784-300-300-300-300-1, without biases before batch norm."""
    network = make("mlp", 784, 4)
    assert n_weights(network) == 784 * 300 + 3 * 300**2 + 4 * 600 + 301
    kinds = [type(layer).__name__ for layer in network]
    assert kinds == ["Linear", "BatchNorm1d", "ReLU"] * 4 + ["Score"]


@pytest.mark.parametrize(
    ("n_layers", "millions"),
    [(32, 0.46), (56, 0.85), (110, 1.7)],  # He et al., table 6
)
def test_narrow_residual_networks(n_layers, millions):
    network = make(f"resnet{n_layers}")
    assert count(network, torch.nn.Conv2d) == n_layers - 1
    assert count(network, torch.nn.Linear) == 1
    assert count(network, Block) == (n_layers - 2) // 2
    assert n_weights(network) == pytest.approx(millions * 1e6, rel=0.03)


def test_resnet18():
    network = make("resnet18")
    shortcuts = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d)]
    shortcuts = [conv for conv in shortcuts if conv.kernel_size == (1, 1)]
    assert len(shortcuts) == 3
    assert count(network, torch.nn.Conv2d) - len(shortcuts) == 17
    assert count(network, torch.nn.Linear) == 1
    # 11,173,962 with ten outputs is what this network is known by
    assert n_weights(network) == 11_173_962 - 9 * 513


def test_all_convolutional():
    network = make("all-conv")
    assert count(network, torch.nn.Conv2d) == count(network, torch.nn.BatchNorm2d) == 9
    convolutions = 9 * (3 * 96 + 2 * 96**2 + 96 * 192 + 3 * 192**2) + 192**2 + 192 * 10
    norms = 2 * (3 * 96 + 5 * 192 + 10)
    assert n_weights(network) == convolutions + norms + 641 * 1000 + 1001 * 1000 + 1001


@pytest.mark.parametrize("name", IMAGE_NETWORKS)
def test_images_of_many_sizes_inside_one_score_each(name):
    network = make(name)
    sizes = []
    for module in network.modules():
        if isinstance(module, torch.nn.Conv2d):
            module.register_forward_hook(lambda m, i, output: sizes.append(output.shape[2]))
    scores = network(torch.randn(2, 3072))
    assert scores.shape == (2,)
    assert sorted(set(sizes)) == ([4, 8, 16, 32] if name == "resnet18" else [8, 16, 32])
    scores.sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in network.parameters())


def test_planes_are_colours_first():
    """A network for images sees pixel (row, column) of a colour where the loader puts it."""
    network = make("all-conv")
    flat = torch.zeros(1, 3072)
    flat[0, 1 * 1024 + 5 * 32 + 7] = 1
    image = network[0](flat)
    assert image.shape == (1, 3, 32, 32)
    assert image[0, 1, 5, 7] == 1
    assert image.sum() == 1


@pytest.mark.parametrize(("n_outputs", "stride"), [(4, 1), (8, 2)])
def test_the_way_around_a_block(n_outputs, stride):
    """With nothing on the way through, what remains is every other pixel and channels of zeros."""
    block = Block(4, n_outputs, stride, projection=False).eval()
    torch.nn.init.zeros_(block.way[-1].weight)
    x = torch.rand(2, 4, 6, 6)
    expected = np.zeros((2, n_outputs, 6 // stride, 6 // stride), dtype=np.float32)
    first = (n_outputs - 4) // 2
    for channel in range(4):
        for row in range(6 // stride):
            for column in range(6 // stride):
                source = x[:, channel, stride * row, stride * column]
                expected[:, first + channel, row, column] = source
    np.testing.assert_array_equal(block(x).detach().numpy(), expected)


def test_scores_are_float32_under_bfloat16():
    layer = Score(3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = layer(torch.randn(5, 3).bfloat16())
    assert scores.dtype == torch.float32
    assert scores.shape == (5,)
