//! Work that is due without anybody asking for it.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{join, select};
use tokio::sync::watch;

use crate::account;
use crate::cart;
use crate::dashboard;
use crate::error::Result;
use crate::event;
use crate::id::OrderId;
use crate::idempotency;
use crate::lease::Holder;
use crate::mail;
use crate::order::{self, Change, MovedBy, OrderStatus};
use crate::payment;
use crate::shop::Shop;
use crate::storage::Tx;
use crate::webhook;

/// The work of which one round is enough for all servers beside each other.
const SWEEP: &str = "sweep";
/// How often to look for work that is due.
const INTERVAL: Duration = Duration::from_secs(30);
/// How often to look for mails that another process wrote, or whose next try has come.
const MAIL_INTERVAL: Duration = Duration::from_secs(1);
/// How often to ask the carriers how they are.
const PROBE_INTERVAL: Duration = Duration::from_secs(5 * 60);
/// How many orders one round looks at.
const ROUND: i64 = 200;
/// How often to look for events that another process wrote, or whose next try has come.
#[cfg(feature = "http")]
const WEBHOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How long events gather before they are queued: a burst of orders must not pay for a transaction
/// each.
#[cfg(feature = "http")]
const WEBHOOK_GATHERING: Duration = Duration::from_millis(50);

/// What one round of background work did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Invoices of which it was found out what became of them.
    pub invoices_settled: usize,
    /// Attempts to pay and refunds that are decided since their provider was asked.
    pub payments_decided: usize,
    /// Payment providers' events of long ago that were forgotten.
    pub payment_events_forgotten: usize,
    /// Guests' carts that nobody touched any more and that were thrown away.
    pub guest_carts_purged: usize,
    /// Events that arrived at an endpoint.
    pub webhooks_delivered: usize,
    /// Events that were given up long ago and that no endpoint waits for any more.
    pub webhooks_forgotten: usize,
    /// Deliveries of long ago that were forgotten.
    pub deliveries_forgotten: usize,
    /// Events of long ago that were forgotten.
    pub events_forgotten: usize,
    /// Events of people who were erased, and that are nobody's now.
    pub events_erased: usize,
}

impl Shop {
    /// Does the work that is due, again and again, until `shutdown` is ready. Run it beside the
    /// program's own work: a server spawns it, an embedding program may. Several programs on one
    /// database share the work, and what one that died was at is taken over by another.
    pub async fn run_background(&self, shutdown: impl Future<Output = ()> + Send) {
        let holder = Holder::new(self);
        let (running, stopped) = watch::channel(());
        let until_told = async {
            shutdown.await;
            drop(running);
        };
        // Sweeping ends between two of its jobs; a mail that is on its way is seen through, or it
        // would be sent again.
        let rounds = join(self.sweep_in_rounds(&holder), self.probe_in_rounds());
        let (rounds, told) = (pin!(rounds), pin!(told(stopped.clone())));
        let webhooks = self.deliver_webhooks_in_rounds(stopped.clone());
        let mails = self.deliver_in_rounds(stopped);
        futures_util::future::join4(until_told, select(rounds, told), mails, webhooks).await;
        if let Err(error) = self.api_keys().note_uses().await {
            tracing::error!(?error, "cannot note when API keys were used");
        }
        if let Err(error) = self.give_leases_back(&holder).await {
            tracing::error!(?error, "others have to wait until the leases have run out");
        }
    }

    /// The first round comes after the first interval: whoever wants to know earlier asks himself.
    async fn probe_in_rounds(&self) {
        if !self.probes().has_carriers() {
            return;
        }
        loop {
            tokio::time::sleep(PROBE_INTERVAL).await;
            self.probes().look(Duration::ZERO).await;
        }
    }

    async fn sweep_in_rounds(&self, holder: &Holder) {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match self.sweep(holder).await {
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

    #[cfg(feature = "http")]
    async fn deliver_webhooks_in_rounds(&self, stopped: watch::Receiver<()>) {
        let stopping = || stopped.has_changed().is_err();
        while !stopping() {
            if let Err(error) = self.deliver_webhooks(stopping).await {
                tracing::error!(?error, "cannot look after the webhooks");
            }
            // Other processes write events too, and some have to be sent again.
            let written = tokio::time::timeout(WEBHOOK_INTERVAL, self.events_bell().notified());
            select(pin!(written), pin!(told(stopped.clone()))).await;
            // What comes in together is queued together.
            tokio::time::sleep(WEBHOOK_GATHERING).await;
        }
    }

    #[cfg(not(feature = "http"))]
    #[expect(clippy::unused_async, reason = "with the feature it waits")]
    async fn deliver_webhooks_in_rounds(&self, _: watch::Receiver<()>) {}

    #[cfg(not(feature = "http"))]
    #[expect(clippy::unused_async, reason = "with the feature it waits")]
    async fn deliver_webhooks(&self, _: impl Fn() -> bool) -> Result<usize> {
        Ok(0)
    }

    /// Does what is due now, once: asks providers about payments and refunds that stayed open,
    /// cancels orders that nobody paid (decision 32), sends mails, and forgets what is past its
    /// time. For programs with a scheduler of their own. What another program on the same database
    /// is at is left to it.
    ///
    /// # Errors
    /// When the database fails; an order whose provider cannot be asked, and a mail that nobody
    /// takes, are left for a later round.
    pub async fn run_due(&self) -> Result<DueWork> {
        let holder = Holder::new(self);
        let swept = self.sweep(&holder).await;
        self.give_leases_back(&holder).await?;
        // First the events: what becomes of them may be told by mail.
        let webhooks_delivered = self.deliver_webhooks(|| false).await?;
        let mails_sent = self.deliver_mails(|| false).await?;
        Ok(DueWork { mails_sent, webhooks_delivered, ..swept? })
    }

    /// Questions to providers and to the tax office are claimed one by one, so servers beside each
    /// other share them; the rest is done by one of them.
    async fn sweep(&self, holder: &Holder) -> Result<DueWork> {
        self.api_keys().note_uses_if_due().await?;
        let reconciled = self.payments().reconcile_due().await?;
        #[cfg(feature = "nfe")]
        let invoices_settled = self.invoices().settle_due().await?;
        #[cfg(not(feature = "nfe"))]
        let invoices_settled = 0;
        let alone = self.alone(holder, SWEEP, self.sweep_alone()).await?;
        Ok(DueWork {
            invoices_settled,
            payments_decided: reconciled.decided + reconciled.refunds_decided,
            ..alone.unwrap_or_default()
        })
    }

    async fn sweep_alone(&self) -> Result<DueWork> {
        let now = self.now();
        let orders_cancelled = self.cancel_unpaid().await?;
        dashboard::sum_up_days(self).await?;
        let events_erased = event::erase_due(self).await?;
        let forget = move |tx: &mut dyn Tx| {
            mail::purge_allowances(tx, now)?;
            Ok(DueWork {
                orders_cancelled,
                events_erased,
                payment_events_forgotten: payment::purge(tx, now)?,
                keys_forgotten: idempotency::purge(tx, now)?,
                links_forgotten: account::purge_links(tx, now)?,
                mails_forgotten: mail::purge(tx, now)?,
                guest_carts_purged: cart::purge(tx, now)?,
                webhooks_forgotten: webhook::purge_queue(tx, now)?,
                deliveries_forgotten: webhook::purge(tx, now)?,
                events_forgotten: event::purge(tx, now)?,
                ..DueWork::default()
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
