"""The networks, by name: from (n, n_features) standardised rows to one score per row.

Those for images take 3,072 features, the red, the green and the blue plane of 32 × 32 pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional

Tensor = Any  # torch is not looked into by the type checker

IMAGE_SHAPE = (3, 32, 32)
ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {"relu": nn.ReLU, "softsign": nn.Softsign}


def make_network(
    network: str, n_features: int, n_hidden_layers: int, width: int, activation: str
) -> nn.Module:
    """Return the network of this name, with fresh weights from torch's generator."""
    if network == "mlp":
        return mlp(n_features, n_hidden_layers, width, activation)
    if network == "resnet18":
        return wide_resnet()
    if network == "all-conv":
        return all_conv()
    return narrow_resnet(int(network.removeprefix("resnet")))


class Score(nn.Linear):  # type: ignore[misc]
    """The last layer: one number per row, in float32 whatever the precision of the others."""

    def __init__(self, n_inputs: int) -> None:
        super().__init__(n_inputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores, (n,)."""
        with torch.autocast(x.device.type, enabled=False):
            return super().forward(x.float()).squeeze(1)


class Images(nn.Module):  # type: ignore[misc]
    """Rows of 3,072 features as images, on a GPU with the channels last in memory."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the images, (n, 3, 32, 32)."""
        x = x.reshape(-1, *IMAGE_SHAPE)
        return x.contiguous(memory_format=torch.channels_last) if x.is_cuda else x


# ---------------------------------------------------------------- rows of a table


def mlp(n_features: int, n_hidden_layers: int, width: int, activation: str) -> nn.Module:
    """Return a perceptron whose hidden layers are linear, batch norm, activation."""
    layers: list[nn.Module] = []
    for n_inputs in [n_features] + [width] * (n_hidden_layers - 1):
        # batch norm takes the mean away, so a bias would do nothing
        layers += [nn.Linear(n_inputs, width, bias=False), nn.BatchNorm1d(width)]
        layers.append(ACTIVATIONS[activation]())
    return nn.Sequential(*layers, Score(width))


# ---------------------------------------------------------------- images


def conv(n_inputs: int, n_outputs: int, size: int = 3, stride: int = 1) -> list[nn.Module]:
    """Return a convolution that keeps the borders, and batch norm."""
    return [
        nn.Conv2d(n_inputs, n_outputs, size, stride, padding=size // 2, bias=False),
        nn.BatchNorm2d(n_outputs),
    ]


def all_conv() -> nn.Module:
    """Return the all-convolutional net as Kiryo et al. have it.

    Two steps of 3 × 3, 3 × 3, 3 × 3 with stride 2, of 96 and of 192 channels; 3 × 3 and 1 × 1 of
    192, 1 × 1 of 10; then two hidden layers of 1,000.
    """
    steps = [
        *[(3, 96, 3, 1), (96, 96, 3, 1), (96, 96, 3, 2)],
        *[(96, 192, 3, 1), (192, 192, 3, 1), (192, 192, 3, 2)],
        *[(192, 192, 3, 1), (192, 192, 1, 1), (192, 10, 1, 1)],
    ]
    layers: list[nn.Module] = [Images()]
    for step in steps:
        layers += [*conv(*step), nn.ReLU()]
    layers += [nn.Flatten(), nn.Linear(10 * 8 * 8, 1000), nn.ReLU()]
    layers += [nn.Linear(1000, 1000), nn.ReLU()]
    return with_he_weights(nn.Sequential(*layers, Score(1000)))


class Block(nn.Module):  # type: ignore[misc]
    """Two 3 × 3 convolutions and a way around them.

    Where the block halves the image and has more channels, the way around is a 1 × 1 convolution
    (``projection``), or every other pixel with channels of zeros.
    """

    def __init__(self, n_inputs: int, n_outputs: int, stride: int, projection: bool) -> None:
        super().__init__()
        self.stride, self.n_more = stride, n_outputs - n_inputs
        self.way = nn.Sequential(
            *conv(n_inputs, n_outputs, stride=stride), nn.ReLU(), *conv(n_outputs, n_outputs)
        )
        projected = projection and (stride > 1 or self.n_more > 0)
        self.projection = (
            nn.Sequential(*conv(n_inputs, n_outputs, 1, stride)) if projected else None
        )

    def forward(self, x: Tensor) -> Tensor:
        """Return the images after the block."""
        way = self.way(x)
        if self.projection is not None:
            return functional.relu(way + self.projection(x))
        if self.stride > 1:
            x = x[:, :, :: self.stride, :: self.stride]
        if self.n_more:
            before = self.n_more // 2
            x = functional.pad(x, (0, 0, 0, 0, before, self.n_more - before))
        return functional.relu(way + x)


def resnet(widths: tuple[int, ...], n_blocks: int, *, projection: bool) -> nn.Module:
    """Return a residual network for 32 × 32 images.

    After a 3 × 3 convolution, one stage of ``n_blocks`` blocks per width; each stage but the first
    begins by halving the image.
    """
    layers: list[nn.Module] = [Images(), *conv(3, widths[0]), nn.ReLU()]
    n_inputs = widths[0]
    for stage, width in enumerate(widths):
        for block in range(n_blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            layers.append(Block(n_inputs, width, stride, projection))
            n_inputs = width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return with_he_weights(nn.Sequential(*layers, Score(n_inputs)))


def narrow_resnet(n_layers: int) -> nn.Module:
    """Return He et al.'s network for CIFAR-10 with 6 n + 2 layers: 16, 32 and 64 channels."""
    return resnet((16, 32, 64), (n_layers - 2) // 6, projection=False)


def wide_resnet() -> nn.Module:
    """Return ResNet-18 as it is commonly adapted to CIFAR-10: 64 to 512 channels, no pooling."""
    return resnet((64, 128, 256, 512), 2, projection=True)


def with_he_weights(network: nn.Module) -> nn.Module:
    """Draw the weights of convolutions as He et al. do, which suits ReLU."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    return network
