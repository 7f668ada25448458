"""The names of the estimators. Made by scripts/generate_python.py from the registry: change that, not this."""

from __future__ import annotations

ESTIMATORS = (
    "SLRMF",
    "SLRMFADMM",
    "MFMSC",
    "MAASC",
    "CCAMSC",
    "CoMVSC",
    "CoTraining",
    "RLRR",
    "LRRGL",
    "SNF",
    "Average",
    "KMeans",
    "Single",
)
