//! Guests who did not order: their accounts are deleted a day after their session, so that what
//! strangers leave behind stays bounded.

use crate::account::{self, by_id};
use crate::context::Context;
use crate::erasure;
use crate::error::Result;
use crate::lane;
use crate::order;
use crate::storage::Tx;

/// How many accounts one round looks at.
const ROUND: i64 = 500;

/// Deletes guests' accounts whose time is over and that have no order, and counts them. Each account
/// is looked at once: one with an order stays.
pub(crate) async fn purge(cx: &Context) -> Result<usize> {
    let now = cx.now();
    let find = move |tx: &mut dyn Tx| account::abandoned_guests(tx, now, ROUND);
    let mut deleted = 0;
    for id in cx.db().lookup("guest.abandoned", find).await? {
        let at = cx.work();
        let job = move |tx: &mut dyn Tx| {
            let Some(guest) = by_id(tx, &id)?.filter(|known| known.account.guest) else {
                return Ok(0);
            };
            if order::has_any(tx, &id)? {
                return account::keep_guest(tx, &id).map(|()| 0);
            }
            erasure::remove_guest(tx, &at, &guest).map(|()| 1)
        };
        deleted += cx.db().write(lane::ORDERS, "guest.purge", job).await?;
    }
    Ok(deleted)
}
