//! Work that is due without anybody asking for it.

use std::future::Future;
use std::time::Duration;

use crate::cart;
use crate::error::Result;
use crate::id::OrderId;
use crate::idempotency;
use crate::order::{self, Actor, Change, OrderStatus};
use crate::shop::Shop;

/// How often to look for work that is due.
const INTERVAL: Duration = Duration::from_secs(30);
/// How many orders one round looks at.
const ROUND: i64 = 200;

/// What one round of background work did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DueWork {
    /// Unpaid orders that were cancelled.
    pub orders_cancelled: usize,
    /// Idempotency keys that were forgotten.
    pub keys_forgotten: usize,
    /// Guests' carts that nobody touched any more and that were thrown away.
    pub guest_carts_purged: usize,
}

impl Shop {
    /// Does the work that is due, again and again, until `shutdown` is ready. Run it beside the
    /// program's own work: a server spawns it, an embedding program may.
    pub async fn run_background(&self, shutdown: impl Future<Output = ()> + Send) {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let rounds = async {
            loop {
                ticks.tick().await;
                match self.run_due().await {
                    Ok(done) if done == DueWork::default() => {}
                    Ok(done) => tracing::info!(?done, "background work"),
                    Err(error) => tracing::error!(?error, "background work failed"),
                }
            }
        };
        futures_util::future::select(std::pin::pin!(rounds), std::pin::pin!(shutdown)).await;
    }

    /// Does what is due now, once: cancels orders that nobody paid (decision 32), forgets
    /// idempotency keys past their day and guests' carts past their month. For programs with a scheduler of their own.
    ///
    /// # Errors
    /// When the database fails; an order whose provider cannot be asked is left for the next round.
    pub async fn run_due(&self) -> Result<DueWork> {
        let now = self.now();
        Ok(DueWork {
            orders_cancelled: self.cancel_unpaid().await?,
            keys_forgotten: self
                .db()
                .write("idempotency.purge", move |tx| idempotency::purge(tx, now))
                .await?,
            guest_carts_purged: self
                .db()
                .write("cart.purge", move |tx| cart::purge(tx, now))
                .await?,
        })
    }

    async fn cancel_unpaid(&self) -> Result<usize> {
        let hours = self.config().orders.unpaid_ttl_hours;
        if hours == 0 {
            return Ok(0);
        }
        let before = self.now().minus(Duration::from_secs(u64::from(hours) * 60 * 60));
        let unpaid = self
            .db()
            .read("order.unpaid", move |tx| order::unpaid_before(tx, before, ROUND))
            .await?;
        let mut cancelled = 0;
        for id in unpaid {
            // The money may be there and only its notice lost.
            if let Err(error) = self.payments().reconcile(&id).await {
                tracing::warn!(order = %id, %error, "cannot ask the provider; the order stays");
                continue;
            }
            cancelled += usize::from(self.cancel_if_unpaid(id).await?);
        }
        Ok(cancelled)
    }

    async fn cancel_if_unpaid(&self, id: OrderId) -> Result<bool> {
        let (at, low_threshold) = (self.moment(), self.config().stock.low_threshold);
        self.db()
            .write("order.cancel_unpaid", move |tx| {
                let Some(order) = order::find(tx, &id)? else { return Ok(false) };
                if order.status != OrderStatus::Pending {
                    return Ok(false);
                }
                let change = Change {
                    to: OrderStatus::Cancelled,
                    actor: Actor::Sweeper,
                    note: None,
                    low_threshold,
                };
                order::change_status(tx, &at, &order, &change).map(|_| true)
            })
            .await
    }
}
