//! What Rust gives to the R package `consilience`. Everything that makes it feel like R (input in its many forms, conditions,
//! printing, plots) is R, in `r/R`; this crate hands over numbers. What lasts is a [`job::Job`]: R asks it whether it is done,
//! so that Ctrl-C and progress are R's own.

// extendr hands arguments over by value, and writes functions without documentation
#![allow(clippy::needless_pass_by_value, missing_docs)]

mod arguments;
mod data;
mod error;
mod examination;
mod fit;
mod hints;
mod job;
mod matrices;
mod messages;
mod model;
mod values;

use extendr_api::prelude::*;

extendr_module! {
    mod consilience;
    use data;
    use examination;
    use fit;
    use job;
    use model;
}
