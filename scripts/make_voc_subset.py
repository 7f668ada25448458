"""Draws the 5600 of 6976 VOC images that experiments/paper.toml uses: the paper keeps 5600 and does not say which.

    python3 scripts/make_voc_subset.py ../shared/data/voc2012_single.npz experiments/voc-5600.npy

Stratified: each class keeps its share (largest remainders), drawn without replacement with a fixed seed.
"""

import sys

import numpy as np

WANTED, SEED = 5600, 0
labels = np.load(sys.argv[1])["labels"]
counts = np.bincount(labels)
exact = counts * WANTED / len(labels)
keep = exact.astype(int)
for place in np.argsort(keep - exact, kind="stable")[: WANTED - keep.sum()]:
    keep[place] += 1
generator = np.random.Generator(np.random.PCG64(SEED))
chosen = [generator.choice(np.flatnonzero(labels == c), keep[c], replace=False) for c in range(len(counts))]
np.save(sys.argv[2], np.sort(np.concatenate(chosen)).astype(np.uint16))
