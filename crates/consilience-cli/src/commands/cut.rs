//! `consilience cut`: another level of a run's tree, without a new fit.

use consilience::matrix::{Dense, Matrix};
use consilience::memberships::Memberships;
use consilience::{Error, Result};
use consilience_io::{check_writable, folder, write_labels_csv, write_npy};

use crate::args::CutOptions;
use crate::output::{print_labels, say};

pub(crate) fn run(options: &CutOptions) -> Result<()> {
    let known = folder::read(&options.run)?.record;
    let labels = known.cut(options.clusters)?;
    // nothing is known of memberships in parts of a cluster
    let memberships = match known.tree.cut(options.clusters) {
        Ok(into) => {
            let found = folder::memberships(&options.run, &known.labels)?;
            found.map(|found| found.joined(&into, options.clusters, &labels)).transpose()?
        }
        Err(_) => None,
    };
    let confidence = memberships.as_ref().map(Memberships::confidence);
    let Some(place) = &options.output else { return print_labels(known.ids.as_deref(), &labels, confidence) };
    let (table, shares) = (place.join(folder::LABELS), place.join(folder::MEMBERSHIPS));
    std::fs::create_dir_all(place).map_err(|source| Error::writing(place, source))?;
    for file in [&table, &shares] {
        check_writable(file, options.force, &[options.run.join(folder::RECORD)])?;
    }
    write_labels_csv(&table, known.ids.as_deref(), &labels, confidence)?;
    let shares_of = |found: &Memberships| -> Result<Dense<f64>> {
        Ok(match found.matrix()? {
            Matrix::DenseF64(shares) => shares,
            Matrix::SparseF64(shares) => shares.to_dense(),
            Matrix::DenseF32(shares) => shares.cast(),
            Matrix::SparseF32(shares) => shares.cast().to_dense(),
        })
    };
    if let Some(found) = &memberships {
        write_npy(&shares, &shares_of(found)?)?;
    }
    say(&format!("wrote labels.csv of {} clusters to {}", options.clusters, place.display()));
    Ok(())
}
