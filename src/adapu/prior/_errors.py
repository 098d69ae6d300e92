"""What tells rows that no prior can be estimated from apart from wrong input."""

from __future__ import annotations


class NotEstimableError(ValueError):
    """The input is as it should be, but these rows say nothing about the prior."""
