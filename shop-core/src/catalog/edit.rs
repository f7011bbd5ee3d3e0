//! Changes of the catalogue.

use super::file::refuse_import_under_way;
use crate::context::Context;
use crate::error::Result;
use crate::lane;
use crate::storage::Tx;

/// Changes products, variants, categories or kinds of variation. All that does goes through here, so
/// that nothing takes from an import that is being written what it was looked through for.
///
/// # Errors
/// Those of the job; [`Conflict::ImportUnderWay`](crate::error::Conflict::ImportUnderWay).
pub(crate) async fn edit<T: Send + 'static>(
    cx: &Context,
    name: &'static str,
    mut job: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
) -> Result<T> {
    let now = cx.now();
    let checked = move |tx: &mut dyn Tx| {
        refuse_import_under_way(tx, now)?;
        job(tx)
    };
    cx.write_events(lane::CATALOG, name, checked).await
}
