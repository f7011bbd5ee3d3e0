//! Guests who did not order: their accounts are deleted a day after their session, so that what
//! strangers leave behind stays bounded.

use std::time::Duration;

use crate::account::{self, by_id};
use crate::context::Context;
use crate::erasure;
use crate::error::Result;
use crate::id::AccountId;
use crate::lane;
use crate::order;
use crate::storage::Tx;

/// How many accounts one round looks at.
const ROUND: i64 = 500;
/// When an account that could not be deleted is looked at again.
const AGAIN_AFTER: Duration = Duration::from_secs(60 * 60);

/// The guests whose time is over, those that have waited for longest.
pub(crate) async fn abandoned(cx: &Context) -> Result<Vec<AccountId>> {
    let now = cx.now();
    let find = move |tx: &mut dyn Tx| account::abandoned_guests(tx, now, ROUND);
    cx.db().lookup("guest.abandoned", find).await
}

/// Deletes the account of a guest whose time is over; false where it stays. It is looked at once:
/// one with an order stays.
pub(crate) async fn purge(cx: &Context, id: &AccountId) -> Result<bool> {
    let (at, id) = (cx.work(), id.clone());
    let job = move |tx: &mut dyn Tx| {
        let Some(guest) = by_id(tx, &id)?.filter(|known| known.account.guest) else {
            return Ok(false);
        };
        if order::has_any(tx, &id)? {
            return account::keep_guest(tx, &id).map(|()| false);
        }
        erasure::remove_guest(tx, &at, &guest).map(|()| true)
    };
    cx.db().write(lane::ORDERS, "guest.purge", job).await
}

/// Puts off an account that could not be deleted.
pub(crate) async fn look_again(cx: &Context, id: &AccountId) -> Result<()> {
    let (now, id) = (cx.now(), id.clone());
    let job = move |tx: &mut dyn Tx| account::put_off_guest(tx, &id, now, now.plus(AGAIN_AFTER));
    cx.db().write(lane::ORDERS, "guest.look_again", job).await
}
