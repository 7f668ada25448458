"""The paper's experiment in small: noise on a growing share of the entries, and who bears it."""

from __future__ import annotations

import warnings

import consilience
from consilience import MFMSC, SLRMF, metrics


def main() -> None:
    # the library warns about what this example does on purpose
    warnings.simplefilter("ignore", UserWarning)
    views, truth = consilience.datasets.load_digits(return_X_y=True)
    # a fifth of the digits is enough to see it
    views, truth = {name: view[::5] for name, view in views.items()}, truth[::5]
    print(f"{'noise':>6} {'SLRMF':>7} {'MFMSC':>7}   (ACC, in %)")
    for share in (0.0, 0.1, 0.2, 0.3):
        noisy = consilience.corrupt(views, share, scale="zscore", random_state=1)
        row = []
        for method in (SLRMF, MFMSC):
            estimator = method(n_clusters=10, scale="none", random_state=0).fit(noisy)
            row.append(100 * metrics.accuracy(truth, estimator.labels_))
        print(f"{100 * share:5.0f}% {row[0]:7.1f} {row[1]:7.1f}")

    found = SLRMF(n_clusters=10, scale="none", random_state=0).fit(noisy).corruption_
    for view, corruption in found.items():
        print(f"corruption found in {view}: {100 * corruption['share']:.1f} % of the entries")


if __name__ == "__main__":
    main()
