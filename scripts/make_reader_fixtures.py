"""Writes the small files that the readers are tested against, as numpy, scipy, pandas, h5py, anndata and mudata write them.

    pip install numpy scipy pandas pyarrow h5py anndata==0.12.19 mudata==0.3.10 zstandard
    python scripts/make_reader_fixtures.py                  # makes crates/consilience-io/tests/files.zip
    python scripts/make_reader_fixtures.py anndata mudata   # only these parts of it; the others stay as they are

All hold the same numbers, so that one test can compare them: `A[i, j] = i + j / 4` (12 x 5), `B[i, j] = 10 i - j` (12 x 3) and the
labels 0 0 0 0 1 1 1 1 2 2 2 2.
"""

import decimal
import gzip
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import anndata as ad
import h5py
import mudata as md
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse
import zstandard

ARCHIVE = Path(__file__).parent.parent / "crates/consilience-io/tests/files.zip"
FOLDER = Path(tempfile.mkdtemp())

n = 12
A = np.add.outer(np.arange(n), np.arange(5) / 4)
B = np.subtract.outer(10.0 * np.arange(n), np.arange(3))
labels = np.repeat([0, 1, 2], 4)
S = np.where(np.add.outer(np.arange(n), np.arange(6)) % 4 == 0, 1.5 + np.arange(6), 0.0)
words = np.array(["cat", "dog", "owl"])[labels]


def cell_of(*members):
    """A MATLAB cell array of one row."""
    cell = np.empty((1, len(members)), dtype=object)
    for j, member in enumerate(members):
        cell[0, j] = member
    return cell


def npy():
    np.save(FOLDER / "a_f64.npy", A)
    np.save(FOLDER / "a_f32.npy", A.astype(np.float32))
    np.save(FOLDER / "a_fortran.npy", np.asfortranarray(A))
    np.save(FOLDER / "a_big_endian.npy", A.astype(">f8"))
    np.save(FOLDER / "a_half.npy", A.astype(np.float16))
    np.save(FOLDER / "b_int16.npy", B.astype(np.int16))
    np.save(FOLDER / "b_int64.npy", B.astype(np.int64))
    np.save(FOLDER / "s_bool.npy", S != 0)
    np.save(FOLDER / "truth.npy", labels[:, None])
    np.save(FOLDER / "one_dimension.npy", np.arange(4.0))


def npz():
    np.savez(FOLDER / "views.npz", a=A, b=B.astype(np.int32), labels=labels, note=np.float64(3), scale=np.ones(4))
    np.savez_compressed(FOLDER / "views_deflated.npz", a=A.astype(np.float32), b=np.asfortranarray(B), y=words)
    np.savez(FOLDER / "three_dimensions.npz", a=A, cube=np.zeros((2, 2, 2)))
    np.savez(FOLDER / "objects.npz", X=cell_of(A, B)[0])
    scipy.sparse.save_npz(FOLDER / "s_csr.npz", scipy.sparse.csr_matrix(S))
    scipy.sparse.save_npz(FOLDER / "s_csc.npz", scipy.sparse.csc_matrix(S.astype(np.float32)), compressed=False)
    scipy.sparse.save_npz(FOLDER / "s_coo.npz", scipy.sparse.coo_matrix(S))


def text():
    frame = pd.DataFrame(A, columns=[f"f{j}" for j in range(5)])
    frame.to_csv(FOLDER / "index.csv")
    pd.DataFrame(A).to_csv(FOLDER / "numbered.csv")
    frame.assign(label=words).to_csv(FOLDER / "labelled.csv", index=False)
    frame.assign(sample=[f"s,{i}" for i in range(n)]).to_csv(FOLDER / "quoted_ids.csv", index=False)
    frame.set_index(pd.Index([f"g{i}" for i in range(n)], name="gene")).to_csv(FOLDER / "genes.tsv", sep="\t")
    np.savetxt(FOLDER / "blanks.txt", A, fmt="%8.2f")
    crlf = frame.to_csv(index=False, sep=";", lineterminator="\r\n")
    (FOLDER / "bom_crlf.csv").write_bytes(b"\xef\xbb\xbf" + crlf.encode())
    frame.mask(frame > 11.8).to_csv(FOLDER / "missing.csv", index=False, na_rep="NA")


def matlab():
    cell = cell_of(A, B)
    names = cell_of("shape", "color")
    scipy.io.savemat(FOLDER / "cell.mat", {"X": cell, "gt": labels[:, None].astype(np.uint8), "c": 3})
    scipy.io.savemat(FOLDER / "cell_deflated.mat", {"X": cell, "Y": labels, "view_names": names}, do_compression=True)
    turned = cell_of(A.T, B.T.astype(np.int8))
    scipy.io.savemat(FOLDER / "turned.mat", {"data": turned})
    scipy.io.savemat(FOLDER / "plain.mat", {"a": A.astype(np.float32), "s": scipy.sparse.csc_matrix(S), "gnd": labels, "n": 12})
    scipy.io.savemat(FOLDER / "struct.mat", {"set": {"fea": cell, "gnd": labels[None, :]}, "title": "digits"})
    scipy.io.savemat(FOLDER / "words.mat", {"a": A, "label": cell_of(*words).T})


def matlab_v73():
    """As MATLAB lays it out: 512 bytes of header, dimensions in reverse, cells as references into #refs#."""
    with h5py.File(FOLDER / "cell_v73.mat", "w", userblock_size=512) as file:
        refs = file.create_group("#refs#")
        members = []
        for name, view in (("a", A), ("b", B)):
            member = refs.create_dataset(name, data=view.T, compression="gzip")
            member.attrs["MATLAB_class"] = np.bytes_("double")
            members.append(member.ref)
        cell = file.create_dataset("X", data=np.array([members], dtype=h5py.ref_dtype).T)
        cell.attrs["MATLAB_class"] = np.bytes_("cell")
        gt = file.create_dataset("gt", data=labels[None, :].astype(np.float64))
        gt.attrs["MATLAB_class"] = np.bytes_("double")
        csc = scipy.sparse.csc_matrix(S)
        sparse = file.create_group("s")
        sparse.attrs["MATLAB_class"] = np.bytes_("double")
        sparse.attrs["MATLAB_sparse"] = np.uint64(n)
        sparse.create_dataset("data", data=csc.data)
        sparse.create_dataset("ir", data=csc.indices.astype(np.uint64))
        sparse.create_dataset("jc", data=csc.indptr.astype(np.uint64))
        char = file.create_dataset("title", data=np.array([[ord(c)] for c in "digits"], dtype=np.uint16))
        char.attrs["MATLAB_class"] = np.bytes_("char")
    with open(FOLDER / "cell_v73.mat", "r+b") as file:
        header = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Sun Nov 15 00:00:00 2026 HDF5 schema 1.00 ."
        file.write(header.ljust(124) + b"\x00\x02IM")


def hdf5():
    with h5py.File(FOLDER / "plain.h5", "w") as file:
        file["a"] = A
        file.create_dataset("deep/b", data=B.astype(np.float32), chunks=(4, 3), compression="gzip", shuffle=True)
        file["labels"] = labels
        file["flags"] = S != 0
    with h5py.File(FOLDER / "chunked_v110.h5", "w", libver=("v110", "v110")) as file:
        file.create_dataset("a", data=A, chunks=(5, 2), maxshape=(None, 5), compression="gzip")
        file.create_dataset("truth", data=[str(word) for word in words])  # strings of any length


def parquet():
    frame = pd.DataFrame(A, columns=[f"f{j}" for j in range(5)])
    frame["f0"] = frame["f0"].astype(np.float32)
    frame["count"] = np.arange(n) % 3
    frame["flag"] = np.arange(n) % 2 == 0
    frame.insert(0, "sample_id", [f"s{i}" for i in range(n)])
    frame["label"] = words
    frame.to_parquet(FOLDER / "table_snappy.parquet", compression="snappy", index=False)
    frame.to_parquet(FOLDER / "table_zstd.parquet", compression="zstd", index=False, row_group_size=5)
    holes = pd.DataFrame(A, columns=list("abcde")).mask(A > 11.8)
    holes.to_parquet(FOLDER / "holes.parquet", compression="gzip")


def integers():
    """Values that a double would round: 2^53 and its neighbours, and the largest of 64 bits."""
    long = np.array([2**53, 2**53 + 1, 2**53, 2**53 + 1] * 3)
    np.save(FOLDER / "truth_long.npy", long)
    np.savez(FOLDER / "long.npz", a=A, labels=long.astype(np.uint64) + 2**63)
    scipy.io.savemat(FOLDER / "long.mat", {"a": A, "gt": long[:, None]})
    with h5py.File(FOLDER / "long.h5", "w") as file:
        file["a"] = A
        file["labels"] = long.astype(np.uint64) + 2**63
    np.savez(FOLDER / "xy.npz", X=A, Y=B + 0.5, Z=labels)
    np.savez(FOLDER / "one_hot.npz", X=A, Y=np.eye(3)[labels])
    np.savez(FOLDER / "labels_twice.npz", X=A, labels=labels, Y=np.eye(3)[labels])
    np.savez(FOLDER / "counts_called_y.npz", X=A, labels=labels, y=np.arange(24.0).reshape(12, 2))


def parquet_types():
    plain = np.arange(n)
    columns = {
        "u8": plain.astype(np.uint8) + 200,
        "u32": plain.astype(np.uint32) + (2**32 - 12),
        "u64": plain.astype(np.uint64) + 2**40,
        "i64": plain - 5,
        "dec32": [decimal.Decimal(int(i)) / 4 - 1 for i in plain],
        "dec128": [decimal.Decimal("1e20") + int(i) for i in plain],
        "half": (plain / 4).astype(np.float16),
    }
    table = pa.table(columns)
    table = table.set_column(4, "dec32", table["dec32"].cast(pa.decimal128(9, 2)))
    table = table.set_column(5, "dec128", table["dec128"].cast(pa.decimal128(38, 3)))
    for codec in ("brotli", "lz4"):
        pq.write_table(table, FOLDER / f"types_{codec}.parquet", compression=codec)
    pq.write_table(table, FOLDER / "types_plain.parquet", compression="none", use_dictionary=False, store_decimal_as_integer=True)
    long = pa.array([2**63 + 1, 2**63 + 2] * 6, pa.uint64())
    pq.write_table(pa.table({"a": A[:, 1], "label": long}), FOLDER / "long.parquet")
    pq.write_table(pa.table({"a": A[:, 1], "hash": long}), FOLDER / "long_feature.parquet")
    days = pd.date_range("2024-01-01", periods=n)
    pq.write_table(pa.table({"a": A[:, 1], "when": days}), FOLDER / "times.parquet")
    pq.write_table(pa.table({"a": A[:, 1], "day": pa.array(days.date)}), FOLDER / "dates.parquet")


def packed():
    frame = pd.DataFrame(A, columns=[f"f{j}" for j in range(5)])
    plain = frame.to_csv(index=False).encode()
    (FOLDER / "packed.csv.gz").write_bytes(gzip.compress(plain, mtime=0))
    half = len(plain) // 2
    members = gzip.compress(plain[:half], mtime=0) + gzip.compress(plain[half:], mtime=0)
    (FOLDER / "members.csv.gz").write_bytes(members)
    (FOLDER / "packed.tsv.gz").write_bytes(gzip.compress(frame.to_csv(index=False, sep="\t").encode(), mtime=0))
    (FOLDER / "packed.csv.zst").write_bytes(zstandard.compress(plain))


def dialects():
    frame = pd.DataFrame(A, columns=[f"f{j}" for j in range(5)])
    frame.to_csv(FOLDER / "comma.csv", sep=";", decimal=",", index=False)
    frame.to_csv(FOLDER / "comma.tsv", sep="\t", decimal=",", index=False)
    plain = frame.to_csv(index=False)
    (FOLDER / "comments.csv").write_text("# made by hand, of course\n#\n" + plain.replace("\n5.0", "\n# half of it\n5.0", 1))
    np.savetxt(FOLDER / "savetxt.csv", A, delimiter=",", header="f0,f1,f2,f3,f4")
    (FOLDER / "matlab_comments.txt").write_text("% written by MATLAB\n" + "\n".join(" ".join(map(str, row)) for row in A) + "\n")
    for name in ("utf-16-le", "utf-16-be"):
        (FOLDER / f"{name}.csv").write_bytes(("\ufeff" + plain.replace("f0", "höhe")).encode(name))
    lines = frame.assign(sample=[f"line one\n# line two, of {i}" for i in range(n)])
    lines[["sample", *frame.columns]].to_csv(FOLDER / "multi_line.csv", index=False)


def anndata():
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical(words, categories=["owl", "cat", "dog", "emu"]),
            "batch": labels,
            "word": words,
            "depth": A[:, 1],
            "flag": pd.array([i % 2 == 0 for i in range(n)], dtype="boolean"),
            "partly": pd.Categorical([None, *words[1:]]),
        },
        index=[f"cell{i}" for i in range(n)],
    )
    genes = pd.DataFrame(index=[f"gene{j}" for j in range(6)])
    cells = ad.AnnData(X=scipy.sparse.csr_matrix(S), obs=obs, var=genes)
    cells.obsm["X_pca"] = A
    cells.obsm["protein"] = pd.DataFrame(B, columns=list("pqr"), index=obs.index)
    cells.layers["counts"] = scipy.sparse.csc_matrix(S.astype(np.float32))
    cells.layers["dense"] = S.astype(np.int64)
    cells.uns["note"] = "ignored"
    cells.obsp["distances"] = scipy.sparse.csr_matrix(np.eye(n))
    cells.write_h5ad(FOLDER / "cells.h5ad")
    cells.write_h5ad(FOLDER / "cells_gzip.h5ad", compression="gzip")
    ad.AnnData(obs=obs[["batch"]], obsm={"X_pca": A}).write_h5ad(FOLDER / "no_x.h5ad")


def anndata_of_2020():
    """The layout of anndata 0.7 and, for the sparse matrix, 0.6: no encodings, categories beside the columns."""
    with h5py.File(FOLDER / "old.h5ad", "w") as file:
        csr = scipy.sparse.csr_matrix(S)
        x = file.create_group("X")
        x.attrs["h5sparse_format"] = "csr"
        x.attrs["h5sparse_shape"] = np.array(S.shape)
        for part in ("data", "indices", "indptr"):
            x[part] = getattr(csr, part)
        obs = file.create_group("obs")
        obs.attrs["_index"] = "index"
        obs.attrs["column-order"] = ["labels"]
        obs["index"] = [f"cell{i}" for i in range(n)]
        obs["labels"] = labels.astype(np.int8)
        obs["__categories/labels"] = ["cat", "dog", "owl"]
        var = file.create_group("var")
        var.attrs["_index"] = "index"
        var["index"] = [f"gene{j}" for j in range(6)]
        file["obsm/X_pca"] = A


def mudata():
    names = [f"cell{i}" for i in range(n)]
    rna = ad.AnnData(X=scipy.sparse.csr_matrix(S), obs=pd.DataFrame(index=names))
    rna.obsm["X_pca"] = A
    # the same cells in another order, as a second instrument would give them
    turned = np.arange(n)[::-1]
    prot = ad.AnnData(X=B[turned].astype(np.float32), obs=pd.DataFrame({"batch": labels[turned]}, index=np.array(names)[turned]))
    cells = md.MuData({"rna": rna, "prot": prot})
    cells.obs["cell_type"] = pd.Categorical(words)
    cells.write_h5mu(FOLDER / "cells.h5mu")
    md.MuData({"rna": rna, "prot": prot[:9].copy()}).write_h5mu(FOLDER / "partial.h5mu")


PARTS = [npy, npz, text, matlab, matlab_v73, hdf5, parquet, integers, parquet_types, packed, dialects, anndata, anndata_of_2020, mudata]


def pack():
    """All files into the archive, the same bytes for the same files."""
    with zipfile.ZipFile(ARCHIVE, "w") as archive:
        for path in sorted(FOLDER.iterdir()):
            member = zipfile.ZipInfo(path.name)
            archive.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    print(ARCHIVE.stat().st_size, "bytes")


if __name__ == "__main__":
    if ARCHIVE.exists():
        zipfile.ZipFile(ARCHIVE).extractall(FOLDER)
    for write in PARTS:
        if len(sys.argv) == 1 or write.__name__ in sys.argv[1:]:
            write()
    pack()
    shutil.rmtree(FOLDER)
