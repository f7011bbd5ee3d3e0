//! What the shop counts of what happens in it.
//!
//! The store that writes it says so in the same transaction
//! ([`Tx::count`](crate::storage::Tx::count)), and it is counted once that is committed: a job that
//! is refused or run again counts nothing twice.

use crate::storage::Metric;

/// Orders that were placed.
pub(crate) const ORDER: Metric = Metric::new(0);

/// Mails that left.
pub(crate) const MAIL_SENT: Metric = Metric::new(1);
/// Tries of mails that failed and come again.
pub(crate) const MAIL_PUT_OFF: Metric = Metric::new(2);
/// Mails that were given up.
pub(crate) const MAIL_GIVEN_UP: Metric = Metric::new(3);

/// Events that an endpoint took.
pub(crate) const WEBHOOK_DELIVERED: Metric = Metric::new(4);
/// Tries of events that failed and come again.
pub(crate) const WEBHOOK_PUT_OFF: Metric = Metric::new(5);
/// Events that were given up.
pub(crate) const WEBHOOK_GIVEN_UP: Metric = Metric::new(6);

/// How many states each kind may have.
pub(crate) const STATES: usize = 8;
const INVOICES: usize = 8;
const PAYMENTS: usize = INVOICES + STATES;

/// Invoices that came into a state, by its place among all states.
pub(crate) const fn invoice(state: usize) -> Metric {
    Metric::new(INVOICES + state)
}

/// Payments of a provider that came into a state, by the places of both among all.
pub(crate) const fn payment(provider: usize, state: usize) -> Metric {
    Metric::new(PAYMENTS + provider * STATES + state)
}
