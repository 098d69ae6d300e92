"""CIFAR-10's 3,072 features: an all-convolutional net, trained once, applied on any CPU.

    python experiments/cifar10_features.py compute            # images → features, cached; minutes
    python experiments/cifar10_features.py train --device cuda   # made the weights; once, on a GPU

The net is All-CNN-C of Springenberg et al. (2015), with batch norm, trained on the ten classes of
CIFAR-10's training images. Its 192 channels of 8 × 8, averaged to 4 × 4, are the features. Batch
norm is folded into the convolutions, so what is kept, as float16, are plain convolutions.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from tqdm import tqdm

from adapu.datasets import load_cifar10

HERE = Path(__file__).parent
WEIGHTS = HERE / "all_conv_cifar10.npz"
CACHE = HERE / "cache"

# channels, size of the kernel, stride; a ReLU follows each
LAYERS = (
    *((96, 3, 1), (96, 3, 1), (96, 3, 2)),
    *((192, 3, 1), (192, 3, 1), (192, 3, 2)),
    *((192, 3, 1), (192, 1, 1)),
)
POOLED = 4  # 192 × 4 × 4 = 3,072


def features(images: torch.Tensor, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    """Return the 3,072 features of standardised images."""
    x = images
    for i, (_, size, stride) in enumerate(LAYERS):
        x = F.conv2d(x, weights[f"w{i}"], weights[f"b{i}"], stride, padding=size // 2).relu()
    return F.adaptive_avg_pool2d(x, POOLED).flatten(1)


def cifar10_features(
    data_dir: str | None = None, cache: Path = CACHE, device: str = "cpu", batch: int = 250
) -> Path:
    """The file with the features of all images, made when it is missing.

    The file is what ``load_cifar10(features=...)`` reads. Its name holds a digest of the weights.
    """
    digest = hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()[:8]
    path = cache / f"cifar10_features_{digest}.npz"
    if path.is_file():
        return path
    data = load_cifar10(data_dir, binary=False)
    with np.load(WEIGHTS) as arrays:
        mean, std = arrays["mean"], arrays["std"]
        weights = {
            name: torch.from_numpy(array.astype(np.float32)).to(device)
            for name, array in arrays.items()
        }
    found = {"classes_train": data.y_train, "classes_test": data.y_test}
    for part, X in (("train", data.X_train), ("test", data.X_test)):
        rows = np.empty((len(X), LAYERS[-1][0] * POOLED**2), np.float32)
        for start in tqdm(range(0, len(X), batch), f"features of {part} images", unit="batch"):
            some = standardised(X[start : start + batch], mean, std)
            # in full float32, so that a GPU gives the features that a CPU gives
            with torch.inference_mode(), torch.backends.cudnn.flags(allow_tf32=False):
                found_here = features(torch.from_numpy(some).to(device), weights)
            rows[start : start + batch] = found_here.cpu().numpy()
        found[f"X_{part}"] = rows
    cache.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.tmp.npz")
    np.savez(unfinished, **found)
    unfinished.replace(path)
    return path


def standardised(X: np.ndarray, mean: np.ndarray, std: np.ndarray) -> np.ndarray:
    """Return images as float32, each colour standardised."""
    images = X.reshape(-1, 3, 32, 32).astype(np.float32) / 255
    return ((images - mean[:, None, None]) / std[:, None, None]).astype(np.float32)


class AllConv(nn.Module):
    """All-CNN-C with batch norm and padding everywhere, for training."""

    def __init__(self) -> None:
        super().__init__()
        channels = (3, *(c for c, _, _ in LAYERS))
        self.convolutions = nn.ModuleList(
            nn.Conv2d(before, c, size, stride, size // 2, bias=False)
            for before, (c, size, stride) in zip(channels, LAYERS, strict=False)
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(c) for c, _, _ in LAYERS)
        self.head = nn.Conv2d(channels[-1], 10, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            x = norm(convolution(x)).relu()
            if LAYERS[i][2] == 2:  # as in that paper, after each layer that takes pooling's place
                x = F.dropout(x, 0.3, self.training)
        return self.head(x).mean(dim=(2, 3))

    def folded(self) -> dict[str, np.ndarray]:
        """Return plain convolutions that do what those and the norms after them do."""
        weights = {}
        for i, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            w = convolution.weight * factor[:, None, None, None]
            weights[f"w{i}"], weights[f"b{i}"] = w, norm.bias - norm.running_mean * factor
        return {k: v.detach().cpu().numpy().astype(np.float16) for k, v in weights.items()}


def train(data_dir: str | None, device: str, epochs: int, seed: int, out: Path) -> None:
    """Train on the ten classes and keep the folded weights."""
    torch.manual_seed(seed)
    data = load_cifar10(data_dir, binary=False)
    pixels = data.X_train.reshape(-1, 3, 32 * 32) / 255
    mean, std = pixels.mean(axis=(0, 2)), pixels.std(axis=(0, 2))
    X, X_test = (
        torch.from_numpy(standardised(part, mean, std)).to(device)
        for part in (data.X_train, data.X_test)
    )
    y, y_test = (torch.from_numpy(part).to(device) for part in (data.y_train, data.y_test))
    net = AllConv().to(device, memory_format=torch.channels_last)
    batch = 250
    optimizer = torch.optim.SGD(
        net.parameters(), 0.1, momentum=0.9, weight_decay=5e-4, nesterov=True
    )
    n_steps = epochs * (len(X) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.2, n_steps, pct_start=0.2)
    for epoch in range(epochs):
        net.train()
        for rows in torch.randperm(len(X), device=device).split(batch):
            images = augmented(X[rows]).contiguous(memory_format=torch.channels_last)
            with torch.autocast(device, torch.bfloat16):
                loss = F.cross_entropy(net(images), y[rows], label_smoothing=0.1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
        if epoch % 5 == 4 or epoch == epochs - 1:
            print(f"epoch {epoch + 1}: test accuracy {accuracy(net, X_test, y_test):.4f}")
    print(f"training accuracy {accuracy(net, X, y):.4f}")
    arrays = net.folded() | {"mean": mean.astype(np.float32), "std": std.astype(np.float32)}
    np.savez_compressed(out, **arrays)


def augmented(images: torch.Tensor) -> torch.Tensor:
    """Return images moved by up to four pixels, half of them mirrored."""
    n, device = len(images), images.device
    padded = F.pad(images, (4, 4, 4, 4))
    top, left = torch.randint(0, 9, (2, n, 1, 1, 1), device=device)
    every = torch.arange(32, device=device)
    columns = every.expand(n, 1, 1, 32)
    columns = torch.where(torch.rand(n, 1, 1, 1, device=device) < 0.5, columns, 31 - columns)
    row = torch.arange(n, device=device).view(n, 1, 1, 1)
    channel = torch.arange(3, device=device).view(1, 3, 1, 1)
    return padded[row, channel, every.view(1, 1, 32, 1) + top, columns + left]


@torch.inference_mode()
def accuracy(net: AllConv, X: torch.Tensor, y: torch.Tensor) -> float:
    net.eval()
    right = sum(
        (net(images).argmax(1) == classes).sum()
        for images, classes in zip(X.split(1000), y.split(1000), strict=True)
    )
    return float(right) / len(y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["compute", "train"])
    parser.add_argument("--data", help="folder of CIFAR-10; otherwise ADAPU_DATA names it")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="where training puts them")
    options = parser.parse_args()
    if options.what == "train":
        train(options.data, options.device, options.epochs, options.seed, options.weights)
        print(options.weights)
    else:
        print(cifar10_features(options.data, device=options.device))


if __name__ == "__main__":
    main()
