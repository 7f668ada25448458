//! Names of features: features are found by them, so each has one of its own.

use std::collections::{HashMap, HashSet};

use super::View;
use crate::run::Note;

impl View {
    /// Gives columns of the same name names of their own, `x`, `x.2`, `x.3`, and tells when it did.
    pub fn tell_columns_apart(&mut self) -> Option<Note> {
        let names = self.features.as_mut()?;
        let mut known: HashSet<String> = names.iter().cloned().collect();
        if known.len() == names.len() {
            return None;
        }
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut renamed: Vec<(String, Vec<String>)> = Vec::new();
        for name in names {
            let count = seen.entry(name.clone()).or_insert(0);
            *count += 1;
            if *count == 1 {
                continue;
            }
            // `x.2` may be the name of a column already
            let mut new = format!("{name}.{count}");
            while !known.insert(new.clone()) {
                *count += 1;
                new = format!("{name}.{count}");
            }
            match renamed.iter_mut().find(|(old, _)| old == name) {
                Some((_, now)) => now.push(new.clone()),
                None => renamed.push((name.clone(), vec![name.clone(), new.clone()])),
            }
            *name = new;
        }
        let others = renamed.len() - 1;
        let (name, now) = renamed.swap_remove(0);
        Some(Note::SameNames { view: self.name.clone(), name, now, others })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Dense;

    #[test]
    fn columns_of_one_name_are_told_apart() {
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let mut view =
            View::new("v", Dense::<f64>::zeros(2, 6)).with_features(names(&["x", "y", "x", "x.2", "x", "y"]));
        let told = view.tell_columns_apart().unwrap().to_string();
        assert_eq!(told, "view `v`: 3 columns are called `x`: they are `x`, `x.3` .. `x.4` now; 1 more names likewise");
        assert_eq!(view.features, names(&["x", "y", "x.3", "x.2", "x.4", "y.2"]));
        assert!(view.tell_columns_apart().is_none(), "once");
    }
}
