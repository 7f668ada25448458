//! One file per command.

pub(crate) mod cluster;
pub(crate) mod cut;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod inspect;
pub(crate) mod methods;
pub(crate) mod plot;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod synthesize;
