//! Cancelling the orders that were not paid in time.

use std::time::Duration;

use futures_util::TryFutureExt;
use tokio::time::Instant;

use crate::error::Result;
use crate::id::OrderId;
use crate::lane;
use crate::order::{self, Change, MovedBy, OrderStatus, UnpaidCutoff};
use crate::payment::ProviderError;
use crate::payment::store::next_check;
use crate::shop::Shop;
use crate::storage::Tx;

/// How many orders one round looks at.
const ROUND: i64 = 200;
/// How long one round cancels orders: a provider that does not answer must not keep the rest of the
/// work waiting.
const ROUND_TIME: Duration = Duration::from_secs(60);
/// How long a payment provider is left alone at most that wants to be.
const LONGEST_PAUSE: Duration = Duration::from_secs(6 * 60 * 60);

impl Shop {
    /// Cancels what was not paid in time, each order on its own: one that cannot be cancelled now
    /// is tried again at growing gaps. A provider that wants to be left alone ends the round.
    pub(super) async fn cancel_unpaid(&self) -> Result<usize> {
        let Some(cutoff) = UnpaidCutoff::of(&self.config().orders, self.now()) else {
            return Ok(0);
        };
        let (start, db) = (Instant::now(), self.inner.cx.db());
        let unpaid = db.read("order.unpaid", move |tx| order::unpaid(tx, cutoff, ROUND)).await?;
        let mut cancelled = 0;
        let mut pause = None;
        for (id, over_since) in unpaid {
            if start.elapsed() >= ROUND_TIME || pause.is_some() {
                break;
            }
            let cancel = self.ask_and_cancel(id.clone(), cutoff);
            let cancel = cancel.inspect_err(|error| pause = ProviderError::pause_after(error));
            if let Some(is_cancelled) =
                self.inner.background_failures.guard("cancel_order", cancel).await
            {
                cancelled += usize::from(is_cancelled);
            } else {
                tracing::warn!(order = %id, "the unpaid order stays for now");
                // The round may have gone on for a minute.
                let now = self.now();
                let wanted = now.plus(pause.unwrap_or_default().min(LONGEST_PAUSE));
                let at = next_check(over_since, now).max(wanted);
                let note = move |tx: &mut dyn Tx| order::sweep_again(tx, &id, at);
                db.write(lane::ORDERS, "order.sweep_again", note).await?;
            }
        }
        Ok(cancelled)
    }

    async fn ask_and_cancel(&self, id: OrderId, cutoff: UnpaidCutoff) -> Result<bool> {
        // The money may be there and only its notice lost.
        self.payments().reconcile(&id).await?;
        self.cancel_if_unpaid(id, cutoff).await
    }

    async fn cancel_if_unpaid(&self, id: OrderId, cutoff: UnpaidCutoff) -> Result<bool> {
        let at = self.inner.cx.work();
        let cancel = move |tx: &mut dyn Tx| {
            let Some(order) = order::find(tx, &id)? else { return Ok(false) };
            // Another attempt may have begun since.
            if !order::is_unpaid_too_long(tx, &id, cutoff)? {
                return Ok(false);
            }
            let change = Change { to: OrderStatus::Cancelled, by: MovedBy::Sweeper, note: None };
            order::change_status(tx, &at, &order, &change).map(|_| true)
        };
        self.inner.cx.db().write(lane::ORDERS, "order.cancel_unpaid", cancel).await
    }
}
