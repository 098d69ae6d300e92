"""The device that networks run on, and its random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch


def find_device(name: str) -> Any:
    """Return torch's device for ``"cpu"``, ``"cuda"`` or ``"auto"``."""
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise ValueError(
            "device='cuda' needs a GPU that PyTorch can use, and there is none; device='auto' "
            "takes one where there is, device='cpu' none."
        )
    return torch.device("cuda" if available and name != "cpu" else "cpu")


@contextmanager
def seeded(device: Any, *seed: int) -> Iterator[None]:
    """Seed torch's generators inside the block, and give the caller theirs back after it."""
    state = int(np.random.SeedSequence(seed).generate_state(1)[0])
    on_gpu = device.type == "cuda"
    with torch.random.fork_rng(devices=[torch.cuda.current_device()] if on_gpu else []):
        torch.default_generator.manual_seed(state)
        if on_gpu:
            torch.cuda.manual_seed(state)
        yield


@contextmanager
def fastest_convolutions() -> Iterator[None]:
    """Let a GPU try its algorithms for convolutions and take the fastest."""
    before = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = True
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before


def autocast(device: Any, precision: str) -> Any:
    """Return the context in which layers compute in bfloat16, if that is the precision."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16")
