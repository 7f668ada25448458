"""Files as the packages of today write them, read back by ours."""

from __future__ import annotations

import gzip
import os
import threading

import anndata
import h5py
import mudata
import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse as sp

import consilience

N = 30


@pytest.fixture
def numbers():
    rng = np.random.default_rng(3)
    return rng.normal(size=(N, 5)), rng.normal(size=(N, 3)), rng.poisson(0.5, size=(N, 8)).astype(np.float32)


@pytest.fixture
def names():
    return [f"cell{i}" for i in range(N)]


def obs(names):
    kinds = pd.Categorical(np.array(["T", "B", "NK"])[np.arange(N) % 3], categories=["NK", "T", "B", "none"])
    return pd.DataFrame({"kind": kinds, "batch": np.arange(N) % 2}, index=names)


@pytest.mark.parametrize("sparse", [sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("compression", [None, "gzip", "lzf"])
def test_h5ad(tmp_path, numbers, names, sparse, compression):
    a, b, counts = numbers
    cells = anndata.AnnData(X=sparse(counts), obs=obs(names))
    cells.obsm["X_pca"] = a
    cells.obsm["protein"] = pd.DataFrame(b, columns=list("pqr"), index=names)
    cells.layers["raw"] = sparse(counts * 2)
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path, compression=compression)

    loaded = consilience.read(path)
    assert list(loaded.views) == ["cells"] and sp.issparse(loaded.views["cells"])
    np.testing.assert_array_equal(loaded.views["cells"].toarray(), counts)
    assert list(loaded.ids) == names and loaded.target is None
    chosen = consilience.read(path, views=["X_pca", "cells:protein", "raw"], label_column="kind")
    np.testing.assert_array_equal(chosen.views["X_pca"], a)
    np.testing.assert_array_equal(chosen.views["cells:protein"], b)
    np.testing.assert_array_equal(chosen.views["raw"].toarray(), counts * 2)
    assert chosen.feature_names["cells:protein"] == ["p", "q", "r"]
    assert list(chosen.target_names[chosen.target]) == list(cells.obs["kind"])
    with pytest.raises(ValueError, match="no column `typo`: its columns are kind, batch"):
        consilience.read(path, label_column="typo")
    with pytest.raises(ValueError, match="X_umap"):
        consilience.read(path, views=["X_umap"])


def test_h5mu(tmp_path, numbers, names):
    a, b, counts = numbers
    order = np.random.default_rng(0).permutation(N)
    rna = anndata.AnnData(X=sp.csr_matrix(counts), obs=pd.DataFrame(index=names))
    rna.obsm["X_pca"] = a
    prot = anndata.AnnData(X=b[order], obs=pd.DataFrame(index=np.array(names)[order]))
    cells = mudata.MuData({"rna": rna, "prot": prot})
    cells.obs["kind"] = obs(names).loc[cells.obs_names, "kind"]
    path = tmp_path / "cells.h5mu"
    cells.write_h5mu(path)
    loaded = consilience.read(path, views=["rna:X_pca", "prot"], label_column="kind")
    rows = [names.index(name) for name in loaded.ids]
    np.testing.assert_array_equal(loaded.views["rna:X_pca"], a[rows])
    np.testing.assert_array_equal(loaded.views["prot"], b[rows])
    assert list(loaded.target_names[loaded.target]) == list(obs(names)["kind"].iloc[rows])


def test_packed_tables_and_integers(tmp_path, numbers):
    a = numbers[0]
    frame = pd.DataFrame(a, columns=list("vwxyz"))
    frame = frame.rename(columns={"y": "u"})
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    np.testing.assert_array_equal(consilience.read(tmp_path / "t.csv.gz").views["t"], a)
    (tmp_path / "t.npy.gz").write_bytes(gzip.compress(npy_bytes(a)))
    np.testing.assert_array_equal(consilience.read(tmp_path / "t.npy.gz").views["t"], a)
    long = np.array([2**63 + 1, 2**63 + 2] * (N // 2), dtype=np.uint64)
    np.savez(tmp_path / "long.npz", a=a, labels=long)
    loaded = consilience.read(tmp_path / "long.npz")
    assert [int(name) for name in loaded.target_names[loaded.target]] == long.tolist()


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("sign", ["int", "uint"])
def test_integers_of_every_format(tmp_path, bits, sign):
    kind = np.dtype(f"{sign}{bits}")
    info = np.iinfo(kind)
    matrix = np.array([[info.min, 0, 1], [info.max, 2, 3], [info.max - 1, 4, 5], [info.min, 6, 7]], dtype=kind)
    np.save(tmp_path / "a.npy", matrix)
    np.savez_compressed(tmp_path / "b.npz", b=matrix.astype(kind.newbyteorder(">")))
    scipy.io.savemat(tmp_path / "c.mat", {"c": matrix})
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file["d"] = matrix
    with h5py.File(tmp_path / "e.h5", "w") as file:
        file.create_dataset("e", data=matrix.astype(kind.newbyteorder(">")), chunks=(2, 2), compression="gzip", shuffle=True)
    pyarrow.parquet.write_table(pyarrow.table(dict(zip("xuv", matrix.T))), tmp_path / "f.parquet")
    for name in ("a.npy", "b.npz", "c.mat", "d.h5", "e.h5", "f.parquet"):
        (read,) = consilience.read(tmp_path / name).views.values()
        np.testing.assert_array_equal(read, matrix.astype(np.float64), err_msg=name)


def npy_bytes(array):
    from io import BytesIO

    buffer = BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_fifo_is_read_whole(tmp_path, numbers):
    a, fifo = numbers[0], tmp_path / "t"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(npy_bytes(a),))
    writer.start()
    np.testing.assert_array_equal(consilience.read(fifo).views["t"], a)
    writer.join()
