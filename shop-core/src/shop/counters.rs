//! What a shop counts in memory, for those who run it.

use super::Shop;
use crate::fiscal::InvoiceStatus;
use crate::metric;
use crate::payment::{PaymentStatus, Provider};
pub use crate::provider_calls::{CallFigures, CallOutcome, ThirdParty};
use crate::storage::StorageFigures;

/// What happened by this program since it opened the shop: each is counted once its transaction is
/// committed. Of several servers on one database each counts what it did itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Orders that were placed.
    pub orders: u64,
    /// How often a payment came into a status.
    pub payments: Vec<PaymentCount>,
    /// How often an invoice came into a status.
    pub invoices: [(InvoiceStatus, u64); InvoiceStatus::ALL.len()],
    /// How tries to send mails ended.
    pub mails: SendCounts,
    /// How tries to send events to endpoints ended.
    pub webhooks: SendCounts,
    /// The calls that the library's own clients made.
    pub calls: Vec<CallFigures>,
    /// What the engine did.
    pub storage: StorageFigures,
}

/// How often payments of a provider came into a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PaymentCount {
    /// `provider1`, `provider2`, or `staff` for those that were recorded.
    pub provider: &'static str,
    /// The status.
    pub status: PaymentStatus,
    /// How often.
    pub count: u64,
}

/// How tries to send something ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SendCounts {
    /// It arrived.
    pub sent: u64,
    /// It failed and is tried again.
    pub put_off: u64,
    /// It failed and is not tried again.
    pub given_up: u64,
}

impl Shop {
    /// What happened by this program since it opened the shop. Reads counters in memory; the
    /// database is not asked ([`Dashboard::get_figures`](crate::views::Dashboard::get_figures) asks
    /// it).
    pub fn counters(&self) -> Counters {
        let generations = self.inner.cx.generations();
        let counted = |metric| generations.counted(metric);
        let payment = |provider: Provider, status: PaymentStatus| PaymentCount {
            provider: provider.as_str(),
            status,
            count: counted(metric::payment(provider as usize, status as usize)),
        };
        let of_provider = |provider| PaymentStatus::ALL.map(|status| payment(provider, status));
        Counters {
            orders: counted(metric::ORDER),
            payments: Provider::ALL.into_iter().flat_map(of_provider).collect(),
            invoices: InvoiceStatus::ALL.map(|it| (it, counted(metric::invoice(it as usize)))),
            mails: SendCounts {
                sent: counted(metric::MAIL_SENT),
                put_off: counted(metric::MAIL_PUT_OFF),
                given_up: counted(metric::MAIL_GIVEN_UP),
            },
            webhooks: SendCounts {
                sent: counted(metric::WEBHOOK_DELIVERED),
                put_off: counted(metric::WEBHOOK_PUT_OFF),
                given_up: counted(metric::WEBHOOK_GIVEN_UP),
            },
            calls: self.inner.provider_calls.figures(),
            storage: self.inner.cx.db().figures(),
        }
    }
}
