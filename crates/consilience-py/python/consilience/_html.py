"""What a notebook shows below scikit-learn's own picture of an estimator: the views and what the fit found."""

from __future__ import annotations

from html import escape
from typing import Any


def fit_table(estimator: Any) -> str:
    """Empty before `fit`."""
    if not hasattr(estimator, "labels_"):
        return ""
    rows = [
        (escape(name), str(width), f"{weight:.3f}")
        for name, width, weight in zip(estimator.view_names_, estimator.view_widths_, estimator.view_weights_)
    ]
    sizes = ", ".join(str(int((estimator.labels_ == label).sum())) for label in range(estimator.labels_.max() + 1))
    # an estimator that was loaded from a model does not know how its fit went
    spent = (
        f" in {estimator.seconds_['total']:.2f} s; {escape(estimator.stop_reason_)}, {estimator.n_iter_} iterations"
        if hasattr(estimator, "seconds_")
        else ""
    )
    return (
        f"<table><caption>{estimator.labels_.size} samples{spent}; cluster sizes {sizes}</caption>"
        f"{_row('th', ('view', 'features', 'weight'))}{''.join(_row('td', row) for row in rows)}</table>"
    )


def _row(cell: str, texts: Any) -> str:
    return "<tr>" + "".join(f"<{cell}>{text}</{cell}>" for text in texts) + "</tr>"
