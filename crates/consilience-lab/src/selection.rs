//! The part of a plan that a bench makes: some methods, sets and conditions, a share of the runs.

use std::str::FromStr;

use clap::Args;
use consilience::{Error, Result};

use crate::job::Job;
use crate::plan::Plan;
use crate::row::condition;

/// Which runs of a plan are to be made; all by default.
#[derive(Args, Debug, Default)]
pub(crate) struct Selection {
    /// Run only these methods of the plan, by id or by name.
    #[arg(long, value_name = "METHOD,..", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Run only on these data sets of the plan.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) data: Vec<String>,
    /// Run only under these conditions of the plan, as tables name them: `clean`, `20 % add`.
    #[arg(long, value_name = "CONDITION,..", value_delimiter = ',')]
    pub(crate) noise: Vec<String>,
    /// Make one part of the runs, for several benches at once: `3/8` is the third of eight.
    #[arg(long, value_name = "PART/OF")]
    pub(crate) shard: Option<Shard>,
}

/// One of several parts of a plan, for several benches at once; as text `3/8`. Which runs it has depends on their keys
/// alone: every run is in exactly one part, on every machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shard {
    part: u64,
    of: u64,
}

impl Shard {
    fn holds(self, key: &str) -> bool {
        // keys are hashes: their remainders are spread evenly
        u64::from_str_radix(key, 16).unwrap_or(0) % self.of == self.part - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((part, of)) if 1 <= part && part <= of => Ok(Self { part, of }),
            _ => Err("like `3/8`, from `1/8` to `8/8`".to_owned()),
        }
    }
}

impl Selection {
    /// The runs that are chosen, in the order of the plan.
    ///
    /// # Errors
    /// When a method, a set or a condition is named that the plan does not have.
    pub(crate) fn choose(&self, plan: &Plan, jobs: &[Job]) -> Result<Vec<Job>> {
        let ids = plan.methods.iter().map(|method| method.method.info().id.to_owned());
        let labels = plan.methods.iter().map(|method| method.label.clone());
        check("method of the plan", &self.only, ids.chain(labels))?;
        check("data set of the plan", &self.data, plan.sets.iter().map(|set| set.name.clone()))?;
        let conditions = plan.noise.iter().map(|noise| condition(noise.corruption.as_ref()));
        check("condition of the plan", &self.noise, conditions)?;
        Ok(jobs.iter().filter(|job| self.holds(job)).cloned().collect())
    }

    fn holds(&self, job: &Job) -> bool {
        let among = |names: &[String], own: &str| names.is_empty() || names.iter().any(|name| name == own);
        (among(&self.only, job.row.get("method")) || among(&self.only, job.row.get("label")))
            && among(&self.data, job.row.get("set"))
            && among(&self.noise, &condition(job.settings.corruption.as_ref()))
            && self.shard.is_none_or(|shard| shard.holds(job.key()))
    }
}

/// Refuses a name that is not known.
fn check(what: &'static str, names: &[String], known: impl Iterator<Item = String>) -> Result<()> {
    let mut known: Vec<String> = known.collect();
    known.sort();
    known.dedup();
    let stranger = names.iter().find(|name| !known.contains(name));
    stranger.map_or(Ok(()), |name| Err(Error::unknown(what, name, known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_in_one_part() {
        let shards: Vec<Shard> = (1..=5).map(|part| format!("{part}/5").parse().unwrap()).collect();
        let mut sizes = [0; 5];
        for number in 0..1000_u64 {
            let key = format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let held: Vec<usize> = (0..5).filter(|&at| shards[at].holds(&key)).collect();
            assert_eq!(held.len(), 1);
            sizes[held[0]] += 1;
        }
        assert!(sizes.iter().all(|size| (150..250).contains(size)), "{sizes:?}");
        for wrong in ["", "3", "0/5", "6/5", "1/0", "a/b", "-1/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
