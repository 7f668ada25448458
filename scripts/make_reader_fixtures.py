"""Writes the small files that the readers are tested against, as numpy, scipy, pandas and h5py write them.

    pip install numpy scipy pandas pyarrow h5py
    python scripts/make_reader_fixtures.py        # fills crates/consilience/tests/data

All hold the same numbers, so that one test can compare them: `A[i, j] = i + j / 4` (12 x 5), `B[i, j] = 10 i - j` (12 x 3) and the
labels 0 0 0 0 1 1 1 1 2 2 2 2.
"""

from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse

FOLDER = Path(__file__).parent.parent / "crates/consilience/tests/data"
FOLDER.mkdir(exist_ok=True)

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


for write in (npy, npz, text, matlab, matlab_v73, hdf5, parquet):
    write()
print(sum(path.stat().st_size for path in FOLDER.iterdir()), "bytes")
