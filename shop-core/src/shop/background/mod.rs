//! Work that is due without anybody asking for it.

mod guests;
mod import;
mod purge;
mod step;
mod unpaid;

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{join3, select};
use tokio::sync::watch;

pub(crate) use self::step::Failures;
use super::Shop;
use super::mail_templates::MAIL_TEMPLATES;
use crate::account;
use crate::cart;
use crate::erasure;
use crate::error::Result;
use crate::idempotency;
use crate::lease::Holder;
use crate::mail;
use crate::notification;
use crate::order::daily_stats;
use crate::settlement;
use crate::webhook;

/// The work of which one round is enough for all servers beside each other.
const SWEEP: &str = "sweep";
/// How often to look for work that is due.
const INTERVAL: Duration = Duration::from_secs(30);
/// How often to look for mails that another process wrote, or whose next try has come.
const MAIL_INTERVAL: Duration = Duration::from_secs(1);
/// How long mails gather before they are claimed: a burst of orders must not pay for a transaction
/// each.
const MAIL_GATHERING: Duration = Duration::from_millis(50);
/// How often to ask the carriers how they are.
const PROBE_INTERVAL: Duration = Duration::from_secs(5 * 60);
/// How often to look for events that another process wrote, or whose next try has come.
#[cfg(feature = "http")]
const WEBHOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How long events gather before they are queued: a burst of orders must not pay for a transaction
/// each.
#[cfg(feature = "http")]
const WEBHOOK_GATHERING: Duration = Duration::from_millis(100);

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
    /// Sessions of staff past their time that were forgotten.
    pub staff_sessions_forgotten: usize,
    /// Mails that were handed over.
    pub mails_sent: usize,
    /// Mails of long ago that were forgotten.
    pub mails_forgotten: usize,
    /// Mails to erased customers that went.
    pub mails_erased: usize,
    /// Notifications of long ago that were forgotten.
    pub notifications_forgotten: usize,
    /// Invoices of which it was found out what became of them.
    pub invoices_settled: usize,
    /// Invoices that were issued without being asked for (`nfe.issue`).
    pub invoices_issued: usize,
    /// Labels that are being bought or given back and were gone on with.
    pub shipments_advanced: usize,
    /// Parcels that got further since their provider was asked.
    pub shipments_moved: usize,
    /// Imports of products that were decided and broken off, and are written now.
    pub imports_finished: usize,
    /// Pictures uploaded earlier of which the smaller ones were looked after.
    pub pictures_done: usize,
    /// Attempts to pay and refunds that are decided since their provider was asked.
    pub payments_decided: usize,
    /// Payment providers' events of long ago that were forgotten.
    pub payment_events_forgotten: usize,
    /// Pictures of PIX codes long over that were forgotten.
    pub payment_pictures_forgotten: usize,
    /// Guests' carts that were not touched any more and were deleted.
    pub guest_carts_purged: usize,
    /// Accounts of guests who ordered nothing that were deleted.
    pub guests_purged: usize,
    /// Events that arrived at an endpoint.
    pub webhooks_delivered: usize,
    /// Events that were given up long ago and that no endpoint waits for any more.
    pub webhooks_forgotten: usize,
    /// Deliveries of long ago that were forgotten.
    pub deliveries_forgotten: usize,
    /// Events of long ago that were forgotten.
    pub events_forgotten: usize,
    /// Events of erased customers that were made anonymous.
    pub events_erased: usize,
    /// Steps and orders that failed. Each is logged, counted ([`Shop::background_failures`]) and
    /// tried again in a later round.
    pub failures: u64,
}

impl Shop {
    /// Does the work that is due, again and again, until `shutdown` is ready. Run it beside the
    /// program's own work: a server spawns it, an embedding program may. Several programs on one
    /// database share the work, and what one that died was at is taken over by another.
    ///
    /// Meant to be ended by `shutdown`: dropping the future breaks calls of third parties off, and
    /// what was claimed is taken up again when its claim is over.
    pub async fn run_background(&self, shutdown: impl Future<Output = ()> + Send) {
        let holder = Holder::new(&self.inner.cx);
        let (running, stopped) = watch::channel(());
        let until_told = async {
            shutdown.await;
            drop(running);
        };
        // Sweeping ends between two of its jobs; a mail that is on its way is seen through, or it
        // would be sent again.
        let rounds =
            join3(self.sweep_in_rounds(&holder), self.probe_in_rounds(), self.import_in_rounds());
        let (rounds, told) = (pin!(rounds), pin!(told(stopped.clone())));
        let webhooks = self.deliver_webhooks_in_rounds(stopped.clone());
        let mails = self.deliver_in_rounds(stopped);
        futures_util::future::join4(until_told, select(rounds, told), mails, webhooks).await;
        if let Err(error) = self.api_keys().note_uses().await {
            tracing::error!(?error, "cannot note when API keys were used");
        }
        if let Err(error) = self.sessions().note_uses().await {
            tracing::error!(?error, "cannot note when sessions of staff were used");
        }
        if let Err(error) = holder.give_back().await {
            tracing::error!(?error, "others have to wait until the leases have run out");
        }
    }

    /// The first round comes after the first interval: a caller that needs the state earlier asks
    /// for it.
    async fn probe_in_rounds(&self) {
        if !self.inner.shipping.probes.has_carriers() {
            return;
        }
        loop {
            tokio::time::sleep(PROBE_INTERVAL).await;
            let look = async {
                self.inner.shipping.probes.look(Duration::ZERO).await;
                Ok(())
            };
            self.inner.background_failures.guard("carriers", look).await;
        }
    }

    async fn sweep_in_rounds(&self, holder: &Holder) {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let done = self.sweep(holder).await;
            if done != DueWork::default() {
                tracing::info!(?done, "background work");
            }
        }
    }

    /// Sends the mails that are due; where there is no mailer they wait for one.
    async fn deliver_mails(&self, stopping: impl Fn() -> bool + Send) -> Result<usize> {
        let Some(mailer) = &self.inner.mailer else { return Ok(0) };
        let texts = self.inner.mail_texts.as_deref();
        let dispatcher = mail::Dispatcher::new(&self.inner.cx, &**mailer, texts, MAIL_TEMPLATES);
        dispatcher.deliver_due(stopping).await
    }

    async fn deliver_in_rounds(&self, stopped: watch::Receiver<()>) {
        let stopping = || stopped.has_changed().is_err();
        while !stopping() {
            self.inner.background_failures.guard("mails", self.deliver_mails(stopping)).await;
            // Other processes write mails too.
            let written = tokio::time::timeout(MAIL_INTERVAL, self.inner.cx.until_mail_written());
            select(pin!(written), pin!(told(stopped.clone()))).await;
            // What comes in together is claimed together.
            tokio::time::sleep(MAIL_GATHERING).await;
        }
    }

    #[cfg(feature = "http")]
    async fn deliver_webhooks_in_rounds(&self, stopped: watch::Receiver<()>) {
        let stopping = || stopped.has_changed().is_err();
        let mut events = self.inner.cx.events_written();
        while !stopping() {
            self.inner
                .background_failures
                .guard("webhooks", self.webhooks().deliver_due(stopping))
                .await;
            // Other processes write events too, and some have to be sent again.
            let written = tokio::time::timeout(WEBHOOK_INTERVAL, events.changed());
            select(pin!(written), pin!(told(stopped.clone()))).await;
            // What comes in together is queued together.
            tokio::time::sleep(WEBHOOK_GATHERING).await;
        }
    }

    #[cfg(not(feature = "http"))]
    #[expect(clippy::unused_async, reason = "with the feature it waits")]
    async fn deliver_webhooks_in_rounds(&self, _: watch::Receiver<()>) {}

    #[cfg(feature = "http")]
    async fn deliver_webhooks(&self) -> Result<usize> {
        self.webhooks().deliver_due(|| false).await
    }

    #[cfg(not(feature = "http"))]
    #[expect(clippy::unused_async, reason = "with the feature it waits")]
    async fn deliver_webhooks(&self) -> Result<usize> {
        Ok(0)
    }

    /// Does what is due now, once: asks providers about payments and refunds that stayed open,
    /// cancels orders that were not paid in time, sends mails, and forgets what is past its
    /// time. For programs with a scheduler of their own. What another program on the same database
    /// is at is left to it.
    ///
    /// What fails is logged and counted, and left for a later round; the rest is done all the same.
    ///
    /// # Errors
    /// When the database does not take back what was claimed for the round.
    ///
    /// Cancel safe: each piece of work is claimed and written in transactions of its own, and what
    /// was broken off is done in a later round.
    pub async fn run_due(&self) -> Result<DueWork> {
        let (holder, failed) = (Holder::new(&self.inner.cx), self.inner.background_failures.sum());
        let swept = self.sweep(&holder).await;
        holder.give_back().await?;
        let imports_finished = self.finish_import().await;
        // First the events: what becomes of them may be told by mail.
        let webhooks =
            self.inner.background_failures.guard("webhooks", self.deliver_webhooks()).await;
        let mails =
            self.inner.background_failures.guard("mails", self.deliver_mails(|| false)).await;
        Ok(DueWork {
            mails_sent: mails.unwrap_or_default(),
            webhooks_delivered: webhooks.unwrap_or_default(),
            imports_finished,
            failures: self.inner.background_failures.sum() - failed,
            ..swept
        })
    }

    /// How often each step of background work failed since the program started, by its name.
    pub fn background_failures(&self) -> Vec<(&'static str, u64)> {
        self.inner.background_failures.by_step()
    }

    /// Questions to providers and to the tax office are claimed one by one, so servers beside each
    /// other share them; the rest is done by one of them.
    async fn sweep(&self, holder: &Holder) -> DueWork {
        let (failures, failed) =
            (&self.inner.background_failures, self.inner.background_failures.sum());
        failures.guard("api_key_uses", self.api_keys().note_uses_if_due()).await;
        failures.guard("staff_session_uses", self.sessions().note_uses_if_due()).await;
        let payments = self.payments();
        let reconciled =
            failures.guard("reconcile", payments.reconcile_due()).await.unwrap_or_default();
        #[cfg(feature = "nfe")]
        let invoices_settled =
            failures.guard("invoices", self.invoices().settle_due()).await.unwrap_or_default();
        #[cfg(feature = "nfe")]
        let invoices_issued =
            failures.guard("issue_invoices", self.invoices().issue_due()).await.unwrap_or_default();
        #[cfg(not(feature = "nfe"))]
        let (invoices_settled, invoices_issued) = (0, 0);
        #[cfg(feature = "http")]
        failures.guard("melhor_envio_token", self.melhor_envio().renew_if_due()).await;
        #[cfg(feature = "media")]
        let pictures_done =
            failures.guard("pictures", self.pictures().make_missing()).await.unwrap_or_default();
        #[cfg(not(feature = "media"))]
        let pictures_done = 0;
        let shipments = self.shipments();
        let shipments_advanced =
            failures.guard("shipments", shipments.advance_due()).await.unwrap_or_default();
        let tracked = failures.guard("tracking", shipments.track_due()).await.unwrap_or_default();
        let alone = async { Ok(self.sweep_alone().await) };
        let alone = failures.guard(SWEEP, holder.with_lease(SWEEP, alone)).await.flatten();
        DueWork {
            invoices_settled,
            invoices_issued,
            pictures_done,
            shipments_advanced,
            shipments_moved: tracked.moved,
            payments_decided: reconciled.decided + reconciled.refunds_decided,
            failures: failures.sum() - failed,
            ..alone.unwrap_or_default()
        }
    }

    async fn sweep_alone(&self) -> DueWork {
        let failures = &self.inner.background_failures;
        self.forget("purge_mail_allowances", mail::purge_rate_limits).await;
        let orders_cancelled =
            failures.guard("cancel_unpaid", self.cancel_unpaid()).await.unwrap_or_default();
        failures.guard("sum_up_days", daily_stats::sum_up_days(&self.inner.cx)).await;
        let events_erased =
            failures.guard("erase_events", erasure::erase_events_due(&self.inner.cx)).await;
        let mails_erased =
            failures.guard("erase_mails", erasure::erase_mails_due(&self.inner.cx)).await;
        let guests_purged =
            failures.guard("purge_guests", self.purge_guests()).await.unwrap_or_default();
        DueWork {
            orders_cancelled,
            guests_purged,
            events_erased: events_erased.unwrap_or_default(),
            mails_erased: mails_erased.unwrap_or_default(),
            payment_events_forgotten: self
                .forget("purge_payment_events", settlement::purge_events)
                .await,
            payment_pictures_forgotten: self
                .forget("purge_payment_pictures", settlement::purge_pictures)
                .await,
            keys_forgotten: self.forget("purge_idempotency_keys", idempotency::purge).await,
            links_forgotten: self.forget("purge_links", account::purge_links).await,
            staff_sessions_forgotten: self
                .forget("purge_staff_sessions", account::purge_staff_sessions)
                .await,
            mails_forgotten: self.forget("purge_mails", mail::purge).await,
            notifications_forgotten: self.forget("purge_notifications", notification::purge).await,
            guest_carts_purged: self.forget("purge_guest_carts", cart::purge).await,
            webhooks_forgotten: self.forget("purge_webhook_queue", webhook::purge_queue).await,
            deliveries_forgotten: self.forget("purge_webhook_deliveries", webhook::purge).await,
            events_forgotten: self.forget("purge_events", webhook::purge_events).await,
            ..DueWork::default()
        }
    }
}

/// Ready once the sender is gone.
async fn told(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}
