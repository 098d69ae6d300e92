"""nnPU beside uPU on MNIST, even digits against odd: the experiment that nnPU was shown by.

    ADAPU_DATA=folder python benchmarks/mnist_nnpu.py

The setting of Kiryo et al. (2017): 1,000 labeled even digits, U all 60,000 training images without
labels, a perceptron 784-300-300-300-300-1 with batch norm, sigmoid loss, β = 0, γ = 1, Adam with
step 0.001 and weight decay 0.005, mini-batches of 30,000 rows, pixels divided by 255. Writes
results/mnist_nnpu.md.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from adapu.datasets import load_tabular, make_pu
from adapu.neural import NeuralPUClassifier

RESULTS = Path(__file__).parent / "results"
SETTING = {
    "n_hidden_layers": 4,
    "standardize": False,
    "learning_rate": 1e-3,
    "weight_decay": 0.005,
    "batch_size": 30_000,
}
TITLES = {"nnpu": "nnPU", "upu": "uPU"}
SHOWN = (1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=RESULTS / "mnist_nnpu.md")
    options = parser.parse_args()
    if "ADAPU_DATA" not in os.environ:
        parser.error("ADAPU_DATA must name the folder of the data sets; it is not set.")
    start = time.perf_counter()
    fits = [(loss, seed) for seed in range(options.seeds) for loss in TITLES]
    curves = {loss: [] for loss in TITLES}
    for loss, seed in tqdm(fits, "MNIST", unit="fit"):
        curves[loss].append(errors_by_epoch(loss, seed, options))
    minutes = (time.perf_counter() - start) / 60
    options.out.write_text(page({k: np.array(v) for k, v in curves.items()}, options, minutes))
    print(options.out.read_text())


def errors_by_epoch(loss, seed, options):
    """Test error, training error on U's true labels, PU loss and risk after each epoch."""
    data = load_tabular("mnist")
    X_test = data.X_test / np.float32(255)
    X_pu, s = make_pu(data.X_train / np.float32(255), data.y_train, 1000, random_state=seed)
    curve = []

    def look(model, epoch):
        history = model.history_[-1]
        training_error = ((model.training_scores_[s == 0] > 0) != data.y_train).mean()
        curve.append(
            (
                1 - model.score(X_test, data.y_test),
                training_error,
                history["zero_one_loss"],
                history["risk"],
            )
        )

    NeuralPUClassifier(
        data.prior,
        loss=loss,
        n_epochs=options.epochs,
        device=options.device,
        random_state=seed,
        verbose=1,
        **SETTING,
    ).fit(X_pu, s, on_epoch=look)
    return curve


def page(curves, options, minutes):
    """The Markdown page, given (seed, epoch, measure) of each loss."""
    on_gpu = options.device == "cuda" or (options.device == "auto" and torch.cuda.is_available())
    lines = [
        "# nnPU beside uPU: MNIST, even against odd",
        "",
        f"`python benchmarks/mnist_nnpu.py --seeds {options.seeds} --epochs {options.epochs}` made "
        f"this page in {minutes:.0f} minutes on a {'GPU' if on_gpu else 'CPU'} (PyTorch "
        f"{torch.__version__}).",
        "",
        *__doc__.partition("python benchmarks/mnist_nnpu.py\n")[2].strip().splitlines()[:-1],
        "mean (standard deviation) over the seeds. True labels are seen by this table alone.",
    ]
    for number, title in enumerate(
        ("Test error", "Error on U's true labels", "PU loss (0-1) on the training rows", "Risk")
    ):
        lines += ["", f"## {title}", "", "| epoch | nnPU | uPU |", "| ---: | ---: | ---: |"]
        for epoch in (e for e in SHOWN if e <= options.epochs):
            values = [curves[loss][:, epoch - 1, number] for loss in TITLES]
            cells = " | ".join(f"{v.mean():.3f} ({v.std():.3f})" for v in values)
            lines.append(f"| {epoch} | {cells} |")
        if number == 0:
            best = [curves[loss][:, :, 0].min(axis=1) for loss in TITLES]
            cells = " | ".join(f"{v.mean():.3f} ({v.std():.3f})" for v in best)
            lines.append(f"| the best | {cells} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
