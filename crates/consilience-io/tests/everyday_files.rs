//! Files as people keep them: packed, with decimal commas, comments and other encodings; integers of 64 bits, Parquet's
//! further types, AnnData and MuData. `scripts/make_reader_fixtures.py` made those in `tests/files.zip`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixtures;

use std::io::Write;
use std::path::Path;

use consilience::Views;
use consilience_io::{Inputs, Loaded, ReadOptions, read, read_labels, read_with};
use fixtures::{a, b, check, check_labels, entry, fixture, load, message, s};

fn with(name: &str, options: &ReadOptions) -> Loaded {
    read_with(&fixture(name), options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn views(names: &[&str]) -> ReadOptions {
    ReadOptions { views: names.iter().map(ToString::to_string).collect(), ..ReadOptions::default() }
}

fn written(name: &str, bytes: impl AsRef<[u8]>) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read(&path).map_err(|error| error.to_string())
}

#[test]
fn packed_tables() {
    for name in ["packed.csv.gz", "packed.tsv.gz", "packed.csv.zst"] {
        check(&load(name).views[0], "packed", 5, "f64", a);
    }
    check(&load("members.csv.gz").views[0], "members", 5, "f64", a);
    let cut = std::fs::read(fixture("packed.csv.gz")).unwrap();
    assert!(written("x.csv.gz", &cut[..cut.len() - 20]).unwrap_err().contains("a gzip file cannot be unpacked"));
    let mut wrong_sum = cut;
    let at = wrong_sum.len() - 6;
    wrong_sum[at] ^= 1;
    assert!(written("x.csv.gz", wrong_sum).is_err(), "gzip's own checksum");
    let mut twice = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    twice.write_all(&std::fs::read(fixture("packed.csv.zst")).unwrap()).unwrap();
    assert!(written("x.gz", twice.finish().unwrap()).unwrap_err().ends_with("is packed twice; unpack it once by hand"));
}

#[test]
fn decimal_commas() {
    check(&load("comma.csv").views[0], "comma", 5, "f64", a);
    check(&load("comma.tsv").views[0], "comma", 5, "f64", a);
    assert_eq!(written("x.csv", "a;b\n1,5;2,25\n-3;4,5e1\n").map(|l| entry(&l.views[0], 1, 1)), Ok(45.0));
    let mixed = written("x.csv", "a;b\n1,5;2.25\n3;4\n").unwrap_err();
    assert!(mixed.contains("line 2, column 1 (`a`): `1,5` is not a number"), "{mixed}");
}

#[test]
fn comments_are_no_rows_and_lines_are_counted_with_them() {
    let loaded = load("comments.csv");
    check(&loaded.views[0], "comments", 5, "f64", a);
    let savetxt = load("savetxt.csv");
    check(&savetxt.views[0], "savetxt", 5, "f64", a);
    assert_eq!(savetxt.views[0].features.as_ref().unwrap()[4], "f4", "the header that numpy put into a comment");
    check(&load("matlab_comments.txt").views[0], "matlab_comments", 5, "f64", a);
    let wrong = written("x.csv", "# one\n\na,b\n1,2\n# two\n3,x\n").unwrap_err();
    assert!(wrong.contains("line 6, column 2 (`b`): `x` is not a number"), "{wrong}");
    let colours = written("x.csv", "#ff0000,1\n#00ff00,2\n").unwrap();
    assert_eq!(colours.ids.unwrap(), ["#ff0000", "#00ff00"]);
}

#[test]
fn utf_16_and_cells_of_several_lines() {
    for name in ["utf-16-le", "utf-16-be"] {
        let loaded = load(&format!("{name}.csv"));
        check(&loaded.views[0], name, 5, "f64", a);
        assert_eq!(loaded.views[0].features.as_ref().unwrap()[0], "höhe");
    }
    let lines = load("multi_line.csv");
    check(&lines.views[0], "multi_line", 5, "f64", a);
    assert_eq!(lines.ids.unwrap()[11], "line one\n# line two, of 11");
}

#[test]
fn integers_of_64_bits_arrive_exactly() {
    let small = ["9007199254740992", "9007199254740993"];
    let large = ["9232379236109516800", "9232379236109516801"];
    for (name, names) in [("truth_long.npy", small), ("long.npz", large), ("long.mat", small), ("long.h5", large)] {
        let labels = read_labels(&fixture(name)).unwrap();
        assert_eq!((labels.names(), &labels.codes()[..4]), (&names.map(String::from)[..], &[0, 1, 0, 1][..]), "{name}");
    }
    let labels = read_labels(&fixture("long.parquet")).unwrap();
    assert_eq!(labels.names(), ["9223372036854775809", "9223372036854775810"]);
    assert!(message("long_feature.parquet").contains("column 2 (`hash`) holds integers that double precision cannot"));
    let header = "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), }";
    let npy = [
        &b"\x93NUMPY\x01\x00"[..],
        &(header.len() as u16).to_le_bytes(),
        header.as_bytes(),
        &5_i64.to_le_bytes(),
        &((1_i64 << 53) + 1).to_le_bytes(),
    ];
    let refused = written("x.npy", npy.concat()).unwrap_err();
    assert!(refused.contains("holds the integer 9007199254740993, which as a feature would be rounded"), "{refused}");
}

/// The member `a` of an uncompressed archive, with one of its bits changed.
#[test]
fn damage_inside_an_npz_is_noticed() {
    let honest = std::fs::read(fixture("views.npz")).unwrap();
    let at = honest.windows(8).position(|bytes| bytes == 11.0_f64.to_le_bytes()).unwrap();
    for bit in 0..8 {
        let mut bytes = honest.clone();
        bytes[at + 2] ^= 1 << bit;
        let error = written("x.npz", bytes).unwrap_err();
        assert!(error.contains("array `a`: is damaged: Invalid checksum"), "{error}");
    }
}

#[test]
fn arrays_called_x_and_y_are_views_unless_they_may_be_labels() {
    let loaded = load("xy.npz");
    assert_eq!(loaded.views.iter().map(|view| view.name.as_str()).collect::<Vec<_>>(), ["X", "Y"]);
    assert!(message("one_hot.npz").contains("`Y` has the name of labels but the shape [12, 3]"));
    let named = with("one_hot.npz", &views(&["X", "Y"]));
    assert_eq!((named.views.len(), named.labels.is_some()), (2, false));
}

#[test]
fn a_view_with_the_name_of_labels_does_not_vanish_beside_labels() {
    let twice = load("labels_twice.npz");
    assert_eq!((twice.views.len(), twice.labels.map(|labels| labels.len())), (1, Some(12)));
    assert!(message("counts_called_y.npz").contains("`y` has the name of labels but the shape [12, 2]"));
    let named = with("counts_called_y.npz", &views(&["X", "y"]));
    assert_eq!((named.views.len(), named.labels.is_some()), (2, true));
}

#[test]
fn parquet_types_and_codecs() {
    for name in ["types_brotli", "types_lz4", "types_plain"] {
        // the first column is of distinct integers, which would be ids
        let options = ReadOptions { id_column: Some(ReadOptions::NO_COLUMN.into()), ..ReadOptions::default() };
        let view = &with(&format!("{name}.parquet"), &options).views[0];
        let row = |i: usize| (0..7).map(|j| entry(view, i, j)).collect::<Vec<_>>();
        assert_eq!(row(0), [200.0, 4294967284.0, 1099511627776.0, -5.0, -1.0, 1e20, 0.0], "{name}");
        assert_eq!(row(11), [211.0, 4294967295.0, 1099511627787.0, 6.0, 1.75, 1e20 + 11.0, 2.75], "{name}");
    }
    for (name, column) in
        [("times.parquet", "(`when`) holds dates and times"), ("dates.parquet", "(`day`) holds dates")]
    {
        assert!(message(name).contains(&format!("{column}, which are no features")), "{}", message(name));
    }
}

#[test]
fn anndata_gives_views_ids_and_labels() {
    for file in ["cells.h5ad", "cells_gzip.h5ad"] {
        let name = file.strip_suffix(".h5ad").unwrap();
        let plain = load(file);
        assert_eq!(plain.views.len(), 1);
        check(&plain.views[0], name, 6, "f64", s);
        assert!(plain.views[0].data.is_sparse());
        assert_eq!(plain.views[0].features.as_ref().unwrap()[5], "gene5");
        assert_eq!(plain.ids.as_ref().unwrap()[11], "cell11");
        assert!(plain.labels.is_none(), "nothing in obs is called labels");
        let entries = ["X", "X_pca", "protein", "counts", "dense"].map(|entry| format!("{name}:{entry}"));
        assert_eq!(plain.entries, entries);
        let (pca, prot) = (format!("{name}:X_pca"), format!("{name}:protein"));
        let options =
            ReadOptions { label_column: Some("cell_type".into()), ..views(&[&pca, &prot, "counts", "dense"]) };
        let chosen = with(file, &options);
        check(&chosen.views[0], &pca, 5, "f64", a);
        check(&chosen.views[1], &prot, 3, "f64", b);
        assert_eq!(chosen.views[1].features.as_ref().unwrap(), &["p", "q", "r"]);
        check(&chosen.views[2], "counts", 6, "f32", s);
        check_labels(chosen.labels.as_ref(), &["cat", "dog", "owl"]);
        assert!((0..12).all(|i| entry(&chosen.views[3], i, 0) == s(i, 0).trunc()));
    }
}

#[test]
fn columns_of_obs_of_every_kind() {
    let labels = |column: &str| {
        let options = ReadOptions { label_column: Some(column.into()), ..ReadOptions::default() };
        read_with(&fixture("cells.h5ad"), &options)
            .map(|loaded| loaded.labels.unwrap().names().join(","))
            .map_err(|error| error.to_string())
    };
    assert_eq!(labels("batch").unwrap(), "0,1,2");
    assert_eq!(labels("word").unwrap(), "cat,dog,owl");
    assert_eq!(labels("flag").unwrap(), "0,1");
    assert!(labels("partly").unwrap_err().ends_with("the column `partly` of obs has missing values"));
    assert!(labels("typo").unwrap_err().contains("no column `typo`: its columns are cell_type, batch, word"));
}

#[test]
fn anndata_without_x_or_with_a_wrong_name_says_what_there_is() {
    let message = message("no_x.h5ad");
    assert!(message.contains("`no_x` has no X; name the views that you want, of: no_x:X_pca"), "{message}");
    check(&with("no_x.h5ad", &views(&["X_pca"])).views[0], "X_pca", 5, "f64", a);
    let wrong = read_with(&fixture("cells.h5ad"), &views(&["cells:X_umap"])).unwrap_err().to_string();
    assert!(wrong.contains("there is no `cells:X_umap`; it holds cells:X, cells:X_pca"), "{wrong}");
    let inputs = Inputs { files: vec![fixture("cells.h5ad")], views: vec!["X_pcaa".into()], ..Inputs::default() };
    let hint = inputs.load().unwrap_err().hint().unwrap();
    assert!(hint.text().unwrap().contains("cells:X_pca"), "{hint:?}");
}

#[test]
fn anndata_of_2020_and_labels_of_a_customary_name() {
    let loaded = load("old.h5ad");
    check(&loaded.views[0], "old", 6, "f64", s);
    assert_eq!(loaded.ids.as_ref().unwrap()[11], "cell11");
    check_labels(loaded.labels.as_ref(), &["cat", "dog", "owl"]);
    assert_eq!(loaded.entries, ["old:X", "old:X_pca"]);
}

/// `prot` has the samples of `rna` in another order.
#[test]
fn mudata_modalities_are_matched_by_id() {
    let loaded = load("cells.h5mu");
    assert_eq!(loaded.views.len(), 2);
    check(&loaded.views[0], "rna", 6, "f64", s);
    check(&loaded.views[1], "prot", 3, "f32", b);
    assert_eq!(loaded.ids.as_ref().unwrap()[..2], ["cell0", "cell1"]);
    let options = ReadOptions { label_column: Some("cell_type".into()), ..views(&["rna:X_pca", "prot"]) };
    let chosen = with("cells.h5mu", &options);
    check(&chosen.views[0], "rna:X_pca", 5, "f64", a);
    check(&chosen.views[1], "prot", 3, "f32", b);
    check_labels(chosen.labels.as_ref(), &["cat", "dog", "owl"]);
    let options = ReadOptions { label_column: Some("prot:batch".into()), ..ReadOptions::default() };
    check_labels(with("cells.h5mu", &options).labels.as_ref(), &["0", "1", "2"]);
    let partial = load("partial.h5mu");
    assert_eq!(partial.views.iter().map(consilience::View::absences).collect::<Vec<_>>(), [0, 3]);
    assert_eq!(partial.views[1].data.rows(), 12, "the samples that a modality lacks are marked");
    assert_eq!(with("partial.h5mu", &views(&["prot"])).views[0].data.rows(), 9);
}

#[test]
fn thirty_thousand_views_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.npz");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 1), }";
    let stored = zip::write::FileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for i in 0..30_000 {
        archive.start_file(format!("v{i}.npy"), stored).unwrap();
        archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
        archive.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        archive.write_all(header.as_bytes()).unwrap();
        archive.write_all(&[0; 32]).unwrap();
    }
    archive.finish().unwrap();
    let error = Views::new(read(&path).unwrap().views).unwrap_err();
    assert!(error.to_string().contains("30000 views"), "{error}");
}

#[test]
fn what_cannot_be_read_is_named_with_a_way_out() {
    let said = |name: &str, bytes: &[u8]| written(name, bytes).unwrap_err();
    assert!(said("x.xlsx", b"PK\x03\x04....[Content_Types].xml....xl/workbook.xml").contains("Excel"));
    assert!(said("x.rds", b"RDX3\nX\n\0\0\0").contains("R"));
    assert!(said("x.pkl", b"\x80\x04\x95\0\0\0\0\0\0\0\0}").contains("pickle"));
    assert!(said("x.feather", b"ARROW1\0\0\0\0").contains("to_parquet"));
    assert!(said("x.mat", &[0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'X', 0]).contains("MATLAB 4"));
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("x.zarr");
    std::fs::create_dir(&store).unwrap();
    std::fs::write(store.join("zarr.json"), "{}").unwrap();
    assert!(read(&store).unwrap_err().to_string().contains("Zarr"));
    assert!(read(Path::new(folder.path())).unwrap_err().to_string().contains("is a folder"));
}

/// Memory for the numbers of a MATLAB file is needed twice: as they are stored, and with samples as rows.
#[test]
fn a_matrix_that_must_be_turned_is_counted_twice() {
    let within = |name: &str, memory: u64| {
        read_with(&fixture(name), &ReadOptions { memory: Some(memory), ..ReadOptions::default() }).map(|_| ())
    };
    for (name, enough) in
        [("cell.mat", 4000), ("cell_v73.mat", 60_000), ("a_f64.npy", 480), ("types_plain.parquet", 1344)]
    {
        assert!(within(name, enough).is_ok(), "{name}: {:?}", within(name, enough));
        let error = within(name, 400).unwrap_err().to_string();
        assert!(error.contains("of memory, but only 400 bytes may be used"), "{name}: {error}");
    }
}

/// An empty array beside the views that are used does no harm; one that claims a million million columns does.
#[test]
fn arrays_without_entries() {
    let npy = |shape: &str| {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
        [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat()
    };
    assert_eq!(written("x.npy", npy("(0, 3)")).unwrap().views[0].data.cols(), 3);
    for shape in ["(0, 1000000000000)", "(1000000000000, 0)"] {
        assert!(written("x.npy", npy(shape)).unwrap_err().contains("`x` is empty: "), "{shape}");
    }
}
