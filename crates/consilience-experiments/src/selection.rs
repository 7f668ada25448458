//! The part of a plan that a bench makes: some methods, sets and conditions, a share of the runs.

use std::fmt;
use std::str::FromStr;

use consilience::{Error, Result};

use crate::condition::Condition;
use crate::job::Planned;
use crate::plan::Plan;

/// Which runs of a plan are to be made; all by default.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Methods by id or by name; all when empty.
    pub only: Vec<String>,
    /// Methods by id or by name.
    pub except: Vec<String>,
    /// Data sets; all when empty.
    pub data: Vec<String>,
    /// Conditions; all when empty.
    pub noise: Vec<Condition>,
    /// A share of what is left.
    pub shard: Option<Shard>,
}

/// One of several parts of a plan, for several benches at once; as text `3/8`. Which runs it has depends on their keys
/// alone: every run is in exactly one part, on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    part: u64,
    /// Of how many.
    of: u64,
}

impl Shard {
    /// Whether the run with this key is in it.
    pub fn holds(self, key: &str) -> bool {
        // keys are hashes: their remainders are spread evenly
        u64::from_str_radix(key, 16).unwrap_or(0) % self.of == self.part - 1
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((part, of)) if 1 <= part && part <= of => Ok(Self { part, of }),
            _ => {
                Err(Error::data_with_hint(format!("`{text}` is no part of a plan"), "like `3/8`, from `1/8` to `8/8`"))
            }
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl Selection {
    /// The runs that are chosen, in the order of the plan.
    ///
    /// # Errors
    /// When a method, a set or a condition is named that the plan does not have.
    pub fn choose(&self, plan: &Plan, planned: &[Planned]) -> Result<Vec<Planned>> {
        for name in self.only.iter().chain(&self.except) {
            if !plan.methods.iter().any(|method| method.method.info().id == *name || method.label == *name) {
                let mut known: Vec<String> = plan.methods.iter().map(|method| method.label.clone()).collect();
                known.sort();
                known.dedup();
                return Err(Error::unknown("method of the plan", name, known));
            }
        }
        if let Some(name) = self.data.iter().find(|name| plan.sets.iter().all(|set| set.name != **name)) {
            return Err(Error::unknown("data set of the plan", name, plan.sets.iter().map(|set| &set.name)));
        }
        let conditions: Vec<Condition> = plan.noise.iter().map(|noise| noise.corruption.into()).collect();
        if let Some(noise) = self.noise.iter().find(|noise| !conditions.contains(noise)) {
            return Err(Error::unknown(
                "condition of the plan",
                noise.to_string(),
                conditions.iter().map(Condition::to_string),
            ));
        }
        Ok(planned.iter().filter(|planned| self.holds(planned)).cloned().collect())
    }

    fn holds(&self, Planned { job, .. }: &Planned) -> bool {
        let named = |name: &String| job.settings.method.info().id == *name || job.label == *name;
        (self.only.is_empty() || self.only.iter().any(named))
            && !self.except.iter().any(named)
            && (self.data.is_empty() || self.data.contains(&job.data.name))
            && (self.noise.is_empty() || self.noise.contains(&job.settings.corruption.into()))
            && self.shard.is_none_or(|shard| shard.holds(&job.key))
    }
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
        assert_eq!(shards[2].to_string(), "3/5");
        for wrong in ["", "3", "0/5", "6/5", "1/0", "a/b", "-1/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
