//! Every reader against files as numpy, scipy, pandas, h5py and MATLAB write them.
//! `scripts/make_reader_fixtures.py` made those in `tests/files.zip`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod fixtures;

use std::path::{Path, PathBuf};

use consilience::Views;
use consilience::matrix::Matrix;
use consilience_io::{Loaded, ReadOptions, read, read_labels, read_with};

use fixtures::{a, b, check, check_labels, entry, fixture, load, message, s};

#[test]
fn npy_of_every_kind() {
    check(&load("a_f64.npy").views[0], "a_f64", 5, "f64", a);
    check(&load("a_f32.npy").views[0], "a_f32", 5, "f32", a);
    check(&load("a_fortran.npy").views[0], "a_fortran", 5, "f64", a);
    check(&load("a_big_endian.npy").views[0], "a_big_endian", 5, "f64", a);
    check(&load("a_half.npy").views[0], "a_half", 5, "f32", a);
    check(&load("b_int16.npy").views[0], "b_int16", 3, "f32", b);
    check(&load("b_int64.npy").views[0], "b_int64", 3, "f64", b);
    check(&load("s_bool.npy").views[0], "s_bool", 6, "f32", |i, j| f64::from(u8::from(s(i, j) != 0.0)));
    assert!(message("one_dimension.npy").ends_with("holds an array of shape [4]; a view has 2 dimensions"));
}

/// A mapped file that somebody truncates would end the process.
#[test]
fn a_file_that_shrinks_after_it_was_read_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a_f64.npy");
    std::fs::copy(fixture("a_f64.npy"), &path).unwrap();
    let loaded = read(&path).unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
    check(&loaded.views[0], "a_f64", 5, "f64", a);
}

#[test]
fn npz_views_and_labels() {
    let loaded = load("views.npz");
    assert_eq!(loaded.views.len(), 2, "0-D and 1-D arrays are no views");
    check(&loaded.views[0], "a", 5, "f64", a);
    check(&loaded.views[1], "b", 3, "f64", b);
    check_labels(loaded.labels.as_ref(), &["0", "1", "2"]);
    let loaded = load("views_deflated.npz");
    check(&loaded.views[0], "a", 5, "f32", a);
    check(&loaded.views[1], "b", 3, "f64", b);
    check_labels(loaded.labels.as_ref(), &["cat", "dog", "owl"]);
    assert!(message("objects.npz").ends_with("neither a matrix (a 2-D array of numbers) nor labels; it holds `X` [2]"));
    assert!(message("three_dimensions.npz").ends_with("array `cube` has the shape [2, 2, 2]; a view has 2 dimensions"));
}

#[test]
fn scipy_sparse_is_one_view() {
    for (name, precision) in [("s_csr", "f64"), ("s_csc", "f32"), ("s_coo", "f64")] {
        let loaded = load(&format!("{name}.npz"));
        assert!(loaded.views.len() == 1 && loaded.views[0].data.is_sparse());
        check(&loaded.views[0], name, 6, precision, s);
    }
}

#[test]
fn text_tables() {
    let named: Vec<String> = (0..5).map(|j| format!("f{j}")).collect();
    for name in ["index", "bom_crlf", "labelled", "quoted_ids"] {
        let loaded = load(&format!("{name}.csv"));
        check(&loaded.views[0], name, 5, "f64", a);
        assert_eq!(loaded.views[0].features.as_ref(), Some(&named), "{name}");
    }
    check(&load("numbered.csv").views[0], "numbered", 5, "f64", a);
    check(&load("blanks.txt").views[0], "blanks", 5, "f64", a);
    assert_eq!(load("blanks.txt").views[0].features, None);
    let genes = load("genes.tsv");
    check(&genes.views[0], "genes", 5, "f64", a);
    assert_eq!(genes.ids.unwrap()[..2], ["g0", "g1"]);
    assert_eq!(load("quoted_ids.csv").ids.unwrap()[11], "s,11");
    assert_eq!(load("index.csv").ids.unwrap()[11], "11");
    check_labels(load("labelled.csv").labels.as_ref(), &["cat", "dog", "owl"]);
}

#[test]
fn missing_values_are_found_by_the_check_that_names_them() {
    for (name, column) in [("missing.csv", "f4"), ("holes.parquet", "e")] {
        let message = Views::new(load(name).views).unwrap_err().to_string();
        assert!(message.ends_with(&format!("the first is in row 12, column 5 (`{column}`)")), "{message}");
    }
}

#[test]
fn columns_can_be_named_by_the_caller() {
    let options =
        ReadOptions { id_column: Some("f0".into()), label_column: Some("2".into()), ..ReadOptions::default() };
    let loaded = read_with(&fixture("bom_crlf.csv"), &options).unwrap();
    assert_eq!(loaded.views[0].data.cols(), 3);
    assert_eq!(loaded.ids.unwrap()[1], "1");
    assert_eq!(loaded.labels.unwrap().names()[1], "1.25");
}

#[test]
fn matlab_v5() {
    let loaded = load("cell.mat");
    check(&loaded.views[0], "X1", 5, "f64", a);
    check(&loaded.views[1], "X2", 3, "f64", b);
    check_labels(loaded.labels.as_ref(), &["0", "1", "2"]);
    let named = load("cell_deflated.mat");
    check(&named.views[0], "shape", 5, "f64", a);
    check(&named.views[1], "color", 3, "f64", b);
    let turned = load("turned.mat");
    check(&turned.views[0], "data1", 5, "f64", a);
    check(&turned.views[1], "data2", 3, "f32", b);
    let plain = load("plain.mat");
    check(&plain.views[0], "a", 5, "f32", a);
    check(&plain.views[1], "s", 6, "f64", s);
    assert!(plain.views[1].data.is_sparse());
    let inside = load("struct.mat");
    check(&inside.views[1], "fea2", 3, "f64", b);
    for loaded in [named, plain, inside] {
        assert_eq!(loaded.views.len(), 2);
        check_labels(loaded.labels.as_ref(), &["0", "1", "2"]);
    }
    check_labels(load("words.mat").labels.as_ref(), &["cat", "dog", "owl"]);
}

#[test]
fn matlab_v73_and_plain_hdf5() {
    let loaded = load("cell_v73.mat");
    assert_eq!(loaded.views.len(), 3);
    check(&loaded.views[0], "X1", 5, "f64", a);
    check(&loaded.views[1], "X2", 3, "f64", b);
    check(&loaded.views[2], "s", 6, "f64", s);
    check_labels(loaded.labels.as_ref(), &["0", "1", "2"]);
    let plain = load("plain.h5");
    check(&plain.views[0], "a", 5, "f64", a);
    assert_eq!(plain.views[1].name, "flags");
    check(&plain.views[2], "deep/b", 3, "f32", b);
    check_labels(plain.labels.as_ref(), &["0", "1", "2"]);
    let latest = load("chunked_v110.h5");
    check(&latest.views[0], "a", 5, "f64", a);
    check_labels(latest.labels.as_ref(), &["cat", "dog", "owl"]);
}

#[test]
fn parquet_tables() {
    for name in ["table_snappy", "table_zstd"] {
        let loaded = load(&format!("{name}.parquet"));
        let view = &loaded.views[0];
        assert_eq!((view.name.as_str(), view.data.rows(), view.data.cols()), (name, 12, 7));
        assert!((0..12).all(|i| (0..5).all(|j| entry(view, i, j) == a(i, j))));
        assert!((0..12).all(|i| entry(view, i, 5) == (i % 3) as f64 && entry(view, i, 6) == ((i + 1) % 2) as f64));
        assert_eq!(view.features.as_ref().unwrap()[4..], ["f4", "count", "flag"]);
        assert_eq!(loaded.ids.unwrap()[11], "s11");
        check_labels(loaded.labels.as_ref(), &["cat", "dog", "owl"]);
    }
    let holes = load("holes.parquet");
    assert!(entry(&holes.views[0], 11, 4).is_nan() && entry(&holes.views[0], 11, 0) == 11.0);
}

#[test]
fn labels_from_everywhere() {
    for name in ["truth.npy", "views.npz", "cell.mat", "cell_v73.mat", "plain.h5"] {
        check_labels(Some(&read_labels(&fixture(name)).unwrap()), &["0", "1", "2"]);
    }
    for name in ["labelled.csv", "table_zstd.parquet", "words.mat", "views_deflated.npz"] {
        check_labels(Some(&read_labels(&fixture(name)).unwrap()), &["cat", "dog", "owl"]);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("truth.txt");
    let labels = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read_labels(&path).map(|labels| (labels.codes().to_vec(), labels.names().join("|")))
    };
    assert_eq!(labels("2\n1\n2\n").unwrap(), (vec![1, 0, 1], "1|2".into()));
    assert_eq!(labels("class\n2\n1").unwrap(), (vec![1, 0], "1|2".into()));
    assert_eq!(labels("label\nred\nlight blue\n").unwrap(), (vec![1, 0], "light blue|red".into()));
    assert_eq!(labels("red\r\nblue\r\n").unwrap(), (vec![1, 0], "blue|red".into()));
    assert_eq!(labels("sample,label\n1,4\n2,3\n").unwrap(), (vec![1, 0], "3|4".into()));
    assert_eq!(labels("x1,4\nx2,3\n").unwrap(), (vec![1, 0], "3|4".into()));
    assert_eq!(labels("1 4\n2 3\n").unwrap(), (vec![1, 0], "3|4".into()));
    assert!(labels("label\n1\nNA\n").unwrap_err().to_string().ends_with("line 3: the label is missing"));
    assert!(labels("a,b\n1,4\n1,3\n").unwrap_err().to_string().contains("which of its 2 columns"));
}

#[test]
fn text_errors_name_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let message = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let message = read(&path).unwrap_err().to_string();
        message.split_once("t.csv`: ").map(|(_, what)| what.to_owned()).unwrap_or(message)
    };
    assert_eq!(message("a,b\n1,2\n3\n"), "line 3 has 1 columns, the lines before it have 2");
    assert_eq!(message("a,b\n1,2\n\n3,x7\n"), "line 4, column 2 (`b`): `x7` is not a number");
    assert_eq!(message("1,2\r\n3,4\r\n5,six\r\n"), "line 3, column 2: `six` is not a number");
    assert_eq!(message("a,b\n"), "holds a header but no rows");
    assert_eq!(message("1.5,2\n2.5,2\n3..5,4\n"), "line 3, column 1: `3..5` is not a number", "not an id");
    assert_eq!(message("1 2\n3 4 5\n"), "line 2 has 3 columns, the lines before it have 2");
    std::fs::write(&path, b"a,b\n1,\xff\n").unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("UTF-8"));
}

/// The shared folder lies beside the checkout, or beside the folder of worktrees.
fn shared(name: &str) -> Option<PathBuf> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(3);
    let found = above.map(|folder| folder.join("shared/data").join(name)).find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: there is no ../shared/data/{name} beside this checkout");
    }
    found
}

fn shared_mat(name: &str) -> Option<Loaded> {
    shared("mat").map(|folder| read(&folder.join(name)).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn every_shared_data_set_is_understood() {
    let Some(folder) = shared("") else { return };
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "npz")) {
        let loaded = read(&path).unwrap_or_else(|error| panic!("{error}"));
        let views = Views::new(loaded.views).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(loaded.labels.map(|labels| labels.len()), Some(views.samples()), "{}", path.display());
    }
}

fn shapes(loaded: &Loaded) -> Vec<(&str, usize, usize)> {
    loaded.views.iter().map(|view| (view.name.as_str(), view.data.rows(), view.data.cols())).collect()
}

/// Expected values are those of scipy.io and h5py.
#[test]
fn real_matlab_v5_files() {
    if let Some(loaded) = shared_mat("3sources_v5_sparse.mat") {
        assert_eq!(shapes(&loaded), [("X1", 169, 3560), ("X2", 169, 3631), ("X3", 169, 3068)]);
        assert!(loaded.views.iter().all(|view| view.data.is_sparse()));
        let Matrix::SparseF64(first) = &loaded.views[0].data else { panic!("not f64") };
        assert_eq!((first.nnz(), first.values().iter().sum::<f64>()), (24458, 37861.0));
        let corners = [(0, 0, 0, 13.0), (0, 168, 3530, 1.0), (1, 168, 3492, 8.0), (2, 168, 3006, 1.0)];
        assert!(corners.iter().all(|&(view, i, j, x)| entry(&loaded.views[view], i, j) == x));
        let labels = loaded.labels.unwrap();
        assert_eq!((labels.len(), labels.names().len()), (169, 6));
        assert_eq!([0, 50, 168].map(|i| labels.codes()[i]), [0, 3, 2]);
    }
    if let Some(loaded) = shared_mat("msrcv1_5view_v5.mat") {
        let names = ["fea1", "fea2", "fea3", "fea4", "fea5"];
        let expected: Vec<_> =
            names.into_iter().zip([24, 576, 512, 256, 254]).map(|(name, d)| (name, 210, d)).collect();
        assert_eq!(shapes(&loaded), expected);
        assert_eq!(entry(&loaded.views[0], 0, 0), 121.9716796875);
        assert_eq!(entry(&loaded.views[1], 100, 7), 0.17472992837429047);
        assert_eq!(entry(&loaded.views[2], 209, 511), 0.012850651517510414);
        assert_eq!((entry(&loaded.views[3], 0, 0), entry(&loaded.views[4], 209, 253)), (15677.0, 780.0));
        assert_eq!(loaded.views[4].data.precision(), "f64", "stored as uint16, but of class double");
        assert_eq!(loaded.labels.unwrap().names().len(), 7);
    }
    if let Some(loaded) = shared_mat("webkb203_v5_dxn.mat") {
        assert_eq!(shapes(&loaded), [("data1", 203, 1703), ("data2", 203, 230), ("data3", 203, 230)]);
        assert!(loaded.labels.is_none(), "`truelabel` is not a customary name, and no view either");
        let sum: f64 = (0..203).map(|i| (0..1703).map(|j| entry(&loaded.views[0], i, j)).sum::<f64>()).sum();
        assert_eq!(sum, 17451.0);
        assert_eq!((entry(&loaded.views[0], 0, 142), entry(&loaded.views[2], 202, 190)), (1.0, 1.0));
        assert_eq!((0..142).map(|j| entry(&loaded.views[0], 0, j)).sum::<f64>(), 0.0);
    }
}

#[test]
fn real_matlab_v73_file() {
    let Some(loaded) = shared_mat("msrcv1_6view_v73.mat") else { return };
    let names = ["X1", "X2", "X3", "X4", "X5", "X6"];
    let expected: Vec<_> =
        names.into_iter().zip([1302, 48, 512, 100, 256, 210]).map(|(name, d)| (name, 210, d)).collect();
    assert_eq!(shapes(&loaded), expected);
    assert_eq!(entry(&loaded.views[0], 209, 1301), 12.7676);
    assert_eq!(entry(&loaded.views[1], 0, 0), 1.294834961010916);
    assert_eq!(entry(&loaded.views[3], 100, 7), 0.0054869684);
    assert_eq!(entry(&loaded.views[5], 100, 7), 0.0323446, "the square view is not turned");
    let labels = loaded.labels.unwrap();
    assert_eq!((labels.len(), labels.names().len(), labels.codes()[209]), (210, 7, 6));
}
