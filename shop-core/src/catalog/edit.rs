//! Changes of the catalogue.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::file::refuse_import_under_way;
use crate::context::Context;
use crate::error::Result;
use crate::idempotency::IdempotentRequest;
use crate::lane;
use crate::storage::Tx;

/// Changes products, variants, categories or kinds of variation. All that does goes through here,
/// so that nothing takes from an import that is being written what it was looked through for.
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

/// As [`edit`], once for each idempotency key: what the job answers, or the first answer with
/// `true`, which an import does not hold up.
///
/// # Errors
/// As [`edit`]; [`Refusal::IdempotencyKeyReused`](crate::error::Refusal::IdempotencyKeyReused).
pub(super) async fn edit_once<T: Serialize + DeserializeOwned + Send + 'static>(
    cx: &Context,
    name: &'static str,
    request: IdempotentRequest,
    mut job: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
) -> Result<(T, bool)> {
    let now = cx.now();
    let once = move |tx: &mut dyn Tx| {
        if let Some(first) = request.stored_answer(tx, now)? {
            return Ok((first, true));
        }
        refuse_import_under_way(tx, now)?;
        let answer = job(tx)?;
        request.store_answer(tx, now, &answer)?;
        Ok((answer, false))
    };
    cx.write_events(lane::CATALOG, name, once).await
}
