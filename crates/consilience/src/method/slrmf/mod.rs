//! SLRMF: the paper's own method. (A stub on this branch: the registry entry and `structured` come from the lead's.)

pub(crate) mod admm;

pub use admm::Start;
