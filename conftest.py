"""Doctests of the neural networks need PyTorch, an extra; without it their modules are left out."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/adapu/neural/*"]
