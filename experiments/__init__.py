"""The paper's experiments, on the public API alone: see README.md beside this file."""
