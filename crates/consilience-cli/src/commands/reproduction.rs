//! x
use consilience::Result;
pub(crate) fn run(_o: &crate::args::ReproductionOptions) -> Result<()> {
    Ok(())
}
