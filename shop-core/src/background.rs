//! Work that is due without anybody asking for it.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::select;
use tokio::sync::watch;

use crate::account;
use crate::cart;
use crate::error::Result;
use crate::id::OrderId;
use crate::idempotency;
use crate::mail;
use crate::order::{self, Change, MovedBy, OrderStatus};
use crate::payment;
use crate::shop::Shop;
use crate::storage::Tx;

/// How often to look for work that is due.
const INTERVAL: Duration = Duration::from_secs(30);
/// How often to look for mails that another process wrote, or whose next try has come.
const MAIL_INTERVAL: Duration = Duration::from_secs(1);
/// How many orders one round looks at.
const ROUND: i64 = 200;

/// What one round of background work did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DueWork {
    /// Unpaid orders that were cancelled.
    pub orders_cancelled: usize,
    /// Idempotency keys that were forgotten.
    pub keys_forgotten: usize,
    /// Links to reset a password that were forgotten.
    pub links_forgotten: usize,
    /// Mails that were handed over.
    pub mails_sent: usize,
    /// Mails of long ago that were forgotten.
    pub mails_forgotten: usize,
    /// Attempts to pay and refunds that are decided since their provider was asked.
    pub payments_decided: usize,
    /// Payment providers' events of long ago that were forgotten.
    pub payment_events_forgotten: usize,
    /// Guests' carts that nobody touched any more and that were thrown away.
    pub guest_carts_purged: usize,
}

impl Shop {
    /// Does the work that is due, again and again, until `shutdown` is ready. Run it beside the
    /// program's own work: a server spawns it, an embedding program may.
    pub async fn run_background(&self, shutdown: impl Future<Output = ()> + Send) {
        let (running, stopped) = watch::channel(());
        let until_told = async {
            shutdown.await;
            drop(running);
        };
        // Sweeping ends between two of its jobs; a mail that is on its way is seen through, or it
        // would be sent again.
        let (rounds, told) = (pin!(self.sweep_in_rounds()), pin!(told(stopped.clone())));
        let delivering = self.deliver_in_rounds(stopped);
        futures_util::future::join3(until_told, select(rounds, told), delivering).await;
        if let Err(error) = self.api_keys().note_uses().await {
            tracing::error!(?error, "cannot note when API keys were used");
        }
    }

    async fn sweep_in_rounds(&self) {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match self.sweep().await {
                Ok(done) if done == DueWork::default() => {}
                Ok(done) => tracing::info!(?done, "background work"),
                Err(error) => tracing::error!(?error, "background work failed"),
            }
        }
    }

    async fn deliver_in_rounds(&self, stopped: watch::Receiver<()>) {
        let stopping = || stopped.has_changed().is_err();
        while !stopping() {
            if let Err(error) = self.deliver_mails(stopping).await {
                tracing::error!(?error, "cannot look after the mails");
            }
            // Other processes write mails too.
            let written = tokio::time::timeout(MAIL_INTERVAL, self.post().written.notified());
            select(pin!(written), pin!(told(stopped.clone()))).await;
        }
    }

    /// Does what is due now, once: asks providers about payments and refunds that stayed open,
    /// cancels orders that nobody paid (decision 32), sends mails, and forgets what is past its
    /// time. For programs with a scheduler of their own.
    ///
    /// # Errors
    /// When the database fails; an order whose provider cannot be asked, and a mail that nobody
    /// takes, are left for a later round.
    pub async fn run_due(&self) -> Result<DueWork> {
        let swept = self.sweep().await?;
        Ok(DueWork { mails_sent: self.deliver_mails(|| false).await?, ..swept })
    }

    async fn sweep(&self) -> Result<DueWork> {
        let now = self.now();
        let reconciled = self.payments().reconcile_due().await?;
        self.api_keys().note_uses_if_due().await?;
        let orders_cancelled = self.cancel_unpaid().await?;
        let forget = move |tx: &mut dyn Tx| {
            Ok(DueWork {
                orders_cancelled,
                payments_decided: reconciled.decided + reconciled.refunds_decided,
                payment_events_forgotten: payment::purge(tx, now)?,
                keys_forgotten: idempotency::purge(tx, now)?,
                links_forgotten: account::purge_links(tx, now)?,
                mails_forgotten: mail::purge(tx, now)?,
                guest_carts_purged: cart::purge(tx, now)?,
                mails_sent: 0,
            })
        };
        self.db().write("background.forget", forget).await
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
                    by: MovedBy::Sweeper,
                    note: None,
                    low_threshold,
                };
                order::change_status(tx, &at, &order, &change).map(|_| true)
            })
            .await
    }
}

/// Ready once the sender is gone.
async fn told(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}
