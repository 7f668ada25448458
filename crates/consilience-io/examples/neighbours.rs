//! Times the exact neighbour search on a `.npy` file: `cargo run --release --example neighbours -- FILE.npy 20 2`.
//!
//! Prints one JSON object with wall and processor seconds; `make bench` compares them with other libraries.

use std::path::Path;
use std::time::Instant;

use consilience::neighbours::{Distance, DistanceMetric, Exact, NeighbourSearch};
use consilience::{Error, Result, Run};
use consilience_io::read;

fn main() -> Result<()> {
    let usage = || Error::data("usage: neighbours FILE.npy COUNT THREADS");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, count, threads] = arguments.as_slice() else { return Err(usage()) };
    let (count, threads) = (count.parse().map_err(|_| usage())?, threads.parse().map_err(|_| usage())?);
    let loaded = read(Path::new(file))?;
    let view = loaded.views.first().ok_or_else(usage)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|_| usage())?;

    let (wall, processor) = (Instant::now(), processor_seconds());
    let found =
        pool.install(|| Exact.search(&Distance::within(view, DistanceMetric::Euclidean), count, &Run::default()))?;
    let (wall, processor) = (wall.elapsed().as_secs_f64(), processor_seconds() - processor);

    // a sum over all neighbours, to be compared with the other libraries' as a check that the work was the same
    let checksum: f64 = (0..found.len()).flat_map(|i| found.of(i).0).map(|&j| f64::from(j)).sum();
    #[allow(clippy::print_stdout)] // an example talks
    {
        println!("{{\"wall\": {wall}, \"cpu\": {processor}, \"checksum\": {checksum}}}");
    }
    Ok(())
}

/// User and system time of this process so far, from Linux's account in hundredths of a second; 0 elsewhere.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|x| x.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}
