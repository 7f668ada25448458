"""Three omics of the same patients, with the shape of the breast cancer set `breast_tcga150`, made up.

150 patients of three subtypes; mRNA (200 genes), miRNA (184) and proteomics (142). Each subtype moves a handful of
features up or down, each omic sees one subtype badly, and one in twenty patients is an outlier.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from consilience import SLRMF, Average, Single, metrics

OMICS = {"mrna": 200, "mirna": 184, "protein": 142}
SUBTYPES = ("basal", "her2", "luminal A")
SIZES = (45, 30, 75)


def make_patients(seed: int = 0) -> tuple[dict[str, pd.DataFrame], pd.Series]:
    """The tables, all with the patients as their index, and the subtypes."""
    rng = np.random.default_rng(seed)
    subtype = np.repeat(np.arange(3), SIZES)
    rng.shuffle(subtype)
    patients = [f"patient{number:03}" for number in range(len(subtype))]
    tables = {}
    for place, (omic, features) in enumerate(OMICS.items()):
        effect = np.zeros((3, features))
        for group in range(3):
            moved = rng.choice(features, size=features // 8, replace=False)
            strength = 0.4 if group == place else 1.6
            effect[group, moved] = strength * rng.choice([-1.0, 1.0], size=moved.size)
        # features are correlated in modules, as genes are
        modules = rng.normal(size=(len(subtype), 10)) @ rng.normal(size=(10, features)) * 0.25
        numbers = effect[subtype] + modules + rng.normal(size=(len(subtype), features))
        numbers[rng.choice(len(subtype), size=len(subtype) // 20, replace=False)] *= 2.5
        tables[omic] = pd.DataFrame(numbers, index=patients, columns=[f"{omic}{f}" for f in range(features)])
    return tables, pd.Series([SUBTYPES[group] for group in subtype], index=patients, name="subtype")


def main() -> None:
    tables, subtype = make_patients()
    print(f"{'method':14} {'ACC':>6} {'NMI':>6} {'ARI':>6}")
    rows = {f"{omic} alone": Single(n_clusters=3, view=omic, random_state=0) for omic in OMICS}
    for name, estimator in {**rows, "Average": Average(3, random_state=0), "SLRMF": SLRMF(3, random_state=0)}.items():
        scores = metrics.scores(subtype.to_numpy(), estimator.fit_predict(tables))
        print(f"{name:14} {100 * scores['accuracy']:6.1f} {100 * scores['nmi']:6.1f} {100 * scores['ari']:6.1f}")

    clusters = pd.Series(estimator.labels_, index=subtype.index, name="cluster")
    print(pd.crosstab(subtype, clusters))
    weights = pd.Series(estimator.view_weights_, index=estimator.view_names_, name="weight")
    print(weights.round(3).to_string())


if __name__ == "__main__":
    main()
